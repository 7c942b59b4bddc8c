/**
 * JSON Schema 2020-12: validation with all issues, defaults, unknown fields, examples, patterns in linear time, formats and
 * JSON Pointers: `@toolgen/runtime/schema`. It needs no other package and no module of Node.
 *
 * @module
 */
export { formats } from './schema/formats.js'
export type { UnknownFields } from './schema/interpreter.js'
export type { Segment } from './schema/json-pointer.js'
export { parsePointer, pointerOf } from './schema/json-pointer.js'
export { deepEqual } from './schema/json-values.js'
export { eachSubschema, isSchema, isSchemaError, mapSubschemas, SchemaError } from './schema/keywords.js'
export { nearestNames } from './schema/nearest.js'
export type { Pattern } from './schema/pattern.js'
export {
  compilePattern,
  isLegalPattern,
  maxPatternLength,
  patternExamples,
  UnsupportedPatternError,
  unsupportedPart,
} from './schema/pattern.js'
export type { JsType, TypedValue } from './schema/typed-values.js'
export { isTyped, jsTypeOf, typedFromText, typedText } from './schema/typed-values.js'
export type { PreparedSchema } from './schema/validate.js'
export { exampleOf, prepareSchema, validate } from './schema/validate.js'
export type { Decoded } from './types/codec.js'
export type { Constraint, Issue, JsonKind } from './types/issue.js'
export type { JsonSchema, JsonSchemaObject, JsonValue } from './types/json.js'
