import type { Codec } from '../contract/codec.js'
import type { JsonSchema } from '../contract/json.js'
import { InterpretedCodec } from './interpreted-codec.js'
import type { UnknownFields } from './interpreter.js'

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
export function resultCodec<Sent, Value>(options: ResultCodecOptions): Codec<Sent, Value> {
  const { schema, unknown = 'drop' } = options
  return new InterpretedCodec({ schema, serverOwned: [], unknown })
}
