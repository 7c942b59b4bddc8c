/**
 * Validation with JSON Schema, and codecs: `@toolgen/runtime/schema`.
 *
 * @module
 */

export type { PayloadCodecOptions } from './codec/codecs.js'
export { CodecError, payloadCodec, resultCodec, schemaIssues, validExample } from './codec/codecs.js'
export { SchemaError } from './schema/keywords.js'
export type { Codec, Decoded } from './types/codec.js'
