import { resultCodec } from '../codec/result-codec.js'
import type { Codec } from '../contract/codec.js'

/** A codec of whatever can be written as JSON; nothing counts as `null`. */
export function anyResultCodec(): Codec<any, unknown> {
  // `any`: nothing is declared of the value.
  const codec: Codec<any, unknown> = resultCodec({ schema: {}, unknown: 'keep' })
  return {
    is: (value): value is unknown => codec.is(value),
    decode: (json) => codec.decode(json),
    decodeValue: (value) => codec.decodeValue(value),
    encodeValue: (value) => codec.encodeValue(value ?? null),
    encode: (value) => codec.encode(value ?? null),
    schema: codec.schema,
  }
}
