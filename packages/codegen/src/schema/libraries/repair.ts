import { deepEqual, eachSubschema, mapSubschemas, pointerOf } from '@toolgen/runtime/schema'
import { nearest } from '../../diagnostics/near-names.js'
import {
  atPointer,
  type Converted,
  entriesOf,
  hasErrors,
  isObject,
  isSchema,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaDiagnostic,
  type SchemaObject,
  withKey,
  without,
} from '../json-schema.js'
import { keywords, typeNames } from '../keywords.js'

/**
 * Returns whether a schema is written in one of the loose dialects of function calling. It is when it holds, where a keyword is
 * expected, something that no valid JSON Schema holds and whose meaning is plain; so no valid one is ever taken for it.
 */
function isLoose(schema: Schema): boolean {
  if (typeof schema === 'boolean') return false
  if (hasLooseForm(schema)) return true
  let found = false
  eachSubschema(schema, (subschema) => {
    found ||= isLoose(subschema)
  })
  return found
}

function hasLooseForm(schema: SchemaObject): boolean {
  const types = own(schema, 'type')
  const named = Array.isArray(types) ? types : [types]
  if (named.some(isForeignType)) return true
  if (typeof own(schema, 'required') === 'boolean') return true
  if (isTypeText(own(schema, 'items'))) return true
  const fields = own(schema, 'properties')
  if (isObject(fields) && Object.values(fields).some(isTypeText)) return true
  if (Array.isArray(fields) && fields.length === 0) return true
  return Object.entries(schema).some(([keyword, value]) => value === null && isNullable(keyword) === false)
}

/** Returns whether null is a value that a keyword may have; `undefined` for what is no keyword. */
function isNullable(keyword: string): boolean | undefined {
  const kind = keywords.get(keyword)
  return kind === undefined ? undefined : kind === 'anything'
}

/** Returns whether something names a type that JSON Schema does not know, with a plain meaning. */
function isForeignType(name: Json | undefined): boolean {
  return typeof name === 'string' && !isStandardType(name) && meaningOfType(name) !== undefined
}

function isTypeText(value: Json | undefined): value is string {
  return typeof value === 'string' && meaningOfType(value) !== undefined
}

/** Gives keywords the form that JSON Schema knows: names of types, nulls that mean nothing, types in place of schemas. */
function repairForm(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const steps = [withoutNulls, withSchemas, withNumbers, withExamples, withTypes]
  return steps.reduce((current, step) => step(current, keys, report), schema)
}

function withoutNulls(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const empty = Object.keys(schema).filter((keyword) => schema[keyword] === null && isNullable(keyword) === false)
  for (const keyword of empty) {
    const what = `\`${keyword}: null\` was dropped`
    report(repaired({ kind: 'form', keys, keyword, what, next: `Leave \`${keyword}\` out.` }))
  }
  return empty.length === 0 ? schema : without(schema, empty)
}

function withSchemas(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const typed = (type: string, ...inner: readonly string[]): SchemaObject => {
    const keyword = inner.at(-1) ?? ''
    const what = `the text ${JSON.stringify(type)} in place of a schema is read as its type`
    const next = `Write \`{ type: '${meaningOfType(type)}' }\`.`
    report(translated({ kind: 'form', keys: [...keys, ...inner.slice(0, -1)], keyword, what, next }))
    return { type }
  }
  const items = own(schema, 'items')
  const listed = isTypeText(items) ? withKey(schema, 'items', typed(items, 'items')) : schema
  const fields = own(listed, 'properties')
  if (Array.isArray(fields) && fields.length === 0) {
    const what = 'the empty list of `properties` is read as an object without fields'
    report(translated({ kind: 'form', keys, keyword: 'properties', what, next: 'Write `properties: {}`.' }))
    return withKey(listed, 'properties', {})
  }
  if (!isObject(fields) || !Object.values(fields).some(isTypeText)) return listed
  const written = Object.entries(fields).map(([name, field]): readonly [string, Json] => [
    name,
    isTypeText(field) ? typed(field, 'properties', name) : field,
  ])
  return withKey(listed, 'properties', objectFrom(written))
}

function withNumbers(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const counting = ['number', 'positive number', 'count']
  return Object.entries(schema).reduce((current, [keyword, value]) => {
    const isNumber = counting.includes(keywords.get(keyword) ?? '')
    if (!isNumber || typeof value !== 'string' || !/^-?\d+(?:\.\d+)?$/.test(value)) return current
    const what = `\`${keyword}: ${JSON.stringify(value)}\` is read as a number`
    report(translated({ kind: 'form', keys, keyword, what, next: `Write \`${keyword}: ${Number(value)}\`.` }))
    return withKey(current, keyword, Number(value))
  }, schema)
}

function withExamples(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const example = own(schema, 'examples')
  if (example === undefined || Array.isArray(example)) return schema
  const what = '`examples` that is no list is read as one example'
  report(translated({ kind: 'form', keys, keyword: 'examples', what, next: 'Write `examples: [...]`.' }))
  return withKey(schema, 'examples', [example])
}

function withTypes(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const input = own(schema, 'type')
  const names: readonly Json[] = Array.isArray(input) ? input : [input ?? '']
  if (!names.some(isForeignType)) return schema
  const meant = names.map((name) => (typeof name === 'string' ? (meaningOfType(name) ?? name) : name))
  const isAny = meant.includes('any')
  const types = [...new Set(meant)]
  const single = types[0] ?? ''
  const type: Json = types.length === 1 ? single : types
  const next = isAny ? 'Leave `type` out where any value is meant.' : `Write \`type: ${asCode(type)}\`.`
  const what = `the type ${named(input ?? '')} is read as ${isAny ? 'any value' : named(type)}`
  report(translated({ kind: 'type', keys, keyword: 'type', what, next }))
  return isAny ? without(schema, ['type']) : withKey(schema, 'type', type)
}

function asCode(type: Json): string {
  return JSON.stringify(type).replaceAll('"', "'")
}

function named(type: Json): string {
  return `\`${typeof type === 'string' ? type : asCode(type)}\``
}

/**
 * Brings the loose dialects in which functions are described to models (`dict`, `float`, `ArrayList`, `required: true`
 * at fields, defaults that contradict their type) into the form of JSON Schema. Every repair is reported; where it would
 * be a guess it is an error with a proposal. In a valid JSON Schema it repairs only an `enum` without arrays for `type: array`.
 *
 * @param schema as it was written, of any draft
 */
export function repairLoose(schema: Schema): Converted<Schema> {
  const diagnostics: SchemaDiagnostic[] = []
  const report = (diagnostic: SchemaDiagnostic): void => {
    diagnostics.push(diagnostic)
  }
  const inParts = (part: SchemaObject, keys: readonly string[], repairPart: typeof repair): SchemaObject =>
    mapSubschemas(part, (subschema, inner) => repairPart(subschema, [...keys, ...inner]))
  const repair = (part: Schema, keys: readonly string[]): Schema => {
    if (typeof part === 'boolean') return part
    const formed = repairRequired(repairForm(part, keys, report), keys, report)
    const own = moveItemValues(dropUnusedFlag(formed, keys, report), keys, report)
    return repairDefault(repairEnum(inParts(own, keys, repair), keys, report), keys, report)
  }
  // No value fits an array whose `enum` has no arrays, so a valid schema loses nothing by it.
  const repairArrays = (part: Schema, keys: readonly string[]): Schema =>
    typeof part === 'boolean' ? part : inParts(moveItemValues(part, keys, report), keys, repairArrays)
  const value = isLoose(schema) ? repair(schema, []) : repairArrays(schema, [])
  return hasErrors(diagnostics) ? { diagnostics } : { value, diagnostics }
}

/** Returns the values of the `enum` of an array, without an allowed null, if none of them is an array. */
function itemValuesOf(schema: SchemaObject): readonly Json[] | undefined {
  const [values, types] = [own(schema, 'enum'), typesOf(schema)]
  if (!Array.isArray(values) || !types.includes('array')) return undefined
  if (types.some((type) => type !== 'array' && type !== 'null')) return undefined
  const ofItems = values.filter((value: Json) => value !== null || !types.includes('null'))
  return ofItems.length === 0 || ofItems.some((value: Json) => Array.isArray(value)) ? undefined : ofItems
}

/** Moves the `enum` of an array into its items if no value is an array; an error if the items have values of their own. */
function moveItemValues(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const ofItems = itemValuesOf(schema)
  if (ofItems === undefined) return schema
  const items = own(schema, 'items') ?? {}
  const facts = { kind: 'enum', keys, keyword: 'enum' } as const
  if (!isObject(items) || ['enum', 'const', '$ref'].some((keyword) => own(items, keyword) !== undefined)) {
    const what = `the values ${shown(ofItems)} of \`enum\` are not arrays, so no array can be sent`
    report(guess({ ...facts, what, next: 'Remove `enum` and write the allowed values into `items`, or list arrays.' }))
    return schema
  }
  const what = `the values ${shown(ofItems)} of \`enum\` are not arrays; they are read as the values of the items`
  report(repaired({ ...facts, what, next: 'Put `enum` into `items`.' }))
  const [type, ...otherTypes] = [...new Set(ofItems.map(typeOf))]
  const isTyped = own(items, 'type') !== undefined || otherTypes.length > 0 || type === undefined
  const typed = isTyped ? items : { type, ...items }
  return withKey(without(schema, ['enum']), 'items', withKey(typed, 'enum', ofItems))
}

/**
 * Makes a list of allowed values agree with the type. A text that reads as a value of the type becomes that value
 * (`'True'` of a boolean, `'3'` of an integer, and the other way round); values that do not read as one stay, and their
 * types are allowed too: both what the type and what the list say is then allowed.
 */
function repairEnum(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const values = own(schema, 'enum')
  const types = typesOf(schema)
  if (!Array.isArray(values) || types.length === 0) return schema
  // `moveItemValues` has reported it.
  if (itemValuesOf(schema) !== undefined) return schema
  if (values.every((value: Json) => types.some((type) => isOfType(value, type)))) return schema
  const facts = { kind: 'enum', keys, keyword: 'enum' } as const
  if (types.some((type) => type === 'array' || type === 'object')) {
    const next = types.includes('array')
      ? 'Put `enum` into `items`.'
      : 'Put `enum` into the field that has these values.'
    report(guess({ ...facts, what: `the values of \`enum\` are not of the type ${shown(asType(types))}`, next }))
    return schema
  }
  const read = values.map(
    (value: Json) => types.map((type) => asOfType(value, type)).find((of) => of !== undefined) ?? value,
  )
  const unique = read.filter((value, index) => read.findIndex((other) => deepEqual(other, value)) === index)
  const others = unique.filter((value) => !types.some((type) => isOfType(value, type)))
  const allTypes = [...new Set([...types, ...others.map(typeOf)])]
  const what =
    `the values ${shown(values)} of \`enum\` contradict the type ${shown(asType(types))}; ` +
    `they are read as ${shown(unique)} of type ${shown(asType(allTypes))}`
  report(repaired({ ...facts, what, next: `Write \`type\` and \`enum\` so that they agree.` }))
  return withKey(withKey(schema, 'enum', unique), 'type', asType(allTypes))
}

/** Drops a default that the type, the allowed values or those of the items contradict. */
export function repairDefault(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const value = own(schema, 'default')
  if (value === undefined || fits(value, schema)) return schema
  const [type] = typesOf(schema)
  const meant = type === undefined ? undefined : asOfType(value, type)
  const fitting = meant !== undefined && fits(meant, schema) ? `write \`default: ${JSON.stringify(meant)}\`` : undefined
  const nullable = value === null ? `write \`type: ['${type ?? 'string'}', 'null']\` if null may be sent` : undefined
  const advice = fitting ?? nullable ?? 'let the schema allow it if it may be sent'
  const why = `it does not fit ${Array.isArray(own(schema, 'enum')) ? '`enum`' : `the type ${shown(asType(typesOf(schema)))}`}`
  report(
    repaired({
      kind: 'default',
      keys,
      keyword: 'default',
      what: `the default ${shown(value)} was dropped: ${why}`,
      next: `Leave the default out and say in the description what happens without a value, or ${advice}.`,
    }),
  )
  return without(schema, ['default'])
}

function fits(value: Json, schema: SchemaObject): boolean {
  const types = typesOf(schema)
  if (types.length > 0 && !types.some((type) => isOfType(value, type))) return false
  const values = own(schema, 'enum')
  if (Array.isArray(values) && !values.some((allowed: Json) => deepEqual(allowed, value))) return false
  const items = own(schema, 'items')
  if (!Array.isArray(value) || !isSchema(items) || !isObject(items)) return true
  return value.every((item: Json) => fits(item, items))
}

function typesOf(schema: SchemaObject): readonly string[] {
  const type = own(schema, 'type')
  const names = Array.isArray(type) ? type : [type]
  return names.filter((name): name is string => typeof name === 'string')
}

function asType(types: readonly string[]): Json {
  const [only, ...others] = types
  return others.length === 0 ? (only ?? []) : types
}

function typeOf(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

function isOfType(value: Json, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type
}

/** A value as one of a type; `undefined` where it does not read as one. */
function asOfType(value: Json, type: string): Json | undefined {
  if (isOfType(value, type)) return value
  if (type === 'string') return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
  if (typeof value !== 'string') return undefined
  if (type === 'boolean') return /^(?:true|false)$/i.test(value) ? /^true$/i.test(value) : undefined
  if (type !== 'integer' && type !== 'number') return undefined
  if (!/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(value)) return undefined
  return isOfType(Number(value), type) ? Number(value) : undefined
}

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
function repairRequired(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
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
function dropUnusedFlag(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
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

/** Names of JSON Schema's types in the loose dialects of function calling; `any` restricts nothing. */
const languages: Readonly<Record<string, readonly string[]>> = {
  string: ['str', 'text', 'char', 'character'],
  integer: ['int', 'long', 'short', 'byte', 'bigint', 'biginteger'],
  number: ['float', 'double', 'decimal', 'bigdecimal'],
  boolean: ['bool'],
  null: ['none', 'nonetype', 'nil'],
  array: [
    ...['list', 'arraylist', 'linkedlist', 'vector', 'tuple', 'set', 'hashset', 'linkedhashset', 'treeset'],
    ...['queue', 'deque', 'stack', 'collection'],
  ],
  object: ['dict', 'dictionary', 'map', 'hashmap', 'hashtable', 'linkedhashmap', 'treemap'],
  any: ['any'],
}

const meanings: ReadonlyMap<string, string> = new Map(
  Object.entries(languages).flatMap(([type, names]) => [type, ...names].map((name) => [name, type] as const)),
)

/** Proposals for types of these languages with several possible meanings. */
const proposals: ReadonlyMap<string, string> = new Map([
  ['date', "{ type: 'string', format: 'date' }"],
  ['time', "{ type: 'string', format: 'time' }"],
  ['datetime', "{ type: 'string', format: 'date-time' }"],
  ['timestamp', "{ type: 'string', format: 'date-time' }` or `{ type: 'integer' }"],
  ['bytes', "{ type: 'string', contentEncoding: 'base64' }"],
  ['url', "{ type: 'string', format: 'uri' }"],
  ['uuid', "{ type: 'string', format: 'uuid' }"],
  ['enum', "{ type: 'string', enum: [...] }"],
  ['function', "{ type: 'string' }"],
  ['object[]', "{ type: 'array', items: { type: 'object' } }"],
])

function isStandardType(name: string): boolean {
  return typeNames.includes(name)
}

/**
 * Returns the meaning of a type name: one of JSON Schema's, `any`, or `undefined` where that would be a guess. Upper and lower
 * case do not count.
 */
export function meaningOfType(name: string): string | undefined {
  return meanings.get(name.toLowerCase())
}

/** Returns code to write in place of a type whose meaning would be a guess; `undefined` if there is none. */
export function proposalForType(name: string): string | undefined {
  const known = proposals.get(name.toLowerCase())
  if (known !== undefined) return known
  const [, outer = '', inner = ''] = /^(\w+)\s*[[<(]\s*(.*?)\s*[\])>]$/.exec(name) ?? []
  const [whole, part] = [meaningOfType(outer), meaningOfType(inner.split(',').at(-1)?.trim() ?? '')]
  if (whole === 'array') return part === undefined ? "{ type: 'array', items: { ... } }" : listOf(part)
  if (whole === 'object') return part === undefined ? "{ type: 'object' }" : mapOf(part)
  const item = /^(\w+)\[\]$/.exec(name)?.[1]
  const itemType = item === undefined ? undefined : meaningOfType(item)
  return itemType === undefined ? undefined : listOf(itemType)
}

function listOf(type: string): string {
  return `{ type: 'array'${type === 'any' ? '' : `, items: { type: '${type}' }`} }`
}

function mapOf(type: string): string {
  return `{ type: 'object'${type === 'any' ? '' : `, additionalProperties: { type: '${type}' }`} }`
}

type Repair = 'TG3030' | 'TG3031' | 'TG3032' | 'TG3033' | 'TG3034'

type Report = (diagnostic: SchemaDiagnostic) => void

const codes: Readonly<Record<'type' | 'default' | 'enum' | 'required' | 'form', Repair>> = {
  type: 'TG3030',
  default: 'TG3031',
  enum: 'TG3032',
  required: 'TG3033',
  form: 'TG3034',
}

interface RepairFacts {
  readonly kind: keyof typeof codes
  readonly keys: readonly string[]
  readonly keyword: string
  /** The old and the new form, e.g. `the type \`dict\` is read as \`object\``. */
  readonly what: string
  readonly next: string
}

/** A repair that means what was written: nobody has to look at it. */
function translated(facts: RepairFacts): SchemaDiagnostic {
  return diagnostic('note', facts)
}

/** A repair that loses or chooses something. */
function repaired(facts: RepairFacts): SchemaDiagnostic {
  return diagnostic('warning', facts)
}

/** A deviation whose repair would be a guess. */
function guess(facts: RepairFacts): SchemaDiagnostic {
  return diagnostic('error', facts)
}

/** A JSON value in a message, cut where it is long. */
function shown(value: Json): string {
  const text = JSON.stringify(value)
  return `\`${text.length > 120 ? `${Array.from(text).slice(0, 120).join('')}...` : text}\``
}

function diagnostic(
  severity: SchemaDiagnostic['severity'],
  { kind, keys, keyword, what, next }: RepairFacts,
): SchemaDiagnostic {
  const message = `${what.slice(0, 1).toUpperCase()}${what.slice(1)}, ${atPointer(pointerOf(keys))}.`
  return { code: codes[kind], severity, message, next, trail: [...keys, keyword] }
}
