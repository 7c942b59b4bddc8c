import { compilePattern, deepEqual, UnsupportedPatternError } from '@toolgen/runtime/schema'
import { isObject, isSchema, type Json, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { refName } from '../schema/references.js'

export type Defs = Readonly<Record<string, Schema>>

export interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly variants: readonly Schema[]
}

/** Schemas that apply together, without references and `allOf`. */
export interface FlatSchema {
  /** Of each schema, only the keywords count that hold no schemas for the same value. */
  readonly plain: readonly SchemaObject[]
  readonly unions: readonly Union[]
}

/** Flattens schemas that apply together: follows references and `allOf`. Returns `undefined` if no value fits. */
export function flatten(schemas: readonly Schema[], defs: Defs): FlatSchema | undefined {
  const plain: SchemaObject[] = []
  const unions: Union[] = []
  const visit = (schema: Schema): boolean => {
    if (typeof schema === 'boolean') return schema
    if (plain.includes(schema)) return true
    plain.push(schema)
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const variants = schemasAt(schema, keyword)
      if (variants !== undefined) unions.push({ keyword, variants })
    }
    const name = refName(own(schema, '$ref'))
    const target = name === undefined ? undefined : own(defs, name)
    return (target === undefined || visit(target)) && (schemasAt(schema, 'allOf') ?? []).every(visit)
  }
  return schemas.every(visit) ? { plain, unions } : undefined
}

/** Values that fit one variant of every union that applies to them. */
export interface Case {
  readonly plain: readonly SchemaObject[]
  /** Schemas that the values do not fit. */
  readonly excluded: readonly Schema[]
  /** Variants that the values may fit too. */
  readonly others: readonly Schema[]
  readonly pointer: string
}

const maxCases = 2000

/** Divides the values of a schema by the variants of its unions: every value fits at least one case. */
export function casesOf({ plain, unions }: FlatSchema, defs: Defs): readonly Case[] {
  const othersOf = (chosen: Combination['chosen'], keyword: Union['keyword']): readonly Schema[] =>
    chosen
      .filter(({ union }) => union.keyword === keyword)
      .flatMap(({ union, index }) => union.variants.filter((_, other) => other !== index))
  const cases: Case[] = []
  for (const combination of combinationsOf({ plain, chosen: [], steps: [] }, unions, defs)) {
    if (cases.length === maxCases) {
      const others = unions.flatMap(({ variants }) => variants)
      return [{ plain, excluded: schemasOf(plain, 'not'), others, pointer: '' }]
    }
    const { chosen } = combination
    cases.push({
      plain: combination.plain,
      excluded: [...schemasOf(combination.plain, 'not'), ...othersOf(chosen, 'oneOf')],
      others: othersOf(chosen, 'anyOf'),
      pointer: chosen.map(({ union, index }) => `/${union.keyword}/${index}`).join(''),
    })
  }
  return cases
}

/** A step into a schema: to a part of the value, to a variant of a union, or to a rule for the same value. */
export interface Step {
  readonly keyword: string
  /** Field, pattern, or index of the item or variant, for keywords with several parts. */
  readonly name?: string
}

/** A choice of one variant for each union. */
interface Combination {
  readonly plain: readonly SchemaObject[]
  readonly chosen: readonly { readonly union: Union; readonly index: number }[]
  /** Steps that did not choose a variant. */
  readonly steps: readonly Step[]
}

/** Returns the combinations of variants to which the steps of a combination lead. */
export function* combinationsOf(
  base: Combination,
  unions: readonly Union[],
  defs: Defs,
): Generator<Combination, void, undefined> {
  const [union, ...rest] = unions
  if (union === undefined) {
    yield base
    return
  }
  const [step, ...left] = base.steps
  const isChosen = step?.keyword === union.keyword
  for (const [index, variant] of union.variants.entries()) {
    const flat = isChosen && index !== Number(step.name) ? undefined : flatten([variant], defs)
    if (flat === undefined) continue
    const plain = [...base.plain, ...flat.plain.filter((schema) => !base.plain.includes(schema))]
    const chosen = [...base.chosen, { union, index }]
    yield* combinationsOf({ plain, chosen, steps: isChosen ? left : base.steps }, [...flat.unions, ...rest], defs)
  }
}

/** The schemas that apply to one part of a value. Codecs that reject unknown fields accept those of every schema that applies. */
export interface Constraints {
  readonly all: readonly Schema[]
  /** Schemas that apply to some values, such as those of conditions. */
  readonly conditional: readonly Schema[]
  /** Schemas that some values fit too: other variants of a union. */
  readonly alternatives: readonly Schema[]
}

/** Values that fit one case, with the further schemas that may apply to them. */
export interface SourceValues extends Omit<Constraints, 'all'> {
  readonly plain: readonly SchemaObject[]
  readonly excluded: readonly Schema[]
}

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

/** A reason why the target schema may reject values of the source schema. */
export interface Mismatch {
  readonly aspect: Aspect
  /** JSON Pointer into the schemas, with references followed. */
  readonly pointer: string
  /** Part of the source schema; absent if it has none. */
  readonly source: Json | undefined
  readonly target: Json | undefined
}

export function wholeMismatch(aspect: Aspect, source: Json | undefined, target: Json | undefined): Mismatch {
  return { aspect, pointer: '', source, target }
}

/** The mismatch of comparisons that would take too long. */
export const tooComplex: Mismatch = wholeMismatch('rule', undefined, 'too much to compare')

/** Returns the mismatches of a part as those of the value around it. */
export function prefixed(step: string, mismatches: readonly Mismatch[]): readonly Mismatch[] {
  return step === '' ? mismatches : mismatches.map((mismatch) => ({ ...mismatch, pointer: step + mismatch.pointer }))
}

/** Returns the mismatch of a keyword, with its value in both schemas. */
export function keywordMismatch(keyword: string, source: readonly SchemaObject[], target: SchemaObject): Mismatch {
  const value = source.map((schema) => own(schema, keyword)).find((each) => each !== undefined)
  return { aspect: 'rule', pointer: `/${keyword}`, source: value, target: own(target, keyword) }
}

/** The types of JSON values, with integers apart from other numbers. */
export type JsonType = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object'

const jsonTypes: readonly JsonType[] = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object']

export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  if (typeof value === 'string') return 'string'
  return typeof value === 'boolean' ? 'boolean' : 'object'
}

/** The types of schemas: each value that is made or tried needs them. */
const knownTypes = new WeakMap<SchemaObject, readonly JsonType[]>()

/** Returns the types that `type`, `const` and `enum` of all schemas allow. */
export function typesOf(plain: readonly SchemaObject[]): readonly JsonType[] {
  return plain.reduce<readonly JsonType[]>((left, schema) => {
    const types = knownTypes.get(schema) ?? ownTypes(schema)
    knownTypes.set(schema, types)
    return left === jsonTypes ? types : left.filter((type) => types.includes(type))
  }, jsonTypes)
}

function ownTypes(schema: SchemaObject): readonly JsonType[] {
  const names = [own(schema, 'type') ?? ['number', ...jsonTypes]].flat()
  const lists = listedBy(schema).map((list) => list.map(jsonTypeOf))
  return jsonTypes.filter((type) => {
    const isNumber = type === 'fraction' || (type === 'integer' && !names.includes('integer'))
    return names.includes(isNumber ? 'number' : type) && lists.every((types) => types.includes(type))
  })
}

/** Returns types in the words of the keyword `type`. */
export function typeNames(types: readonly JsonType[]): readonly string[] {
  return types
    .filter((type) => type !== 'integer' || !types.includes('fraction'))
    .map((type) => (type === 'fraction' ? 'number' : type))
}

/** Returns the values that all schemas with lists of values allow; `undefined` if the number of values is unlimited. */
export function finiteValues(plain: readonly SchemaObject[], types: readonly JsonType[]): readonly Json[] | undefined {
  const [first, ...others] = plain.flatMap(listedBy)
  if (first !== undefined) {
    return first.filter(
      (value) =>
        types.includes(jsonTypeOf(value)) && others.every((list) => list.some((each) => deepEqual(each, value))),
    )
  }
  if (!types.every((type) => type === 'null' || type === 'boolean')) return undefined
  return types.flatMap((type): readonly Json[] => (type === 'null' ? [null] : [true, false]))
}

/** Returns the values of `enum` and the value of `const`, as a list for each keyword. */
export function listedBy(schema: SchemaObject): readonly (readonly Json[])[] {
  const [values, constant] = [own(schema, 'enum'), own(schema, 'const')]
  return [...(Array.isArray(values) ? [values] : []), ...(constant === undefined ? [] : [[constant]])]
}

export function firstList(plain: readonly SchemaObject[]): readonly Json[] | undefined {
  return plain.flatMap(listedBy)[0]
}

/** Returns the schemas of a keyword; `undefined` for any other value. */
export function schemasAt(schema: SchemaObject, keyword: string): readonly Schema[] | undefined {
  const value = own(schema, keyword)
  return Array.isArray(value) && value.every(isSchema) ? value : undefined
}

export function schemaAt(schema: SchemaObject, keyword: string): Schema | undefined {
  const value = own(schema, keyword)
  return isSchema(value) ? value : undefined
}

/** Returns the schemas that a keyword has in several schemas. */
export function schemasOf(plain: readonly SchemaObject[], keyword: string): readonly Schema[] {
  return plain.map((schema) => schemaAt(schema, keyword)).filter((schema) => schema !== undefined)
}

export function schemaMap(schema: SchemaObject, keyword: string): readonly (readonly [string, Schema])[] {
  const value = own(schema, keyword)
  return Object.entries(isObject(value) ? value : {}).filter((entry): entry is [string, Schema] => isSchema(entry[1]))
}

export function schemaOf(schema: SchemaObject, keyword: string, name: string): Schema | undefined {
  const value = own(schema, keyword)
  return isObject(value) ? schemaAt(value, name) : undefined
}

/** Returns the numbers that a keyword has in several schemas. */
export function numbersOf(plain: readonly SchemaObject[], keyword: string): readonly number[] {
  return plain.map((schema) => own(schema, keyword)).filter((value) => typeof value === 'number')
}

/** Returns the strings that a keyword has in several schemas. */
export function textsOf(plain: readonly SchemaObject[], keyword: string): readonly string[] {
  return plain.map((schema) => own(schema, keyword)).filter((value) => typeof value === 'string')
}

/** Returns the names that a keyword with a list has in several schemas. */
export function namesOf(plain: readonly SchemaObject[], keyword: string): readonly string[] {
  return plain.flatMap((schema) => stringsOf(schema, keyword))
}

/** Returns the patterns for names of fields of several schemas. */
export function fieldPatterns(plain: readonly SchemaObject[]): readonly string[] {
  return plain.flatMap((schema) => schemaMap(schema, 'patternProperties').map(([pattern]) => pattern))
}

/** Returns the schemas of a field in an object to which schemas apply; `false` excludes the field. */
export function schemasOfField(plain: readonly SchemaObject[], name: string): readonly Schema[] {
  return plain.flatMap((schema) => {
    const declared = schemaOf(schema, 'properties', name)
    const matched = schemaMap(schema, 'patternProperties').filter(([pattern]) => matches(pattern, name))
    const found = [...(declared === undefined ? [] : [declared]), ...matched.map(([, part]) => part)]
    return found.length > 0 ? found : schemasOf([schema], 'additionalProperties')
  })
}

/** Returns the schemas of fields that no schema names. */
export function schemasOfOthers(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) => {
    const other = schemaAt(schema, 'additionalProperties') ?? false
    const matched = schemaMap(schema, 'patternProperties').map(([, part]) => part)
    return other === false ? matched : [...matched, other]
  })
}

export function schemasOfItem(plain: readonly SchemaObject[], index: number): readonly Schema[] {
  return plain
    .map((schema) => (schemasAt(schema, 'prefixItems') ?? [])[index] ?? schemaAt(schema, 'items'))
    .filter((schema) => schema !== undefined)
}

export function declaresFields(schema: SchemaObject): boolean {
  return isObject(own(schema, 'properties')) || isObject(own(schema, 'patternProperties'))
}

/** Returns the names that a schema declares or requires. */
export function knownNames(schema: SchemaObject): readonly string[] {
  return [...schemaMap(schema, 'properties').map(([name]) => name), ...stringsOf(schema, 'required')]
}

/** Returns the schemas of conditions and dependencies, which apply to some of the values. */
export function conditionalParts(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) => [
    ...['if', 'then', 'else'].flatMap((keyword) => schemasOf([schema], keyword)),
    ...schemaMap(schema, 'dependentSchemas').map(([, part]) => part),
  ])
}

/** Returns every schema that may apply to a value to which one of some schemas applies. */
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

/** Compiled patterns: the same ones are tried repeatedly. */
const compiledPatterns = new Map<string, ReturnType<typeof compilePattern> | undefined>()

/** Returns whether a string matches a pattern as codecs read it; `true` for a pattern that they cannot match. */
export function matches(pattern: string, text: string): boolean {
  return triedMatch(pattern, text) ?? true
}

/** Returns whether a string matches a pattern; `undefined` for a pattern that codecs cannot match. */
export function triedMatch(pattern: string, text: string): boolean | undefined {
  if (!compiledPatterns.has(pattern)) compiledPatterns.set(pattern, compiled(pattern))
  return compiledPatterns.get(pattern)?.test(text)
}

function compiled(pattern: string): ReturnType<typeof compilePattern> | undefined {
  try {
    return compilePattern(pattern)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UnsupportedPatternError) return undefined
    throw error
  }
}
