import { nearest } from '../../diagnostics/near-names.js'
import { entriesOf, isObject, type Json, objectFrom, own, type SchemaObject, withKey, without } from '../json-schema.js'
import { guess, type Report, repaired, translated } from './repair-report.js'

/** Keywords with which a required name may have its schema elsewhere. */
const otherFields: readonly string[] = [
  ...['allOf', 'anyOf', 'oneOf', '$ref', 'if', 'patternProperties', 'additionalProperties', 'dependentSchemas'],
  'unevaluatedProperties',
]

/**
 * Collects the required fields of an object in its `required` list. Fields that
 * say it themselves (`required: true`, `optional: true`) and lists of optional fields are read; contradictions are
 * errors, since only the author knows which side is right.
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
      const next = `Take \`${name}\` out of \`required\`, or \`${flag.keyword}\` out of the field.`
      report(guess({ ...facts, what, next }))
    } else {
      if (flag.required && !isListed) added.push(name)
      const what = `\`${flag.keyword}: ${JSON.stringify(flag.value)}\` is read as ${flag.required ? 'required' : 'optional'}`
      const how = flag.required ? `Write \`${name}\` into` : `Leave \`${name}\` out of`
      report(
        translated({ ...facts, what, next: `${how} the list \`required\` of the object, and nothing at the field.` }),
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
      const what = `\`${name}\` is both in \`required\` and in \`optional\``
      report(guess({ ...facts, what, next: 'Keep it in one of them.' }))
    } else if (!known.has(name)) {
      const what = `\`optional\` names \`${name}\`, which is no field; the name was dropped`
      report(repaired({ ...facts, what, next: 'Add the field to `properties`, or take the name out.' }))
    }
  }
  const what = 'the list `optional` was dropped: fields that `required` does not name are optional'
  report(translated({ ...facts, what, next: 'Leave `optional` out.' }))
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
    const what = `\`required\` names \`${name}\`, which is no field`
    if (near[0] !== undefined) {
      report({ ...guess({ ...facts, what, next: `Did you mean \`${near[0]}\`?` }), near })
    } else {
      const next = 'Add the field to `properties`, or take the name out of `required`.'
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
