/**
 * JSON Schema 2020-12: validation with all issues, defaults, unknown fields, examples, patterns in linear time, formats,
 * JSON Pointers, and codecs: `@toolgen/runtime/schema`.
 *
 * @module
 */

export type { PayloadCodecOptions } from './codec/codecs.js'
export { CodecError, payloadCodec, resultCodec } from './codec/codecs.js'
export { formats } from './schema/formats.js'
export { parsePointer, pointerOf } from './schema/json-pointer.js'
export { deepEqual } from './schema/json-values.js'
export { eachSubschema, mapSubschemas, SchemaError } from './schema/keywords.js'
export { nearestNames } from './schema/nearest.js'
export {
  compilePattern,
  isLegalPattern,
  maxPatternLength,
  patternExamples,
  UnsupportedPatternError,
  unsupportedPart,
} from './schema/pattern.js'
export { SchemaIndex } from './schema/references.js'
export { SchemaFacts } from './schema/schema-facts.js'
export type { JsType } from './schema/typed-values.js'
export { isTyped, jsTypeOf, typedFromText, typedText } from './schema/typed-values.js'
export { exampleOf, prepareSchema, validate } from './schema/validate.js'
export type { Codec, Decoded, Issue } from './types/codec.js'
