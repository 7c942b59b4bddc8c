/**
 * Returns the value or a frozen copy. Throws a `TypeError` for an invalid value. The error message begins with `at`, the location of the value in the
 * definition.
 */
export type Check<T = unknown> = (value: unknown, at: string) => T

type Checks = Readonly<Record<string, Check>>

export function invalid(at: string, what: string, next: string): TypeError {
  return new TypeError(`${at}: ${what}. ${next}${next.endsWith('?') ? '' : '.'}`)
}

export const string: Check<string> = (value, at) => {
  if (typeof value !== 'string') throw invalid(at, `expected a string, got ${kindOf(value)}`, 'Write a string')
  return value
}

export const name: Check<string> = (value, at) => {
  if (string(value, at) === '') throw invalid(at, 'is empty', 'Write a name')
  return String(value)
}

export function textOr(next: string): Check<string> {
  return (value, at) => {
    if (string(value, at).trim() === '') throw invalid(at, 'is empty', next)
    return String(value)
  }
}

export const boolean: Check<boolean> = (value, at) => {
  if (typeof value === 'boolean') return value
  throw invalid(at, `expected a boolean, got ${kindOf(value)}`, 'Write true or false')
}

export const amount: Check<number> = (value, at) => {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value
  const got = typeof value === 'number' ? String(value) : kindOf(value)
  throw invalid(at, `expected a number of at least 0, got ${got}`, 'Omit the field to use its default')
}

export function integer(min: number, max: number): Check {
  return (value, at) => {
    if (Number.isInteger(value) && Number(value) >= min && Number(value) <= max) return value
    const got = typeof value === 'number' ? String(value) : kindOf(value)
    const what = `\`${at.split(': ').at(-1)}\` is ${got}; expected an integer from ${min} to ${max}`
    throw invalid(at, what, 'Correct or omit the value')
  }
}

/** Accepts any object, function or boolean, because the generator later reads the schema and reports invalid schemas. */
export const schema: Check = (value, at) => {
  // Schemas of some libraries are functions.
  if ((typeof value === 'object' && value !== null && !Array.isArray(value)) || typeof value === 'function')
    return value
  if (typeof value === 'boolean') return value
  const next = 'Pass a schema, for example z.object({ ... }), or a JSON Schema'
  throw invalid(at, `expected a schema, got ${kindOf(value)}`, next)
}

export function oneOf(allowed: readonly string[]): Check {
  return (value, at) => {
    if (typeof value !== 'string') throw invalid(at, `got ${kindOf(value)}`, `Write one of ${allowed.join(', ')}`)
    if (allowed.includes(value)) return value
    throw invalid(at, `got ${quoted(value)}`, proposal(value, allowed) ?? `Write one of ${allowed.join(', ')}`)
  }
}

export function labels(allowed: readonly string[]): Check {
  const all = array(oneOf(allowed))
  const one = oneOf(allowed)
  return (value, at) => {
    if (!Array.isArray(value)) return Object.freeze([one(value, at)])
    all(value, at)
    return Object.freeze([...new Set<string>(value)].sort())
  }
}

export function array(item: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) throw invalid(at, `expected an array, got ${kindOf(value)}`, 'Write [ ... ]')
    // `Array.from` also visits missing items, unlike `map`.
    return Object.freeze(Array.from(value, (one, index) => item(one, `${at}[${index}]`)))
  }
}

export function object<T = object>(required: Checks, optional: Checks = {}): Check<T> {
  const fields = definition<T>(required, optional)
  return (value, at) => {
    if (typeof value === 'object' && value !== null) return fields(value, at)
    const properties = Object.keys(required).map((key) => `${key}: ...`)
    throw invalid(at, `expected an object, got ${kindOf(value)}`, `Write { ${properties.join(', ') || '...'} }`)
  }
}

/** For the argument of a function such as `defineTool`, which error messages call a definition. */
export function definition<T>(required: Checks, optional: Checks = {}): Check<T> {
  const checks = { ...required, ...optional }
  const known = Object.keys(checks)
  return (value, at) => {
    const fields = definedEntries(value, at)
    for (const [key] of fields) {
      if (known.includes(key)) continue
      const next = proposal(key, known) ?? `Use one of ${known.join(', ')}`
      throw invalid(at, `unknown property ${quoted(key)}`, next)
    }
    const values = new Map(fields)
    for (const key of Object.keys(required)) {
      if (!values.has(key)) throw invalid(at, `${quoted(key)} is missing`, 'Add it to the definition')
    }
    const checked = Object.entries(checks).flatMap(([key, check]) =>
      values.has(key) ? [[key, check(values.get(key), `${at}: ${key}`)]] : [],
    )
    // The checks have validated every property. The caller passes checks that match `T`.
    return Object.freeze(Object.fromEntries(checked)) as T
  }
}

/** Returns copies without a prototype, so that `__proto__` is an ordinary property name. */
export function record(item: Check): Check {
  return (value, at) => {
    if (typeof value !== 'object' || value === null) {
      throw invalid(at, `expected an object, got ${kindOf(value)}`, 'Write { name: ... }')
    }
    const entries = definedEntries(value, at).map(([key, one]) => [key, item(one, `${at}[${quoted(key)}]`)])
    return Object.freeze(Object.setPrototypeOf(Object.fromEntries(entries), null))
  }
}

export function made(kind: 'tool' | 'toolset' | 'client' | 'use' | 'snapshot', next: string): Check {
  return (value, at) => {
    if (!isOfKind(value, kind)) throw invalid(at, `expected ${withArticle(kind)}, got ${kindOf(value)}`, next)
    return value
  }
}

export function isOfKind(value: unknown, kind: string): boolean {
  return markOf(value) === kind
}

function markOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, '~toolgen')
    ? Reflect.get(value, '~toolgen')
    : undefined
}

function withArticle(kind: string): string {
  if (kind === 'use') return 'a toolset with a provider'
  if (kind === 'client') return 'a service client'
  return /^[aeio]/.test(kind) ? `an ${kind}` : `a ${kind}`
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value !== 'object') return `a ${typeof value}`
  const kind = markOf(value)
  if (typeof kind === 'string') return withArticle(kind)
  return isPlain(value) ? 'an object' : 'an instance of a class'
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return true
  return (
    typeof prototype === 'object' &&
    Object.getPrototypeOf(prototype) === null &&
    Object.hasOwn(prototype, 'hasOwnProperty')
  )
}

function definedEntries(value: unknown, at: string): readonly (readonly [name: string, value: unknown])[] {
  if (typeof value !== 'object' || value === null || !isPlain(value)) {
    const next = "Write a plain object; a name such as __proto__ needs brackets and quotes: ['__proto__']"
    throw invalid(at, `expected a plain object, got ${kindOf(value)}`, next)
  }
  const [symbol] = Object.getOwnPropertySymbols(value)
  if (symbol !== undefined)
    throw invalid(at, `has a symbol as a property name, ${String(symbol)}`, 'Use strings as names')
  return Object.entries(value).filter(([, one]) => one !== undefined)
}

export function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 79)}…` : name)
}

const maxDepth = 1_000

export const json: Check = (value, at) => copyJson(value, at, { typed: false, depth: 0, copies: new Map() })

/** Dates and bytes in the copy are not frozen. */
export const example: Check = (value, at) => copyJson(value, at, { typed: true, depth: 0, copies: new Map() })

interface Copying {
  readonly typed: boolean
  readonly depth: number
  /** `undefined` until the copy is complete: a second visit before this moment means that the original contains a cycle. */
  readonly copies: Map<object, unknown>
}

function copyJson(value: unknown, at: string, { typed, depth, copies }: Copying): unknown {
  if (typed) {
    if (typeof value === 'bigint') return value
    if (value instanceof Date) return new Date(value)
    if (value instanceof Uint8Array) return new Uint8Array(value)
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value
    throw invalid(at, `is ${value}`, 'Use a finite number')
  }
  if (typeof value !== 'object' || !(Array.isArray(value) || isPlain(value))) {
    const more = typed ? '; dates, bigints and bytes (Uint8Array) if the schema has them' : ''
    const next = `Use JSON: strings, numbers, booleans, null, arrays and plain objects${more}`
    throw invalid(at, `is ${kindOf(value)}`, next)
  }
  if (copies.has(value)) {
    const finished = copies.get(value)
    if (finished === undefined) throw invalid(at, 'contains itself', 'Remove the cycle')
    return finished
  }
  if (depth === maxDepth) throw invalid(at, `is nested deeper than ${maxDepth} levels`, 'Use a flatter value')
  copies.set(value, undefined)
  const copying = { typed, depth: depth + 1, copies }
  const copy = Array.isArray(value)
    ? Array.from(value, (item, index) => copyJson(item, `${at}[${index}]`, copying))
    : Object.fromEntries(
        Object.entries(value)
          .filter(([, item]) => item !== undefined)
          .map(([key, item]) => [key, copyJson(item, `${at}[${quoted(key)}]`, copying)]),
      )
  copies.set(value, Object.freeze(copy))
  return copy
}

const metaFields: readonly string[] = [
  'runId',
  'sessionId',
  'turnId',
  'toolCallId',
  'parentToolCallId',
  'idempotencyKey',
]

/** Minimum of `maxResult` for each unit. The runtime has the same minimums. */
const leastResult: Readonly<Record<string, number>> = { tokens: 200, bytes: 500, items: 1 }

export const maxResult: Check = (value, at) => {
  const next = 'Write one of { tokens: 2000 }, { bytes: 8000 } and { items: 20 }'
  if (typeof value !== 'object' || value === null) throw invalid(at, `expected an object, got ${kindOf(value)}`, next)
  const units = definedEntries(value, at).map(([unit]) => unit)
  const [unit] = units
  if (unit === undefined) throw invalid(at, 'has no unit', next)
  const checks = Object.entries(leastResult).map(([name, least]) => [name, integer(least, 1_000_000_000)])
  const checked = definition<object>({}, Object.fromEntries(checks))(value, at)
  if (units.length > 1) throw invalid(at, `has ${units.length} units: ${units.join(', ')}`, 'Keep one of them')
  return checked
}

const audiences: readonly string[] = ['model', 'events', 'telemetry', 'recording']

const treatment: Check = oneOf(['pseudonym', 'omit'])

export const sensitivePaths: Check = (value, at) => {
  const checked = record((field, where) =>
    Array.isArray(field)
      ? array(oneOf(audiences))(field, where)
      : object({}, Object.fromEntries(audiences.map((each) => [each, treatment])))(field, where),
  )(value, at)
  for (const [path, field] of Object.entries<object>(Object(checked))) {
    if (Object.keys(field).length === 0)
      throw invalid(`${at}[${quoted(path)}]`, 'names no audience', `Write e.g. ['events', 'telemetry', 'recording']`)
    if (path !== '' && !path.startsWith('/'))
      throw invalid(at, `${quoted(path)} is not a path`, `Write a JSON Pointer, such as ${quoted(`/${path}`)}`)
  }
  return checked
}

export const metaField: Check = (value, at) => {
  if (typeof value === 'string' && (metaFields.includes(value) || /^labels\../su.test(value))) return value
  const list = `Write one of ${metaFields.join(', ')} or labels.<name>`
  const [got, next] = typeof value === 'string' ? [quoted(value), proposal(value, metaFields)] : [kindOf(value)]
  throw invalid(at, `${got} is not a field of the call's metadata`, next ?? list)
}

/** Does not validate the ids of the rules, because `toolgen lint` validates them. */
export const silencedRules: Check = record(textOr('Write the reason why the rule is ignored here'))

function proposal(written: string, known: readonly string[]): string | undefined {
  const near = nearestName(written, known)
  return near === undefined ? undefined : `Did you mean ${quoted(near)}?`
}

export function nearestName(written: string, candidates: readonly string[]): string | undefined {
  let limit = Math.max(1, Math.floor(written.length / 3))
  let nearest: string | undefined
  for (const candidate of candidates) {
    // Compares the lengths first, because the edit distance of very long names takes long to compute.
    if (Math.abs(candidate.length - written.length) > limit) continue
    const distance = editDistance(written.toLowerCase(), candidate.toLowerCase())
    if (distance > limit) continue
    nearest = candidate
    limit = distance - 1
  }
  return nearest
}

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
