import { isObject, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { type Defs, flatten, schemaAt, schemaMap, schemaOf } from './flatten.js'
import { conditionalParts, knownMatch } from './schema-view.js'

/** What schemas that apply to one object say of a field; `false` where there can be none. */
export function schemasOfField(plain: readonly SchemaObject[], name: string): readonly Schema[] {
  return plain.flatMap((schema) => {
    const declared = schemaOf(schema, 'properties', name)
    const matched = schemaMap(schema, 'patternProperties').filter(([pattern]) => matches(pattern, name))
    const said = [...(declared === undefined ? [] : [declared]), ...matched.map(([, part]) => part)]
    if (said.length > 0) return said
    const other = schemaAt(schema, 'additionalProperties')
    return other === undefined ? [] : [other]
  })
}

/** What schemas say of fields that none of them names. */
export function schemasOfOthers(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) => {
    const other = schemaAt(schema, 'additionalProperties')
    const matched = schemaMap(schema, 'patternProperties').map(([, part]) => part)
    return other === undefined || own(schema, 'additionalProperties') === false ? matched : [...matched, other]
  })
}

/** Whether a pattern matches a name; one that cannot be read does. */
export function matches(pattern: string, name: string): boolean {
  return knownMatch(pattern, name) ?? true
}

/** Whether a schema says which fields there are. */
export function declaresFields(schema: SchemaObject): boolean {
  return isObject(own(schema, 'properties')) || isObject(own(schema, 'patternProperties'))
}

/** Whether a schema judges every field there is. */
export function judgesAllFields(schema: SchemaObject): boolean {
  return Object.hasOwn(schema, 'additionalProperties') || Object.hasOwn(schema, 'unevaluatedProperties')
}

/** The names that a schema declares or requires: those fields are known. */
export function knownNames(schema: SchemaObject): readonly string[] {
  return [...schemaMap(schema, 'properties').map(([name]) => name), ...stringsOf(schema, 'required')]
}

/** Every schema that may apply to a value of which one of the given ones does, at the same place. */
export function everythingIn(schemas: readonly Schema[], defs: Defs): readonly SchemaObject[] {
  const found = new Set<SchemaObject>()
  const pending = [...schemas]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const flat = flatten([next], defs)
    for (const schema of flat?.plain ?? []) {
      if (found.has(schema)) continue
      found.add(schema)
      pending.push(...conditionalParts([schema]))
    }
    for (const { variants } of flat?.unions ?? [])
      pending.push(...variants.filter((variant) => typeof variant === 'boolean' || !found.has(variant)))
  }
  return [...found]
}
