import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { JsonSchema } from '../../packages/runtime/src/types/json.js'

// Optimizing the code of a validator takes longer than all its calls.
const ajv = new Ajv2020({ strict: false, ownProperties: true, logger: false, code: { optimize: false } })
addFormats.default(ajv)

/** A validator that shares no code with the project. Compiling throws where the schema is no JSON Schema 2020-12. */
export function validator(schema: JsonSchema): ValidateFunction {
  const validate = ajv.compile(schema)
  ajv.removeSchema(schema)
  return validate
}

/** Whether a schema keeps the rules of JSON Schema 2020-12; much faster than compiling it. */
export function isJsonSchema(schema: JsonSchema): boolean {
  return ajv.validateSchema(schema) === true
}
