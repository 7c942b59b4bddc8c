import type { Codec } from '../contract/codec.js'
import type { JsonSchema } from '../contract/json.js'
import type { Compiled } from './compiled-codec.js'
import type { UnknownFields } from './interpreter.js'
import { newCodec } from './new-codec.js'

/** What a result codec is made of. */
export interface ResultCodecOptions {
  readonly schema: JsonSchema
  /** What becomes of undeclared fields. Default `drop`. */
  readonly unknown?: UnknownFields
}

/**
 * A codec for what a tool answers. Like `payloadCodec`, but undeclared fields are dropped.
 *
 * @throws {SchemaError} on first use, when the schema itself is faulty.
 */
export function resultCodec<Sent, Value>(options: ResultCodecOptions, compiled?: Compiled): Codec<Sent, Value> {
  const { schema, unknown = 'drop' } = options
  return newCodec({ schema, serverOwned: [], unknown }, compiled)
}
