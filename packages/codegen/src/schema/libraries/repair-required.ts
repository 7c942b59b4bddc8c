import { nearest } from '../../diagnostics/near-names.js'
import { entriesOf, isObject, type Json, objectFrom, own, type SchemaObject, withKey, without } from '../json-schema.js'
import { guess, type Report, repaired, translated } from './repair-report.js'

/** Keywords that can declare fields, so that `required` may name fields which `properties` does not contain. */
const otherFields: readonly string[] = [
  ...['allOf', 'anyOf', 'oneOf', '$ref', 'if', 'patternProperties', 'additionalProperties', 'dependentSchemas'],
  'unevaluatedProperties',
]

/**
 * Moves flags of fields (`required: true`, `optional: true`) and lists of optional fields to `required` of the object.
 * Contradictions are errors, because only the author knows which declaration is correct.
 */
export function repairRequired(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const listed = readOptionalList(schema, keys, report)
  const fields = own(listed, 'properties')
  if (!isObject(fields)) return listed
  const required = namesIn(own(listed, 'required'))
  const added: string[] = []
  const written = Object.entries(fields).map(([name, field]): readonly [string, Json] => {
    if (!isObject(field)) return [name, field]
    const flag = requiredFlag(field)
    if (flag === undefined) return [name, field]
    const at = [...keys, 'properties', name]
    const facts = { kind: 'required', keys: at, keyword: flag.keyword } as const
    const isListed = required.includes(name)
    if (!flag.required && isListed) {
      const what = `\`${flag.keyword}: ${JSON.stringify(flag.value)}\` contradicts the list \`required\` of the object`
      const next = `Remove \`${name}\` from \`required\`, or \`${flag.keyword}\` from the field.`
      report(guess({ ...facts, what, next }))
    } else {
      if (flag.required && !isListed) added.push(name)
      const what = `\`${flag.keyword}: ${JSON.stringify(flag.value)}\` is read as ${flag.required ? 'required' : 'optional'}`
      const how = flag.required ? `Add \`${name}\` to` : `Remove \`${name}\` from`
      report(
        translated({ ...facts, what, next: `${how} \`required\` of the object, and remove the flag of the field.` }),
      )
    }
    return [name, without(field, [flag.keyword])]
  })
  const withFields = withKey(listed, 'properties', objectFrom(written))
  const all = added.length === 0 ? withFields : withKey(withFields, 'required', [...required, ...added])
  return withoutUnknownNames(all, keys, report)
}

/** Drops `required` or `optional` of a schema that is not a field of an object. */
export function dropUnusedFlag(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const flag = requiredFlag(schema)
  if (flag === undefined) return schema
  const what = `\`${flag.keyword}: ${JSON.stringify(flag.value)}\` was dropped: only fields of an object can be required`
  const next = `Remove \`${flag.keyword}\`.`
  report(repaired({ kind: 'required', keys, keyword: flag.keyword, what, next }))
  return without(schema, [flag.keyword])
}

interface RequiredFlag {
  readonly keyword: 'required' | 'optional'
  readonly value: Json
  readonly required: boolean
}

function requiredFlag(field: SchemaObject): RequiredFlag | undefined {
  for (const keyword of ['required', 'optional'] as const) {
    const value = own(field, keyword)
    const flag = typeof value === 'string' && /^(?:true|false)$/i.test(value) ? /^true$/i.test(value) : value
    if (value !== undefined && typeof flag === 'boolean')
      return { keyword, value, required: (keyword === 'required') === flag }
  }
  return undefined
}

function readOptionalList(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const optional = own(schema, 'optional')
  if (!Array.isArray(optional)) return schema
  const required = namesIn(own(schema, 'required'))
  const known = new Set(entriesOf(schema, 'properties').map(([name]) => name))
  const facts = { kind: 'required', keys, keyword: 'optional' } as const
  for (const name of namesIn(optional)) {
    if (required.includes(name)) {
      const what = `\`${name}\` is in both \`required\` and \`optional\``
      report(guess({ ...facts, what, next: 'Keep the name only in `required` or only in `optional`.' }))
    } else if (!known.has(name)) {
      const what = `\`optional\` contains the unknown field \`${name}\`; the name was dropped`
      report(repaired({ ...facts, what, next: 'Add the field to `properties`, or remove the name.' }))
    }
  }
  const what = '`optional` was dropped: fields that are not in `required` are optional'
  report(translated({ ...facts, what, next: 'Remove `optional`.' }))
  return without(schema, ['optional'])
}

function withoutUnknownNames(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  if (otherFields.some((keyword) => Object.hasOwn(schema, keyword) && own(schema, keyword) !== false)) return schema
  const names = entriesOf(schema, 'properties').map(([name]) => name)
  const required = namesIn(own(schema, 'required'))
  const unknown = required.filter((name) => !names.includes(name))
  for (const name of unknown) {
    const near = nearest(
      name,
      names.filter((candidate) => !required.includes(candidate)),
    )
    const facts = { kind: 'required', keys, keyword: 'required' } as const
    const what = `\`required\` contains the unknown field \`${name}\``
    if (near[0] !== undefined) {
      report({ ...guess({ ...facts, what, next: `Did you mean \`${near[0]}\`?` }), near })
    } else {
      const next = 'Add the field to `properties`, or remove the name from `required`.'
      report(repaired({ ...facts, what: `${what}; the name was dropped`, next }))
    }
  }
  if (unknown.length === 0) return schema
  return withKey(
    schema,
    'required',
    required.filter((name) => !unknown.includes(name)),
  )
}

function namesIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : []
}
