import type { Json, OpenApiSource } from './types.js'

/** Text, empty or not. */
export const isText: FieldCheck = (value, where) => {
  if (typeof value !== 'string') throw fault(where, `expected text, got ${kindOf(value)}`, 'Write a string')
}

/** Text that names something. */
export const isName: FieldCheck = (value, where) => {
  isText(value, where)
  if (value === '') throw fault(where, 'is empty', 'Give it a name')
}

/** Text that a model reads. */
export const isMessage: FieldCheck = (value, where) => {
  isText(value, where)
  if (String(value).trim() === '') throw fault(where, 'is empty', 'Write what the model is told, or leave it out')
}

/** True or false. */
export const isFlag: FieldCheck = (value, where) => {
  if (typeof value !== 'boolean') throw fault(where, `expected true or false, got ${kindOf(value)}`, 'Write a boolean')
}

/** A count or an amount: finite, zero or more. */
export const isAmount: FieldCheck = (value, where) => {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
    const got = typeof value === 'number' ? String(value) : kindOf(value)
    throw fault(where, `expected a number that is zero or more, got ${got}`, 'Leave it out for no limit')
  }
}

/** An integer between two others, which are allowed too. */
export function isWholeNumber(least: number, greatest: number): FieldCheck {
  return (value, where) => {
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= greatest) return
    const got = typeof value === 'number' ? String(value) : kindOf(value)
    const name = where.split(': ').at(-1)
    const next = 'Correct the value, or leave it out'
    throw fault(where, `\`${name}\` is ${got}; expected an integer from ${least} to ${greatest}`, next)
  }
}

/** A schema library's schema or a plain JSON Schema value; which of them it is, the generator finds out. */
export const isSchema: FieldCheck = (value, where) => {
  // Some libraries' schemas are functions.
  if ((typeof value === 'object' && value !== null && !Array.isArray(value)) || typeof value === 'function') return
  if (typeof value === 'boolean') return
  const next = 'Pass a schema, e.g. z.object({ ... }), or a JSON Schema value'
  throw fault(where, `expected a schema, got ${kindOf(value)}`, next)
}

/** One of a closed set of texts. */
export function isOneOf(allowed: readonly string[]): FieldCheck {
  return (value, where) => {
    if (typeof value === 'string' && allowed.includes(value)) return
    const got = typeof value === 'string' ? quoted(value) : kindOf(value)
    const near = typeof value === 'string' ? nearestName(value, allowed) : undefined
    const next = near === undefined ? `Write one of ${allowed.join(', ')}` : `Did you mean ${quoted(near)}?`
    throw fault(where, `got ${got}`, next)
  }
}

/** A list whose items pass a check. */
export function isListOf(item: FieldCheck): FieldCheck {
  return (value, where) => {
    if (!Array.isArray(value)) throw fault(where, `expected a list, got ${kindOf(value)}`, 'Write [ ... ]')
    // By index, because forEach skips holes.
    for (let index = 0; index < value.length; index += 1) item(value[index], `${where}[${index}]`)
  }
}

/** An object with known properties. */
export function hasFields(checks: FieldChecks): FieldCheck {
  return (value, where) => {
    if (typeof value !== 'object' || value === null) {
      throw fault(where, `expected an object, got ${kindOf(value)}`, 'Write { ... }')
    }
    checkedFields(value, checks, where)
  }
}

/** An object with names that users choose, whose values pass a check. */
export function isDictionaryOf(item: FieldCheck): FieldCheck {
  return (value, where) => {
    if (typeof value !== 'object' || value === null) {
      throw fault(where, `expected an object, got ${kindOf(value)}`, 'Write { name: ... }')
    }
    const entries = plainCopy(value, where)
    for (const name of Object.keys(entries)) item(Reflect.get(entries, name), `${where}[${quoted(name)}]`)
  }
}

/** A value made by one of this package's functions, e.g. a `tool` by `defineTool`. */
export function isMade(kind: 'tool' | 'toolset' | 'client' | 'use', next: string): FieldCheck {
  return (value, where) => {
    if (!isOfKind(value, kind)) throw fault(where, `expected a ${kind}, got ${kindOf(value)}`, next)
  }
}

/** Whether a value carries the mark of a kind. */
export function isOfKind(value: unknown, kind: string): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.hasOwn(value, '~toolgen') &&
    Reflect.get(value, '~toolgen') === kind
  )
}

/** Looked at elsewhere. */
export const isAnything: FieldCheck = () => {}

/** The error for input that the types forbid: where, what, and what to do next. */
export function fault(where: string, what: string, next: string): TypeError {
  return new TypeError(`${where}: ${what}. ${next}${next.endsWith('?') ? '' : '.'}`)
}

/** What a value is, for messages: `a string`, `null`, `an array`, `a toolset`. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  const kind: unknown = Object.hasOwn(value, '~toolgen') ? Reflect.get(value, '~toolgen') : undefined
  if (typeof kind === 'string') return /^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`
  return isPlain(value) ? 'an object' : 'an object that is not plain'
}

/** True for `{ ... }` and for objects without a prototype, also when they come from another realm. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return true
  return (
    typeof prototype === 'object' &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'hasOwnProperty')
  )
}

/** A name as messages quote it: control characters escaped, long text cut. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 79)}…` : name)
}

/** Looks at one property and throws a TypeError when it is evidently wrong. */
export type FieldCheck = (value: unknown, where: string) => void

/** The checks of a definition's properties, by name; `required` ones must be there. */
export interface FieldChecks {
  readonly required: Readonly<Record<string, FieldCheck>>
  readonly optional: Readonly<Record<string, FieldCheck>>
}

/**
 * A copy of a definition without the properties that are `undefined`, after making sure that it is a plain object with
 * known properties of the right kind. Throws a TypeError otherwise.
 */
export function checkedFields<Definition extends object>(
  definition: Definition,
  checks: FieldChecks,
  where: string,
): Definition {
  const fields = plainCopy(definition, where)
  const known = [...Object.keys(checks.required), ...Object.keys(checks.optional)]
  for (const name of Object.keys(fields)) {
    if (known.includes(name)) continue
    const near = nearestName(name, known)
    const next = near === undefined ? `Known properties are ${known.join(', ')}` : `Did you mean ${quoted(near)}?`
    throw fault(where, `unknown property ${quoted(name)}`, next)
  }
  for (const [name, check] of Object.entries(checks.required)) {
    if (!Object.hasOwn(fields, name)) throw fault(where, `${quoted(name)} is missing`, 'Add it to the definition')
    check(Reflect.get(fields, name), `${where}: ${name}`)
  }
  for (const [name, check] of Object.entries(checks.optional)) {
    if (Object.hasOwn(fields, name)) check(Reflect.get(fields, name), `${where}: ${name}`)
  }
  return fields
}

/** A copy of a plain object without the properties that are `undefined`. Throws a TypeError for anything else. */
export function plainCopy<Fields extends object>(fields: Fields, where: string): Fields {
  if (!isPlain(fields)) {
    const next = "Write a plain object; a name such as __proto__ needs brackets and quotes: ['__proto__']"
    throw fault(where, `expected a plain object, got ${kindOf(fields)}`, next)
  }
  const [symbol] = Object.getOwnPropertySymbols(fields)
  if (symbol !== undefined) throw fault(where, `has a symbol as a property name, ${String(symbol)}`, 'Names are text')
  const copy = { ...fields }
  for (const name of Object.keys(copy)) {
    if (Reflect.get(copy, name) === undefined) Reflect.deleteProperty(copy, name)
  }
  return copy
}

/**
 * A frozen copy without a prototype of an object whose names users choose, so that no name is special. Properties that
 * are `undefined` count as absent.
 */
export function frozenDictionary<Fields extends object>(fields: Fields, where: string): Readonly<Fields> {
  const copy = plainCopy(fields, where)
  Object.setPrototypeOf(copy, null)
  return Object.freeze(copy)
}

/** {@link frozenDictionary} of names, of which some may be `undefined`. */
export function frozenNames(
  names: Readonly<Record<string, string | undefined>>,
  where: string,
): Readonly<Record<string, string>> {
  const given = Object.entries(names).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return frozenDictionary(Object.fromEntries(given), where)
}

const deepest = 1_000

/** Values that JSON can carry, with typed values among them. */
type Plain<Typed> =
  | string
  | number
  | boolean
  | null
  | Typed
  | readonly Plain<Typed>[]
  | { readonly [key: string]: Plain<Typed> }

/** Values that travel as text and have a type in code. */
type Typed = Date | bigint | Uint8Array

/** What copying a value needs besides the value. */
interface Copying<Typed> {
  /** A copy of a typed value; `undefined` for every value that is none. */
  readonly typed: (value: unknown) => Typed | undefined
  /** What may be written. */
  readonly allowed: string
  /** Finished copies, and `undefined` for the values that are being copied. */
  readonly copies: Map<object, Plain<Typed> | undefined>
}

/**
 * A deeply frozen copy of a JSON value; the caller's own value stays as it is. A property that is `undefined` counts as
 * absent. Throws for what JSON cannot carry.
 */
export function frozenJson(value: unknown, where: string): Json {
  return copy<never>(value, where, 0, { typed: () => undefined, allowed: 'plain objects', copies: new Map() })
}

/**
 * A deeply frozen copy of an example, which may hold dates, bigints and bytes too. Of those dates and bytes the engine
 * can freeze none, so that they are copies that only the definition has.
 */
export function frozenExample(value: unknown, where: string): Plain<Typed> {
  return copy(value, where, 0, {
    typed: copyTyped,
    allowed: 'plain objects; dates, bigints and bytes (Uint8Array) where the schema has them',
    copies: new Map(),
  })
}

function copyTyped(value: unknown): Typed | undefined {
  if (typeof value === 'bigint') return value
  if (value instanceof Date) return new Date(value)
  return value instanceof Uint8Array ? new Uint8Array(value) : undefined
}

function copy<Typed>(value: unknown, where: string, depth: number, copying: Copying<Typed>): Plain<Typed> {
  const { copies } = copying
  const typed = copying.typed(value)
  if (typed !== undefined) return typed
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw fault(where, `is ${value}`, 'JSON has finite numbers only')
  }
  if (!Array.isArray(value) && !isPlain(value)) {
    const next = `Write it as JSON: text, numbers, booleans, null, lists and ${copying.allowed}`
    throw fault(where, `is ${kindOf(value)}`, next)
  }
  if (copies.has(value)) {
    const finished = copies.get(value)
    if (finished === undefined) throw fault(where, 'contains itself', 'JSON has no cycles')
    return finished
  }
  if (depth === deepest) throw fault(where, `is nested deeper than ${deepest} levels`, 'Use a flatter value')
  copies.set(value, undefined)
  const frozen = Object.freeze(
    Array.isArray(value)
      ? Array.from(value, (item: unknown, index) => copy(item, `${where}[${index}]`, depth + 1, copying))
      : copyFields(value, where, depth, copying),
  )
  copies.set(value, frozen)
  return frozen
}

function copyFields<Typed>(
  value: object,
  where: string,
  depth: number,
  copying: Copying<Typed>,
): Record<string, Plain<Typed>> {
  const fields: [string, Plain<Typed>][] = []
  for (const name of Object.keys(value)) {
    const item: unknown = Reflect.get(value, name)
    if (item !== undefined) fields.push([name, copy(item, `${where}[${quoted(name)}]`, depth + 1, copying)])
  }
  // Defines own properties, also for a name such as `__proto__`.
  return Object.fromEntries(fields)
}

const metaFields: readonly string[] = ['runId', 'sessionId', 'turnId', 'toolCallId', 'parentToolCallId']

/** A field of the call's meta: one of the fixed ones, or `labels.` and a name. */
export const isMetaField: FieldCheck = (value, where) => {
  if (typeof value === 'string' && (metaFields.includes(value) || /^labels\../su.test(value))) return
  const near = typeof value === 'string' ? nearestName(value, metaFields) : undefined
  const next =
    near === undefined ? `Write one of ${metaFields.join(', ')} or labels.<name>` : `Did you mean ${quoted(near)}?`
  const got = typeof value === 'string' ? quoted(value) : kindOf(value)
  throw fault(where, `${got} is not a field of the call's meta`, next)
}

/** The candidate that differs least from what was written, where it differs little enough to be meant. */
export function nearestName(written: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(written.length / 3))
  let nearest: string | undefined
  let least = limit + 1
  for (const candidate of candidates) {
    // The lengths alone tell when a name is too far away, so that a huge name costs nothing.
    if (Math.abs(candidate.length - written.length) > limit) continue
    const distance = editDistance(written.toLowerCase(), candidate.toLowerCase())
    if (distance < least) {
      least = distance
      nearest = candidate
    }
  }
  return nearest
}

/** Levenshtein distance, in UTF-16 units. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[to.length] ?? from.length
}

const isStyle = isOneOf(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject'])

/** Checks fields, of which `in` and `name` (default: `field`) say where requests carry a value. */
function isSendable(fields: FieldCheck): FieldCheck {
  return (value, where) => {
    fields(value, where)
    const { in: place, field, name = field } = value as Readonly<Record<string, unknown>>
    if (place !== 'header' && place !== 'cookie') return
    if (typeof name !== 'string' || /^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return
    throw fault(`${where}.name`, `${quoted(name)} is not a valid name of a ${place}`, 'Use letters, digits and "-"')
  }
}

const isParameter = isSendable(
  hasFields({
    required: { field: isName, in: isOneOf(['path', 'query', 'header', 'cookie']) },
    optional: { name: isName, style: isStyle, explode: isFlag, reserved: isFlag, json: isFlag },
  }),
)

const isBody = hasFields({
  required: { type: isName, as: isOneOf(['json', 'form', 'multipart', 'text', 'bytes']) },
  optional: {
    field: isName,
    fields: isListOf(isName),
    names: isDictionaryOf(isName),
    parts: isDictionaryOf(
      hasFields({ required: {}, optional: { type: isName, style: isStyle, explode: isFlag, bytes: isFlag } }),
    ),
    required: isFlag,
  },
})

const isOperation = hasFields({
  required: { method: isName, path: isName },
  optional: {
    server: isName,
    parameters: isListOf(isParameter),
    body: isBody,
    answers: isDictionaryOf(isOneOf(['json', 'text', 'bytes', 'none'])),
    security: isListOf(isListOf(isName)),
  },
})

/** What a toolset says of its HTTP API. */
export const isOpenApiSource: FieldCheck = hasFields({
  required: { operations: isDictionaryOf(isOperation) },
  optional: {
    server: isName,
    security: isDictionaryOf(
      isSendable(
        hasFields({
          required: { type: isOneOf(['apiKey', 'bearer', 'basic']) },
          optional: { in: isOneOf(['query', 'header', 'cookie']), name: isName },
        }),
      ),
    ),
  },
})

/** Every tool has an operation, and every operation is one of a tool. */
export function requireOperations({ operations }: OpenApiSource, tools: readonly string[], where: string): void {
  const known = Object.keys(operations)
  const lacking = tools.find((tool) => !known.includes(tool))
  const foreign = known.find((tool) => !tools.includes(tool))
  if (lacking !== undefined) {
    throw fault(`${where}.operations`, `has no operation for ${quoted(lacking)}`, 'Add one: { method, path }')
  }
  if (foreign !== undefined) {
    throw fault(`${where}.operations`, `names ${quoted(foreign)}, which is no tool of the toolset`, 'Remove it')
  }
}

const isReason: FieldCheck = (value, where) => {
  isText(value, where)
  if (String(value).trim() === '') throw fault(where, 'is empty', 'Say why the rule does not count here')
}

/** Rules of `toolgen lint` that do not count for a definition, each with the reason. Which rules there are, lint knows. */
export const isSilencedRules: FieldCheck = isDictionaryOf(isReason)
