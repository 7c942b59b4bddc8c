import { own } from '../schema/json/json.js'
import type { Schema } from '../schema/json/json-schema.js'
import type { Defs } from './conjuncts.js'
import { hasKeyword, visits } from './declared-parts.js'

/** Keywords by which it depends on the value which fields are declared, or by which values become others. */
const undecided = [
  ...['patternProperties', 'if', 'then', 'else', 'dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['contains', 'default', 'x-js'],
]

/** Whether listed fields are all that values of a schema keep, and all that may become of them. */
export function isPickable(schema: Schema, defs: Defs): boolean {
  return !visits(schema, defs, (part) => hasKeyword(part, ...undecided) || isMap(part))
}

/** Whether fields that are not listed may be there, or a field that is `undefined` where none are listed. */
function isMap(schema: Schema): boolean {
  if (!hasKeyword(schema, 'additionalProperties') || typeof schema === 'boolean') return false
  return own(schema, 'additionalProperties') !== false || !hasKeyword(schema, 'properties')
}
