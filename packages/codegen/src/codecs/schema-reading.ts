import { deepEqual, eachSubschema, SchemaFacts, SchemaIndex } from '@toolgen/runtime/schema'
import {
  entriesOf,
  isObject,
  type Json,
  own,
  type Schema,
  type SchemaObject,
  stringsOf,
} from '../schema/json-schema.js'
import { knownBySchema } from '../schema/keywords.js'
import { refName } from '../schema/references.js'
import { pascal } from '../text.js'

/** The definitions to which schemas refer, by name. */
export type Defs = Readonly<Record<string, Schema>>

/**
 * Returns the schema itself and all that its values must satisfy besides: targets of `$ref`, parts of `allOf`, each once.
 * `false` where no value can.
 */
export function conjunctsOf(schema: Schema, defs: Defs): readonly SchemaObject[] | false {
  return typeof schema === 'boolean' ? schema && [] : ofObject(schema, defs)
}

const ofObject = knownBySchema((schema, defs): readonly SchemaObject[] | false => {
  const { facts, locate } = factsOf(defs)
  const schemas = facts.conjuncts(locate(schema)).map((conjunct) => conjunct.schema)
  return schemas.includes(false) ? false : schemas.filter(isObject)
})

/** Facts about schemas over the same definitions. */
interface SharedFacts {
  readonly facts: SchemaFacts
  readonly locate: (schema: Schema) => Located
}

type Located = SchemaIndex['root']

const knownFacts = new WeakMap<Defs, SharedFacts>()

function factsOf(defs: Defs): SharedFacts {
  const known = knownFacts.get(defs)
  if (known !== undefined) return known
  const index = new SchemaIndex({ $defs: defs })
  const shared = { facts: new SchemaFacts(index), locate: (schema: Schema) => ({ ...index.root, schema }) }
  knownFacts.set(defs, shared)
  return shared
}

/** Returns the schemas in a list keyword. */
export function subschemas(schema: SchemaObject, keyword: string): readonly Schema[] {
  const list = own(schema, keyword)
  return Array.isArray(list) ? list.filter(isAnySchema) : []
}

/** Returns the schema of a keyword. */
export function subschema(schema: SchemaObject, keyword: string): Schema | undefined {
  const value = own(schema, keyword)
  return value !== undefined && isAnySchema(value) ? value : undefined
}

/** A number that a keyword gives. */
export function numberOf(schema: SchemaObject, keyword: string): number | undefined {
  const value = own(schema, keyword)
  return typeof value === 'number' ? value : undefined
}

/** Returns the largest, or smallest, of the numbers that several schemas give. */
export function strictest(
  conjuncts: readonly SchemaObject[],
  keyword: string,
  pick: (...numbers: readonly number[]) => number,
): number | undefined {
  const numbers = conjuncts.map((conjunct) => numberOf(conjunct, keyword)).filter((value) => value !== undefined)
  return numbers.length === 0 ? undefined : pick(...numbers)
}

/** Returns the definition to which a schema refers without saying more that matters. */
export function plainReference(schema: Schema): string | undefined {
  if (!isObject(schema)) return undefined
  const name = refName(own(schema, '$ref'))
  return name !== undefined && Object.keys(schema).every((key) => key === '$ref' || silent.includes(key))
    ? name
    : undefined
}

/** Keywords that check nothing. */
export const silent: readonly string[] = [
  ...['title', 'description', 'default', 'examples', '$comment', '$defs', '$schema', '$id', '$anchor'],
  ...['deprecated', 'readOnly', 'writeOnly', 'contentEncoding', 'contentMediaType', 'contentSchema', 'discriminator'],
]

function isAnySchema(value: Json): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}

/** A kind of JSON values. */
export type Kind = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object'

/** All kinds; a whole number is a number. */
export const allKinds: readonly Kind[] = ['null', 'boolean', 'number', 'string', 'array', 'object']

/** Returns the kinds that schemas which all apply allow, by `type`, `const` and `enum`; `undefined`: none of them says. */
export function kindsOf(conjuncts: readonly SchemaObject[]): readonly Kind[] | undefined {
  let kinds: readonly Kind[] | undefined
  for (const conjunct of conjuncts) {
    const named = typeNames(conjunct)
    if (named !== undefined) kinds = kinds === undefined ? named : narrowed(kinds, named)
  }
  const values = literalsOf(conjuncts)
  if (values === undefined) return kinds
  return [...new Set(values.map(kindOf))]
}

/** Returns the values that schemas which all apply allow, where they list them. */
export function literalsOf(conjuncts: readonly SchemaObject[]): readonly Json[] | undefined {
  let values: readonly Json[] | undefined
  for (const conjunct of conjuncts) {
    for (const listed of listsOf(conjunct)) {
      values = values === undefined ? listed : values.filter((value) => listed.some((other) => deepEqual(other, value)))
    }
  }
  return values?.filter((value) => conjuncts.every((conjunct) => typeNames(conjunct)?.some(hasKind(value)) ?? true))
}

function kindOf(value: Json): Kind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (isObject(value)) return 'object'
  return typeof value === 'string' ? 'string' : typeof value === 'number' ? 'number' : 'boolean'
}

function hasKind(value: Json): (kind: Kind) => boolean {
  const own = kindOf(value)
  return (kind) => kind === own || (kind === 'integer' && Number.isInteger(value))
}

function listsOf(schema: SchemaObject): readonly (readonly Json[])[] {
  const listed = own(schema, 'enum')
  const only = own(schema, 'const')
  return [...(Array.isArray(listed) ? [listed] : []), ...(only === undefined ? [] : [[only]])]
}

function typeNames(schema: SchemaObject): readonly Kind[] | undefined {
  const type = own(schema, 'type')
  if (type === undefined) return undefined
  const names: readonly Json[] = Array.isArray(type) ? type : [type]
  const kinds = names.filter((name): name is Kind => name === 'integer' || allKinds.some((kind) => kind === name))
  return kinds.includes('number') ? kinds.filter((kind) => kind !== 'integer') : kinds
}

function narrowed(a: readonly Kind[], b: readonly Kind[]): readonly Kind[] {
  const both = [...a.filter((kind) => covers(b, kind)), ...b.filter((kind) => covers(a, kind))]
  return [...new Set(both)]
}

function covers(kinds: readonly Kind[], kind: Kind): boolean {
  return kinds.includes(kind) || (kind === 'integer' && kinds.includes('number'))
}

/** Checks whether values of a schema hold objects with declared fields, or typed values: not written as JSON.stringify does. */
export function hasDeclaredParts(schema: Schema, defs: Defs): boolean {
  return typeof schema !== 'boolean' && declaresParts(schema, defs)
}

const declaresParts = knownBySchema((schema, defs) =>
  visits(schema, defs, (part) => hasKeyword(part, 'properties', 'patternProperties', 'x-js')),
)

/**
 * Checks whether values of a schema hold objects with listed fields only, or typed values. Where the others
 * are said to be refused, or to be anything, no field is undeclared.
 */
export function hasClosedLocations(schema: Schema, defs: Defs): boolean {
  return visits(schema, defs, (part) => {
    const isListing = hasKeyword(part, 'properties', 'patternProperties')
    return hasKeyword(part, 'x-js') || (isListing && !hasKeyword(part, 'additionalProperties'))
  })
}

/** Checks whether a schema leads to itself: then its values may be of any depth. */
export function isDeep(schema: Schema, defs: Defs): boolean {
  const names = new Set<string>()
  let isRecursive = false
  const follow = (part: Schema, within: readonly string[]): void => {
    if (typeof part === 'boolean') return
    const name = refName(own(part, '$ref'))
    if (name !== undefined && within.includes(name)) isRecursive = true
    else if (name !== undefined && !names.has(name)) {
      follow(defs[name] ?? true, [...within, name])
      names.add(name)
    }
    eachSubschema(part, (inner) => follow(inner, within))
  }
  follow(schema, [])
  return isRecursive
}

/** Checks whether a schema, or one that it leads to, is as asked. */
export function visits(schema: Schema, defs: Defs, test: (part: Schema) => boolean): boolean {
  const seen = new Set<string>()
  const visit = (part: Schema): boolean => {
    if (test(part)) return true
    if (typeof part === 'boolean') return false
    const name = refName(own(part, '$ref'))
    if (name !== undefined && !seen.has(name)) {
      seen.add(name)
      if (visit(defs[name] ?? true)) return true
    }
    let found = false
    eachSubschema(part, (inner) => {
      found ||= visit(inner)
    })
    return found
  }
  return visit(schema)
}

/** Checks whether a schema has one of the keywords. */
export function hasKeyword(schema: Schema, ...keywords: readonly string[]): boolean {
  return typeof schema !== 'boolean' && keywords.some((keyword) => Object.hasOwn(schema, keyword))
}

/** The rules of one schema for the fields of an object. */
export interface FieldRules {
  readonly properties: readonly (readonly [string, Schema])[]
  readonly patterns: readonly (readonly [string, Schema])[]
  readonly others: Schema | undefined
}

/** The rules of schemas that all apply for an object. */
interface ObjectParts {
  readonly rules: readonly FieldRules[]
  /** The declared fields in declared order, each with every schema that it has to satisfy. */
  readonly fields: ReadonlyMap<string, readonly Schema[]>
  readonly required: ReadonlySet<string>
  /** True if some schema lists fields and none says what the others may be: then others are undeclared. */
  readonly isClosed: boolean
}

/** Object parts by lists of schemas: every function of an object needs them. */
const known = new WeakMap<readonly SchemaObject[], ObjectParts>()

/** Reads what schemas that all apply say of an object. */
export function objectParts(conjuncts: readonly SchemaObject[]): ObjectParts {
  const parts = known.get(conjuncts) ?? readParts(conjuncts)
  known.set(conjuncts, parts)
  return parts
}

function readParts(conjuncts: readonly SchemaObject[]): ObjectParts {
  const rules = conjuncts.map(fieldRules)
  const fields = new Map<string, Schema[]>()
  for (const [name, schema] of rules.flatMap(({ properties }) => properties)) {
    fields.set(name, [...(fields.get(name) ?? []), schema])
  }
  const isListed = conjuncts.some((conjunct) => own(conjunct, 'properties') ?? own(conjunct, 'patternProperties'))
  return {
    rules,
    fields,
    required: new Set(conjuncts.flatMap((conjunct) => stringsOf(conjunct, 'required'))),
    isClosed: isListed && rules.every(({ others }) => others === undefined),
  }
}

function fieldRules(schema: SchemaObject): FieldRules {
  return {
    properties: schemasOf(schema, 'properties'),
    patterns: schemasOf(schema, 'patternProperties'),
    others: subschema(schema, 'additionalProperties'),
  }
}

function schemasOf(schema: SchemaObject, keyword: string): readonly (readonly [string, Schema])[] {
  return entriesOf(schema, keyword).filter(
    (entry): entry is [string, Schema] => typeof entry[1] === 'boolean' || isObject(entry[1]),
  )
}

/** Returns the JavaScript type that schemas which all apply name for a string, if one does. */
export function typeNamed(conjuncts: readonly SchemaObject[]): string | undefined {
  const name = conjuncts.map((conjunct) => own(conjunct, 'x-js')).find((type) => type !== undefined)
  return typeof name === 'string' ? name : undefined
}

/** Checks whether the type of a string depends on conditions. */
export function conditionsNameType(conjuncts: readonly SchemaObject[], defs: Defs): boolean {
  return conjuncts.some((conjunct) =>
    ['if', 'then', 'else', 'dependentSchemas'].some((keyword) => {
      const part = own(conjunct, keyword)
      return isObject(part) && visits({ properties: part, allOf: [part] }, defs, (inner) => hasKeyword(inner, 'x-js'))
    }),
  )
}

/** A union of a schema: a value satisfies one of its variants, or exactly one. */
export interface Union {
  readonly variants: readonly Schema[]
  readonly isExclusive: boolean
}

/** Returns the unions of schemas which all apply. */
export function unionsOf(conjuncts: readonly SchemaObject[]): readonly Union[] {
  return conjuncts.flatMap((conjunct) => [
    ...unionOf(subschemas(conjunct, 'anyOf'), false),
    ...unionOf(subschemas(conjunct, 'oneOf'), true),
  ])
}

/** Returns the same schemas without one of their unions. */
export function withoutUnion(conjuncts: readonly SchemaObject[], union: Union): readonly SchemaObject[] {
  const keyword = union.isExclusive ? 'oneOf' : 'anyOf'
  return conjuncts.map((conjunct) => {
    const list = own(conjunct, keyword)
    const isIt =
      Array.isArray(list) &&
      list.length === union.variants.length &&
      list.every((item, index) => item === union.variants[index])
    if (!isIt) return conjunct
    const { [keyword]: _union, ...others } = conjunct
    return others
  })
}

/** Checks whether no value satisfies two of the variants. */
export function areDisjoint(variants: readonly Schema[], defs: Defs): boolean {
  const { facts, locate } = factsOf(defs)
  return facts.areDisjoint(variants.map(locate))
}

/** A field that every variant requires with literals of its own. */
export function discriminatorOf(variants: readonly Schema[], defs: Defs): ReturnType<SchemaFacts['discriminator']> {
  const { facts, locate } = factsOf(defs)
  return facts.discriminator(variants.map(locate))
}

function unionOf(variants: readonly Schema[], isExclusive: boolean): readonly Union[] {
  return variants.length === 0 ? [] : [{ variants, isExclusive }]
}

/** Returns the part of function names that distinguishes a variant. */
export function variantStem(index: number, variants: readonly Schema[], defs: Defs): string {
  const variant = variants[index] ?? true
  const literals = discriminatorOf(variants, defs)?.literals[index]
  const title = isObject(variant) ? own(variant, 'title') : undefined
  const named = pascal(String(literals?.[0] ?? (typeof title === 'string' ? title : '')))
  return named === '' ? `Variant${index + 1}` : named.slice(0, 40)
}

/** One way in which values are made, by their kinds and, among objects, by a tag. */
export interface Variant {
  readonly kinds: readonly Kind[]
  readonly conjuncts: readonly SchemaObject[]
  readonly stem: string
  /** The definition that it is, where it is nothing else. */
  readonly reference?: string | undefined
}

/**
 * Returns the ways to make the values of schemas that all apply, with unions told apart; `undefined` where they cannot be.
 *
 * @param goesOn asked at each union; `false` gives up
 */
export function variantsOf(
  conjuncts: readonly SchemaObject[],
  defs: Defs,
  goesOn: () => boolean,
): readonly Variant[] | undefined {
  if (!goesOn()) return undefined
  const unions = unionsOf(conjuncts).filter(({ variants }) =>
    variants.some((variant) => hasDeclaredParts(variant, defs) || kindsOf(conjuncts) === undefined),
  )
  const [union, ...others] = unions
  if (union === undefined) return [{ kinds: kindsOf(conjuncts) ?? allKinds, conjuncts, stem: '' }]
  if (others.length > 0) return undefined
  const own = withoutUnion(conjuncts, union)
  const isBare = own.every((conjunct) => !hasDeclaredParts(conjunct, defs))
  const made = union.variants.map((variant, index): readonly Variant[] | undefined => {
    const { facts, locate } = factsOf(defs)
    const { kinds } = facts.admitted(locate({ allOf: [...own, variant] }))
    if (kinds === undefined) return undefined
    const reference = isBare && kinds.length === 1 ? plainReference(variant) : undefined
    const inner = [...own, ...(conjunctsOf(variant, defs) || [])]
    const stem = variantStem(index, union.variants, defs)
    return unionsOf(inner).length === 0 || reference !== undefined
      ? [{ kinds, conjuncts: inner, reference, stem }]
      : variantsOf(inner, defs, goesOn)?.map((one) => ({ ...one, stem: `${stem}${one.stem}` }))
  })
  return made.includes(undefined) ? undefined : made.flatMap((list) => list ?? [])
}

/** Maximum depth of conditions within conditions that are searched. */
const deepestUnion = 5

/**
 * Checks whether conditions or unions of schemas that all apply speak of fields that are not known.
 *
 * @param within the schemas that led here
 */
export function mayDeclare(
  conjuncts: readonly SchemaObject[],
  isKnown: (name: string) => boolean,
  defs: Defs,
  within: readonly Schema[] = [],
): boolean {
  return conjuncts.some((conjunct) => {
    const dependent = own(conjunct, 'dependentSchemas')
    const inPlace: readonly Schema[] = [
      ...['if', 'then', 'else'].map((keyword) => subschema(conjunct, keyword)).filter((part) => part !== undefined),
      ...['anyOf', 'oneOf'].flatMap((keyword) => subschemas(conjunct, keyword)),
      ...(isObject(dependent) ? Object.keys(dependent).map((name) => subschema(dependent, name) ?? true) : []),
    ]
    return inPlace.some((part) => {
      if (within.includes(part)) return false
      // Nobody looks further: then it may.
      if (within.length > deepestUnion) return true
      const parts = conjunctsOf(part, defs) || []
      return parts.some((other) => speaksOf(other, isKnown)) || mayDeclare(parts, isKnown, defs, [...within, part])
    })
  })
}

function speaksOf(schema: SchemaObject, isKnown: (name: string) => boolean): boolean {
  const properties = own(schema, 'properties')
  const names = [...(isObject(properties) ? Object.keys(properties) : []), ...stringsOf(schema, 'required')]
  const isOpen = ['patternProperties', 'additionalProperties'].some((keyword) => Object.hasOwn(schema, keyword))
  return isOpen || !names.every(isKnown)
}
