import type { Codec } from '../contract/codec.js'
import type { JsonSchema } from '../contract/json.js'
import type { Compiled } from './compiled-codec.js'
import type { UnknownFields } from './interpreter.js'
import { newCodec } from './new-codec.js'

/** What a payload codec is made of. */
export interface PayloadCodecOptions {
  /** The schema of what is sent: without server-owned fields. */
  readonly schema: JsonSchema
  /** Fields of the root that only the runtime fills: a sender who gives one is told so. */
  readonly serverOwned?: readonly string[]
  /** What becomes of undeclared fields. Default `reject`. */
  readonly unknown?: UnknownFields
}

/**
 * A codec for what a tool is sent. Its types come from the declaration it is assigned to; the schema is prepared when
 * the codec is first used.
 *
 * Undeclared fields are those that no applicable schema declares or requires, counting `allOf`, references, conditions and the
 * variants that match; objects whose schema lists no fields are open. `additionalProperties` and
 * `unevaluatedProperties` decide where they are given.
 *
 * A `pattern` takes time linear in the length of a text. One with back references, which no engine matches in linear time, is
 * a fault of the schema.
 *
 * @throws {SchemaError} on first use, when the schema itself is faulty.
 * @example
 * const getOrderPayloadCodec: Codec<GetOrderArguments, GetOrderPayload> = payloadCodec({
 *   schema: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
 * })
 * getOrderPayloadCodec.decode('{"orderId":"A-1"}') // { ok: true, value: { orderId: 'A-1' } }
 */
export function payloadCodec<Sent, Value>(options: PayloadCodecOptions, compiled?: Compiled): Codec<Sent, Value> {
  const { schema, serverOwned = [], unknown = 'reject' } = options
  return newCodec({ schema, serverOwned, unknown }, compiled)
}
