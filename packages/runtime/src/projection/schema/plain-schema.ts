import { isFields } from '../../codec/json/kind.js'
import type { JsonSchema } from '../../contract/json.js'
import { codeKeyword } from '../keywords/annotations.js'
import { mapSubschemas } from './map-subschemas.js'

/** A copy of a schema without what is about code alone. Fields and data that happen to have such a name stay. */
export function plainSchema(schema: JsonSchema): JsonSchema {
  return typeof schema === 'boolean' ? schema : withoutCode(schema)
}

function withoutCode(schema: object): Record<string, unknown> {
  const { [codeKeyword]: _code, ...bare } = Object.fromEntries(Object.entries(schema))
  return mapSubschemas(bare, '', (subschema) => (isFields(subschema) ? withoutCode(subschema) : subschema))
}
