/**
 * JSON Schema 2020-12 for applications: `@toolgen/runtime/schema`. Contains codecs, validation that reports all issues,
 * example values, and patterns that are matched in linear time.
 *
 * @module
 */

export type { PayloadCodecOptions } from './codec/codecs.js'
export { CodecError, payloadCodec, resultCodec } from './codec/codecs.js'
export { exampleOf } from './schema/examples.js'
export { formats } from './schema/formats.js'
export { parsePointer, pointerOf } from './schema/json-pointer.js'
export { deepEqual, equalityKey } from './schema/json-values.js'
export { SchemaError } from './schema/keywords.js'
export { nearestNames } from './schema/nearest.js'
export {
  compilePattern,
  isLegalPattern,
  maxPatternLength,
  UnsupportedPatternError,
  unsupportedPart,
} from './schema/pattern.js'
export { patternExamples } from './schema/pattern-examples.js'
export { SchemaIndex } from './schema/references.js'
export { SchemaFacts } from './schema/schema-facts.js'
export { eachSubschema, mapSubschemas } from './schema/subschemas.js'
export type { JsType } from './schema/typed-values.js'
export { isTyped, jsTypeOf, typedFromText, typedText } from './schema/typed-values.js'
export { parseUriTemplate, type UriTemplatePart, type UriTemplateVariable } from './schema/uri-template.js'
export { type PrepareOptions, prepareSchema, type ValidateOptions, validate } from './schema/validate.js'
export type { Codec, Decoded, Issue } from './types/codec.js'
