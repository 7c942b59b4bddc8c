import type { Decoded, Issue } from '../types/codec.js'
import type { JsonSchema } from '../types/json.js'
import { prepareInterpreter, type UnknownFields } from './interpreter.js'
import { copyJson } from './json-copy.js'

export interface PreparedSchema {
  /**
   * Returns the issues of a value, or an empty array for a valid value. If the value has more than 100 issues, a last issue contains the number of
   * omitted issues.
   */
  validate(value: unknown): readonly Issue[]
  decode(value: unknown): Decoded<unknown>
}

/** Options for `prepareSchema`. */
export interface PrepareOptions {
  /** Treatment of undeclared fields: `reject` reports issues, `strip` removes the fields, `keep` keeps the fields. Default: `keep`. */
  readonly unknown?: UnknownFields
}

/** Options for `validate`. */
export interface ValidateOptions extends PrepareOptions {
  /** JSON Pointer to the value, added before the paths of the issues. Default: `''`. */
  readonly path?: string
}

/**
 * Prepares a JSON Schema (2020-12) for validating many values. Validation never throws an error. Values that JSON cannot represent cause issues.
 *
 * @throws {SchemaError} for a malformed keyword, an unsupported pattern or a reference that cannot be resolved
 * @example
 * const order = prepareSchema({ type: 'object', properties: { id: { type: 'string' } }, required: ['id'] })
 * order.validate({}) // [{ path: '', constraint: 'missing_field', field: 'id', ... }]
 */
export function prepareSchema(schema: JsonSchema, { unknown = 'keep' }: PrepareOptions = {}): PreparedSchema {
  const interpreter = prepareInterpreter({ schema, serverOwned: [], unknown })
  const decode = (value: unknown): Decoded<unknown> => interpreter.decode(copyJson(value))
  return {
    decode,
    validate: (value) => {
      const decoded = decode(value)
      return decoded.ok ? [] : decoded.issues
    },
  }
}

/**
 * Returns the issues of one value. To validate several values with the same schema, use {@link prepareSchema}.
 *
 * @throws {SchemaError} for the same schemas as {@link prepareSchema}
 * @example
 * validate({ type: 'string', minLength: 1 }, '', { path: '/name' }) // [{ path: '/name', constraint: 'invalid_length', ... }]
 */
export function validate(
  schema: JsonSchema,
  value: unknown,
  { path = '', ...options }: ValidateOptions = {},
): readonly Issue[] {
  const issues = prepareSchema(schema, options).validate(value)
  return path === '' ? issues : issues.map((issue) => ({ ...issue, path: path + issue.path }))
}
