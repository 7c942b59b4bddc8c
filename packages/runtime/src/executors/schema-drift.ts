import type { JsonSchema } from '../types/json.js'

const UPPER: ReadonlySet<string> = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'])

/** The keywords whose number bounds a value from one side. */
const UPPER_AND_LOWER: readonly string[] = [
  ...UPPER,
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'],
]

/** Whether two values of a keyword are numbers: in old dialects some were booleans. */
function isBounds(before: unknown, now: unknown): boolean {
  return typeof before === 'number' && typeof now === 'number'
}

/** Whether a bound lets more through than before. */
function looserBound(keyword: string, before: unknown, now: unknown): boolean {
  const grown = Number(now) > Number(before)
  return UPPER.has(keyword) ? grown : !grown
}

/** One place where a schema takes other values than before. */
interface SchemaDrift {
  readonly kind: 'narrowed' | 'widened'
  /** JSON Pointer into the schema. */
  readonly path: string
  readonly message: string
}

/** Two documents and the places that are compared already: schemas may refer to themselves. */
interface Comparison {
  readonly captured: JsonSchema
  readonly live: JsonSchema
  /** As what a field counts that comes or goes together with its being required: both a narrowing and a widening. */
  readonly weightier: SchemaDrift['kind']
  readonly seen: Set<string>
  readonly found: SchemaDrift[]
}

type Fields = Readonly<Record<string, unknown>>

/** The keywords that are compared part by part; of all others a difference is told as it stands. */
const COMPARED: ReadonlySet<string> = new Set([
  ...['$ref', '$defs', 'definitions', 'type', 'enum', 'const', 'required', 'properties', 'additionalProperties'],
  ...['items', 'anyOf', 'oneOf'],
  ...UPPER_AND_LOWER,
])

/**
 * Where a live schema takes less or more than the captured one. Told by structure: of keywords whose values cannot be weighed
 * (a pattern, `allOf`, `not`) any change counts as narrowing, one that appears narrows, one that disappears widens. A new
 * optional property counts as widening, one that is gone as narrowing, whatever else an object may hold.
 *
 * @param weightier the kind that breaks calls: a required property that is new or gone is told once, as this
 */
export function schemaDrift(
  captured: JsonSchema,
  live: JsonSchema,
  weightier: SchemaDrift['kind'],
): readonly SchemaDrift[] {
  const comparison: Comparison = { captured, live, weightier, seen: new Set(), found: [] }
  compare(comparison, captured, live, '')
  return comparison.found
}

function compare(all: Comparison, before: unknown, now: unknown, path: string): void {
  const was = resolved(all.captured, before)
  const is = resolved(all.live, now)
  const place = JSON.stringify([was.at, is.at])
  if (was.at !== undefined && is.at !== undefined) {
    if (all.seen.has(place)) return
    all.seen.add(place)
  }
  if (sameJson(withoutNotes(was.schema), withoutNotes(is.schema)) && was.at === undefined) return
  const tell = (kind: SchemaDrift['kind'], what: string, at = path): void => {
    all.found.push({ kind, path: at, message: what })
  }
  if (was.schema === false || is.schema === false) {
    if (was.schema !== is.schema)
      tell(is.schema === false ? 'narrowed' : 'widened', `takes ${is.schema === false ? 'nothing' : 'something'} now`)
    return
  }
  const [from, to] = [fieldsOf(was.schema), fieldsOf(is.schema)]
  compareKinds(from, to, tell)
  compareValues(from, to, tell)
  compareBounds(from, to, tell)
  compareObjects(all, from, to, path, tell)
  compareVariants(all, from, to, path, tell)
  if (subschemas(from.items) && subschemas(to.items)) compare(all, from.items, to.items, pointer(path, 'items'))
  else comparePresence(from.items, to.items, 'items', tell)
  for (const keyword of new Set([...Object.keys(from), ...Object.keys(to)])) {
    if (!COMPARED.has(keyword)) comparePresence(from[keyword], to[keyword], keyword, tell)
  }
}

type Tell = (kind: SchemaDrift['kind'], what: string, at?: string) => void

function fieldsOf(schema: unknown): Fields {
  const plain = withoutNotes(schema)
  return typeof plain === 'object' && plain !== null ? { ...plain } : {}
}

function comparePresence(before: unknown, now: unknown, keyword: string, tell: Tell): void {
  if (sameJson(before, now)) return
  if (now === undefined) tell('widened', `${keyword} is gone`)
  else tell('narrowed', before === undefined ? `${keyword} is new` : `${keyword} has changed`)
}

function compareKinds(from: Fields, to: Fields, tell: Tell): void {
  const [was, is] = [admittedKinds(from.type), admittedKinds(to.type)]
  const gone = was.filter((kind) => !is.includes(kind))
  const added = is.filter((kind) => !was.includes(kind))
  if (gone.length > 0) tell('narrowed', `takes no ${gone.join(' or ')} any more`)
  if (added.length > 0) tell('widened', `takes ${added.join(' or ')} too`)
}

function compareValues(from: Fields, to: Fields, tell: Tell): void {
  const [was, is] = [listedValues(from), listedValues(to)]
  if (was === undefined || is === undefined) {
    if (is !== undefined) tell('narrowed', 'takes only listed values now')
    if (was !== undefined) tell('widened', 'takes other values than the listed ones')
    return
  }
  const gone = was.filter((value) => !is.includes(value))
  const added = is.filter((value) => !was.includes(value))
  if (gone.length > 0) tell('narrowed', `takes ${gone.join(', ')} no longer`)
  if (added.length > 0) tell('widened', `takes ${added.join(', ')} too`)
}

function compareBounds(from: Fields, to: Fields, tell: Tell): void {
  for (const keyword of UPPER_AND_LOWER) {
    const [was, is] = [from[keyword], to[keyword]]
    if (was === is) continue
    if (!isBounds(was, is)) comparePresence(was, is, keyword, tell)
    else tell(looserBound(keyword, was, is) ? 'widened' : 'narrowed', `${keyword} was ${was} and is ${is}`)
  }
}

function compareObjects(all: Comparison, from: Fields, to: Fields, path: string, tell: Tell): void {
  const [was, is] = [namesOf(from.required), namesOf(to.required)]
  const [before, now] = [fieldsOf(from.properties), fieldsOf(to.properties)]
  const placeOf = (name: string): string => pointer(path, 'properties', name)
  const comes = (name: string): boolean => !Object.hasOwn(before, name) && Object.hasOwn(now, name)
  const goes = (name: string): boolean => Object.hasOwn(before, name) && !Object.hasOwn(now, name)
  for (const name of is.filter((each) => !was.includes(each))) {
    if (comes(name)) tell(all.weightier, `'${name}' is new and required`, placeOf(name))
    else tell('narrowed', `'${name}' is required now`, placeOf(name))
  }
  for (const name of was.filter((each) => !is.includes(each))) {
    if (goes(name)) tell(all.weightier, `'${name}' is gone, which was required`, placeOf(name))
    else tell('widened', `'${name}' may be absent now`, placeOf(name))
  }
  for (const name of Object.keys(before)) {
    if (Object.hasOwn(now, name)) compare(all, before[name], now[name], placeOf(name))
    else if (!was.includes(name) || is.includes(name)) tell('narrowed', `'${name}' is gone`, placeOf(name))
  }
  for (const name of Object.keys(now)) {
    if (comes(name) && (was.includes(name) || !is.includes(name))) tell('widened', `'${name}' is new`, placeOf(name))
  }
  compare(
    all,
    from.additionalProperties ?? true,
    to.additionalProperties ?? true,
    pointer(path, 'additionalProperties'),
  )
}

function namesOf(required: unknown): readonly string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
}

function compareVariants(all: Comparison, from: Fields, to: Fields, path: string, tell: Tell): void {
  for (const keyword of ['anyOf', 'oneOf']) {
    const [was, is] = [from[keyword], to[keyword]]
    if (!Array.isArray(was) || !Array.isArray(is)) {
      comparePresence(was, is, keyword, tell)
      continue
    }
    const gone = was.filter((variant) => !is.some((other) => sameJson(withoutNotes(variant), withoutNotes(other))))
    const added = is.filter((variant) => !was.some((other) => sameJson(withoutNotes(variant), withoutNotes(other))))
    // As many gone as new: they are taken for the same ones, changed.
    if (gone.length === added.length) {
      for (const [index, variant] of gone.entries()) {
        compare(all, variant, added[index], pointer(path, keyword, String(is.indexOf(added[index]))))
      }
      continue
    }
    if (gone.length > 0) tell('narrowed', `${gone.length} of ${was.length} variants are gone`, pointer(path, keyword))
    if (added.length > 0) tell('widened', `${added.length} variants are new`, pointer(path, keyword))
  }
}

/** The keywords that say nothing about which values are valid. */
const NOTES: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', 'title', 'description', 'default', 'examples', 'example', 'deprecated'],
  ...['readOnly', 'writeOnly'],
])

const KINDS = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'] as const

/** The schema without what is only said about it; its subschemas keep their notes. */
function withoutNotes(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return schema
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !NOTES.has(keyword)))
}

/** A schema behind its references, with the last of them; what refers to nothing known stays as it is. */
function resolved(document: JsonSchema, schema: unknown): { readonly schema: unknown; readonly at?: string } {
  let target = schema
  let at: string | undefined
  // A reference to a reference is rare, a circle of them is a fault of the server.
  for (let step = 0; step < 20; step += 1) {
    const reference = refOf(target)
    if (reference === undefined) break
    at = reference
    target = lookUp(document, reference)
  }
  return { schema: target, ...(at !== undefined && { at }) }
}

function refOf(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null || !('$ref' in schema)) return undefined
  return typeof schema.$ref === 'string' && schema.$ref.startsWith('#') ? schema.$ref : undefined
}

function lookUp(document: unknown, reference: string): unknown {
  const steps = reference
    .slice(1)
    .split('/')
    .slice(1)
    .map((step) => decoded(step).replaceAll('~1', '/').replaceAll('~0', '~'))
  return steps.reduce<unknown>(
    (part, step) =>
      typeof part === 'object' && part !== null && Object.hasOwn(part, step) ? Reflect.get(part, step) : true,
    document,
  )
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    // Not percent-encoded after all.
    return step
  }
}

/** The kinds of JSON values that `type` admits; `number` includes `integer`. */
function admittedKinds(type: unknown): readonly string[] {
  const named: readonly unknown[] = type === undefined ? KINDS : [type].flat()
  return KINDS.filter((kind) => named.includes(kind) || (kind === 'integer' && named.includes('number')))
}

/** The values that `enum` or `const` list, as JSON text; `undefined` where neither does. */
function listedValues(schema: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.map(canonical)
  return Object.hasOwn(schema, 'const') ? [canonical(schema.const)] : undefined
}

/** Whether a keyword holds one schema. */
function subschemas(value: unknown): boolean {
  return typeof value === 'boolean' || (typeof value === 'object' && value !== null && !Array.isArray(value))
}

/** A pointer with further steps. */
function pointer(path: string, ...steps: readonly string[]): string {
  return [path, ...steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/')
}

/** Whether two values are the same JSON, whatever the order of keys. */
export function sameJson(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other)
}

function canonical(value: unknown): string {
  return String(
    JSON.stringify(value, (_, part: unknown) =>
      typeof part === 'object' && part !== null && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
        : part,
    ),
  )
}
