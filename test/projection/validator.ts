import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { JsonSchema } from '../../packages/runtime/src/types/json.js'

// Optimizing the code of a validator takes longer than all calls of the validator.
const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false, code: { optimize: false } })
addFormats.default(ajv)

/** Creates a validator without code of this project. Throws if the schema is not valid JSON Schema 2020-12. */
export function validator(schema: JsonSchema): ValidateFunction {
  const validate = ajv.compile(schema)
  ajv.removeSchema(schema)
  return validate
}

/** Checks a schema against the meta-schema of JSON Schema 2020-12. This is much faster than compiling the schema. */
export function isJsonSchema(schema: JsonSchema): boolean {
  return ajv.validateSchema(schema) === true
}
