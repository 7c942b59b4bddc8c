import type { JsonSchema, JsonValue } from '../contract/json.js'
import { readDocument } from './evaluate/prepare.js'
import { ExampleMaker } from './example/example-maker.js'
import { InterpretedCodec } from './interpreted-codec.js'

/**
 * A small value that a schema accepts, without undeclared fields: what its author wrote (`const`, `enum`, `examples`,
 * `default`, an `e.g. A-1001` in a description), else one made from the types, bounds, formats and simple patterns, with the
 * required fields only.
 * `undefined` where none is found.
 *
 * @throws {SchemaError} when the schema itself is faulty.
 * @example
 * const orderId = { type: 'string', description: 'Order number, e.g. A-1001' }
 * validExample({ type: 'object', properties: { orderId }, required: ['orderId'] }) // { orderId: 'A-1001' }
 */
export function validExample(schema: JsonSchema): JsonValue | undefined {
  const document = readDocument(schema)
  const example = new ExampleMaker(document).of(document.index.root)
  if (example === undefined) return undefined
  const codec = new InterpretedCodec<unknown, JsonValue>({ schema, serverOwned: [], unknown: 'reject' })
  // Defaults are left out of what is sent, so the text is read back instead of the decoded value.
  return codec.decodeValue(example).ok ? JSON.parse(codec.encode(example)) : undefined
}
