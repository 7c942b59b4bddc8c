import { compilePattern, deepEqual, type Pattern, UnsupportedPatternError } from '@toolgen/runtime/schema'
import { type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { type Defs, type Flat, flatten, type Spot, schemaAt, schemaMap, type Union } from './flatten.js'

/** The kinds of JSON values; numbers are told apart by whether they are whole. */
export type JsonType = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object'

const every: readonly JsonType[] = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object']

/** The kind of a value. */
export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  if (typeof value === 'string') return 'string'
  return typeof value === 'boolean' ? 'boolean' : 'object'
}

/** The kinds of the values that fit `type`, `const` and `enum` of all the schemas. */
export function typesOf(plain: readonly SchemaObject[]): readonly JsonType[] {
  return plain.reduce<readonly JsonType[]>((left, schema) => {
    const types = known.get(schema) ?? ownTypes(schema)
    known.set(schema, types)
    return left === every ? types : left.filter((type) => types.includes(type))
  }, every)
}

/** What was read of schemas: every value that is made or tried asks for it. */
const known = new WeakMap<SchemaObject, readonly JsonType[]>()

function ownTypes(schema: SchemaObject): readonly JsonType[] {
  const named = own(schema, 'type')
  const allowed = named === undefined ? every : [named].flat().flatMap(typesNamed)
  const values = own(schema, 'enum')
  const listed = Array.isArray(values) ? values.map((value: Json) => jsonTypeOf(value)) : every
  const only = Object.hasOwn(schema, 'const') ? [jsonTypeOf(own(schema, 'const') ?? null)] : every
  return every.filter((type) => [allowed, listed, only].every((types) => types.includes(type)))
}

/** Kinds in the words of `type`. */
export function typeNames(types: readonly JsonType[]): readonly string[] {
  const hasFractions = types.includes('fraction')
  return types.flatMap((type) => {
    if (type === 'integer') return hasFractions ? [] : ['integer']
    return type === 'fraction' ? ['number'] : [type]
  })
}

function typesNamed(name: Json): readonly JsonType[] {
  if (name === 'number') return ['integer', 'fraction']
  return every.filter((type) => type === name && type !== 'fraction')
}

const compiledPatterns = new Map<string, Pattern | undefined>()

/** Whether a pattern matches a string; `undefined` for a pattern that codecs cannot match. */
export function knownMatch(pattern: string, text: string): boolean | undefined {
  if (!compiledPatterns.has(pattern)) compiledPatterns.set(pattern, compiled(pattern))
  return compiledPatterns.get(pattern)?.test(text)
}

function compiled(pattern: string): Pattern | undefined {
  try {
    return compilePattern(pattern)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnsupportedPatternError) return undefined
    throw error
  }
}

/** Values that fit one variant of each union, with what else may be said of them. */
export interface Taken extends Pick<Case, 'plain' | 'excluded'>, Pick<Spot, 'maybe' | 'instead'> {}

/** What of a schema refuses values that another one takes. */
export type Aspect =
  | 'type'
  | 'enum'
  | 'variant'
  | 'required'
  | 'field'
  | 'unknown-fields'
  | 'range'
  | 'length'
  | 'pattern'
  | 'format'
  | 'js-type'
  | 'rule'

/** Why it could not be ruled out that a schema refuses values that another one takes; which, `witness/` looks for. */
export interface Refusal {
  readonly aspect: Aspect
  /** JSON Pointer into the schemas, with references followed. */
  readonly pointer: string
  /** What the schema says whose values are taken; absent where it says nothing. */
  readonly taken: Json | undefined
  /** What the schema says that is to take them. */
  readonly taker: Json | undefined
}

/** The same refusals, seen from further outside. */
export function below(step: string, refusals: readonly Refusal[]): readonly Refusal[] {
  return step === '' ? refusals : refusals.map((refusal) => ({ ...refusal, pointer: step + refusal.pointer }))
}

/** A refusal of everything at a spot. */
export function whole(aspect: Aspect, taken: Json, taker: Json): Refusal {
  return { aspect, pointer: '', taken, taker }
}

/** Nobody knows, since it would take too long to find out. */
export const tooMuch: Refusal = {
  aspect: 'rule',
  pointer: '',
  taken: undefined,
  taker: 'too much to compare',
}

/** Refusals without those that are there twice: the same part may be met by way of several variants. */
export function distinct(found: readonly Refusal[]): readonly Refusal[] {
  if (found.length < 2) return found
  return [...new Map(found.map((refusal) => [JSON.stringify(refusal), refusal])).values()]
}

/** Values that fit one variant of every union that applies to them. */
export interface Case {
  readonly plain: readonly SchemaObject[]
  /** Schemas that the values do not fit. */
  readonly excluded: readonly Schema[]
  /** Variants that they may fit besides. */
  readonly others: readonly Schema[]
  /** Where the variants stand. */
  readonly pointer: string
}

/** Unions with more combinations of variants are not taken apart. */
const most = 2000

/** Takes unions apart: every value fits one of the cases at least. */
export function casesOf(flat: Flat, defs: Defs): readonly Case[] {
  const base: Case = { plain: flat.plain, excluded: excludedBy(flat.plain), others: [], pointer: '' }
  const cases = expand(base, flat.unions, defs)
  return cases ?? [{ ...base, others: flat.unions.flatMap(({ variants }) => variants) }]
}

function expand(base: Case, unions: readonly Union[], defs: Defs): readonly Case[] | undefined {
  const [union, ...rest] = unions
  if (union === undefined) return [base]
  const cases: Case[] = []
  for (const [index, variant] of union.variants.entries()) {
    const flat = flatten([variant], defs)
    if (flat === undefined) continue
    const others = union.variants.filter((_, other) => other !== index)
    const chosen: Case = {
      plain: [...base.plain, ...flat.plain.filter((schema) => !base.plain.includes(schema))],
      excluded: [
        ...base.excluded,
        ...excludedBy(flat.plain),
        // Each fits one variant of `oneOf` alone.
        ...(union.keyword === 'oneOf' ? others : []),
      ],
      others: union.keyword === 'anyOf' ? [...base.others, ...others] : base.others,
      pointer: `${base.pointer}/${union.keyword}/${index}`,
    }
    const inner = expand(chosen, [...flat.unions, ...rest], defs)
    if (inner === undefined || cases.length + inner.length > most) return undefined
    cases.push(...inner)
  }
  return cases
}

function excludedBy(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) => {
    const excluded = schemaAt(schema, 'not')
    return excluded === undefined ? [] : [excluded]
  })
}

/** The schemas that apply to some of the values of others, at the same place: those of conditions and dependencies. */
export function conditionalParts(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) => [
    ...['if', 'then', 'else'].flatMap((keyword): readonly Schema[] => {
      const part = schemaAt(schema, keyword)
      return part === undefined ? [] : [part]
    }),
    ...schemaMap(schema, 'dependentSchemas').map(([, part]) => part),
  ])
}

/** The values of which each is listed by all of the schemas that list values; `undefined` where there is no end of them. */
export function finiteValues(plain: readonly SchemaObject[], types: readonly JsonType[]): readonly Json[] | undefined {
  const lists = plain.flatMap(listedBy)
  const [first, ...others] = lists
  if (first !== undefined) {
    return first.filter(
      (value) =>
        types.includes(jsonTypeOf(value)) && others.every((list) => list.some((other) => deepEqual(other, value))),
    )
  }
  if (!types.every((type) => type === 'null' || type === 'boolean')) return undefined
  return types.flatMap((type): readonly Json[] => (type === 'null' ? [null] : [true, false]))
}

/** The values that a schema lists, each keyword by itself. */
export function listedBy(schema: SchemaObject): readonly (readonly Json[])[] {
  const values = own(schema, 'enum')
  const only = own(schema, 'const')
  return [...(Array.isArray(values) ? [values] : []), ...(only === undefined ? [] : [[only]])]
}

/** The first list of values among the schemas. */
export function firstList(plain: readonly SchemaObject[]): readonly Json[] | undefined {
  return plain.flatMap(listedBy)[0]
}
