import { isFields } from '../../packages/runtime/src/schema/json-values.js'
import type { JsonSchemaObject } from '../../packages/runtime/src/types/json.js'
import { validator } from './validator.js'

/** Returns the value that a model writes for a strict schema: the omitted fields are null. */
export function filled(value: unknown, schema: JsonSchemaObject, root: JsonSchemaObject = schema): unknown {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.replace('#/$defs/', '')
    const target = isFields(root.$defs) ? root.$defs[name] : undefined
    return isFields(target) ? filled(value, target, root) : value
  }
  if (Array.isArray(schema.anyOf)) {
    const candidates = schema.anyOf.map((variant) => ({ variant, made: filled(value, variant, root) }))
    const fitting = candidates.find(({ variant, made }) => validator({ ...variant, $defs: root.$defs ?? {} })(made))
    return fitting === undefined ? value : fitting.made
  }
  const { items, properties } = schema
  if (Array.isArray(value)) return isFields(items) ? value.map((item) => filled(item, items, root)) : value
  if (!isFields(value) || !isFields(properties)) return value
  const names = new Set([...Object.keys(properties), ...Object.keys(value)])
  return Object.fromEntries(
    [...names].map((name) => {
      const field = properties[name]
      if (!Object.hasOwn(value, name)) return [name, null]
      return [name, isFields(field) ? filled(value[name], field, root) : value[name]]
    }),
  )
}
