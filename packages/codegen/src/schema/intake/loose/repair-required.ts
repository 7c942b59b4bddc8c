import { nearest } from '../../../diagnostics/near.js'
import { entriesOf, isObject, objectFrom, own, withKey, without } from '../../json/json.js'
import type { Json, SchemaObject } from '../../json/json-schema.js'
import { guess, type Report, repaired, translated } from './loose-faults.js'

/** Keywords beside which a required name may have its schema elsewhere. */
const otherFields: readonly string[] = [
  ...['allOf', 'anyOf', 'oneOf', '$ref', 'if', 'patternProperties', 'additionalProperties', 'dependentSchemas'],
  'unevaluatedProperties',
]

/**
 * Says which fields an object requires in the one place where JSON Schema looks for it: the object's list. Fields that
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
    const said = ownSaying(field)
    if (said === undefined) return [name, field]
    const at = [...keys, 'properties', name]
    const facts = { kind: 'required', keys: at, keyword: said.keyword } as const
    const isListed = required.includes(name)
    if (!said.required && isListed) {
      const what = `\`${said.keyword}: ${JSON.stringify(said.value)}\` contradicts the list \`required\` of the object`
      const next = `Take \`${name}\` out of \`required\`, or \`${said.keyword}\` out of the field.`
      report(guess({ ...facts, what, next }))
    } else {
      if (said.required && !isListed) added.push(name)
      const what = `\`${said.keyword}: ${JSON.stringify(said.value)}\` is read as ${said.required ? 'required' : 'optional'}`
      const how = said.required ? `Write \`${name}\` into` : `Leave \`${name}\` out of`
      report(
        translated({ ...facts, what, next: `${how} the list \`required\` of the object, and nothing at the field.` }),
      )
    }
    return [name, without(field, [said.keyword])]
  })
  const withFields = withKey(listed, 'properties', objectFrom(written))
  const all = added.length === 0 ? withFields : withKey(withFields, 'required', [...required, ...added])
  return withoutUnknownNames(all, keys, report)
}

/** A saying about being required where no object is around it, or that is of no use. */
export function dropLoneSaying(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const said = ownSaying(schema)
  if (said === undefined) return schema
  const what = `\`${said.keyword}: ${JSON.stringify(said.value)}\` was dropped: only fields of an object can be required`
  const next = `Remove \`${said.keyword}\`.`
  report(repaired({ kind: 'required', keys, keyword: said.keyword, what, next }))
  return without(schema, [said.keyword])
}

interface Saying {
  readonly keyword: 'required' | 'optional'
  readonly value: Json
  readonly required: boolean
}

function ownSaying(field: SchemaObject): Saying | undefined {
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
