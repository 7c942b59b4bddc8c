import { deepEqual, type JsType } from '@toolgen/runtime/schema'
import {
  entriesOf,
  isObject,
  isSchema,
  type Json,
  own,
  type Schema,
  type SchemaObject,
  stringsOf,
  withKey,
} from './json-schema.js'
import { knownBySchema } from './keywords.js'
import { refName } from './references.js'
import { jsTypeOfJsType as jsTypeOf } from './typed-values.js'

/**
 * A schema as a tree of TypeScript-like types: what the type printer and the service binding walk, so that neither
 * reads keywords. Constraints that no TypeScript type carries stay in `schema`.
 */
export type Shape = {
  /** The schema this shape was read from (for formats, bounds, descriptions, defaults). */
  readonly schema: SchemaObject
} & (
  | { readonly kind: 'unknown' }
  | { readonly kind: 'never' }
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'string' }
  /** A text that is a value of a JavaScript type to code (`x-js`); its wire form stays in `schema`. */
  | { readonly kind: 'typed'; readonly type: JsType }
  | { readonly kind: 'number'; readonly integer: boolean }
  /** `const` and `enum`: the allowed values, in the order of the schema. */
  | { readonly kind: 'literals'; readonly values: readonly Json[] }
  | { readonly kind: 'array'; readonly items: Shape }
  | { readonly kind: 'tuple'; readonly items: readonly Shape[]; readonly required: number; readonly rest?: Shape }
  | {
      readonly kind: 'object'
      /** In declared order. */
      readonly fields: readonly ShapeField[]
      /** The values of undeclared fields; absent: none are part of the type. */
      readonly additional?: Shape
    }
  | {
      readonly kind: 'union'
      readonly variants: readonly Shape[]
      /** A field that every variant requires with distinct literals. */
      readonly discriminator?: string
    }
  | { readonly kind: 'intersection'; readonly parts: readonly Shape[] }
  /** A reference to a definition of the toolset. */
  | { readonly kind: 'ref'; readonly name: string }
)

export interface ShapeField {
  readonly name: string
  readonly shape: Shape
  readonly required: boolean
  /** The default, where the schema gives one: such a field may be left out when sent and is present when read. */
  readonly default?: Json
  readonly description?: string
}

/**
 * Reads a normalized schema as a {@link Shape}. Keywords that narrow values without changing their TypeScript type
 * (`not`, `if`, bounds, patterns) are left to the codec. A reference stays a `ref`, except with keywords that change
 * it, where its fields are merged.
 *
 * @param defs the toolset's definitions, to which `#/$defs/NAME` refers
 */
export function shapeOf(schema: Schema, defs: Readonly<Record<string, Schema>>): Shape {
  return typeof schema === 'boolean' ? newShape(schema, defs) : shapeOfObject(schema, defs)
}

function newShape(schema: Schema, defs: Readonly<Record<string, Schema>>): Shape {
  return readShape(schema, { defs, expanding: [], budget: { left: 20_000 } })
}

const shapeOfObject = knownBySchema(newShape)

/** Follows references until the shape is something else; a reference that only leads to itself is `unknown`. */
export function resolveShape(shape: Shape, defs: Readonly<Record<string, Schema>>): Shape {
  const passed: string[] = []
  let current = shape
  while (current.kind === 'ref') {
    const { name } = current
    const target = Object.hasOwn(defs, name) ? defs[name] : undefined
    if (target === undefined || passed.includes(name)) return { kind: 'unknown', schema: current.schema }
    passed.push(name)
    current = shapeOf(target, defs)
  }
  return current
}

/** Context of reading a shape. */
interface ShapeScope {
  readonly defs: Readonly<Record<string, Schema>>
  /** The definitions that are being merged into a place right now. */
  readonly expanding: readonly string[]
  /** Number of schemas that may still be read: merged references could otherwise multiply without end. */
  readonly budget: { left: number }
}

const typeNames: readonly string[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']
const objectKeywords: readonly string[] = ['properties', 'patternProperties', 'additionalProperties', 'required']
const arrayKeywords: readonly string[] = ['items', 'prefixItems']

/** See `shapeOf`. */
function readShape(schema: Schema, scope: ShapeScope): Shape {
  if (schema === true) return { kind: 'unknown', schema: {} }
  if (schema === false) return { kind: 'never', schema: { not: {} } }
  scope.budget.left -= 1
  const shape = partsOf(schema, scope).reduce((whole, part) => intersectShapes(whole, part, resolver(scope)))
  return { ...shape, schema: { ...constraintsOf(shape), ...schema } }
}

/** The conjuncts of a schema, its own keywords first. */
function partsOf(schema: SchemaObject, scope: ShapeScope): readonly Shape[] {
  const parts: Shape[] = [readOwnKeywords(schema, scope)]
  const name = refName(own(schema, '$ref'))
  if (name !== undefined) parts.push({ kind: 'ref', name, schema })
  for (const part of subschemas(schema, 'allOf')) parts.push(readShape(part, scope))
  for (const keyword of ['anyOf', 'oneOf']) {
    const variants = subschemas(schema, keyword)
    if (variants.length > 0) {
      parts.push(
        unionOf(
          variants.map((variant) => readShape(variant, scope)),
          schema,
          scope.defs,
        ),
      )
    }
  }
  return parts
}

function readOwnKeywords(schema: SchemaObject, scope: ShapeScope): Shape {
  const not = own(schema, 'not')
  if (not === true || (isObject(not) && Object.keys(not).length === 0)) return { kind: 'never', schema }
  const types = typesOf(schema)
  const values = literalsOf(schema)
  if (values !== undefined) {
    const allowed = values.filter((value) => types === undefined || types.some((type) => isOfType(value, type)))
    return allowed.length === 0 ? { kind: 'never', schema } : { kind: 'literals', values: allowed, schema }
  }
  const [only, ...others] = types ?? impliedTypes(schema)
  if (only === undefined) return types === undefined ? { kind: 'unknown', schema } : { kind: 'never', schema }
  if (others.length === 0) return readType(only, schema, scope)
  const variants = [only, ...others].map((type) => readType(type, withKey(schema, 'type', type), scope))
  return unionOf(variants, schema, scope.defs)
}

function readType(type: string, schema: SchemaObject, scope: ShapeScope): Shape {
  switch (type) {
    case 'null':
      return { kind: 'null', schema }
    case 'boolean':
      return { kind: 'boolean', schema }
    case 'string':
      return readText(schema)
    case 'number':
      return { kind: 'number', integer: false, schema }
    case 'integer':
      return { kind: 'number', integer: true, schema }
    case 'array':
      return readArray(schema, scope)
    default:
      return readObject(schema, scope)
  }
}

function readText(schema: SchemaObject): Shape {
  const type = jsTypeOf(schema)
  return type === undefined ? { kind: 'string', schema } : { kind: 'typed', type, schema }
}

function readArray(schema: SchemaObject, scope: ShapeScope): Shape {
  const items = schemaAt(schema, 'items')
  const prefix = subschemas(schema, 'prefixItems')
  if (prefix.length === 0) return { kind: 'array', items: readShape(items ?? true, scope), schema }
  const minimum = own(schema, 'minItems')
  const maximum = own(schema, 'maxItems')
  const closed = items === false || (typeof maximum === 'number' && maximum <= prefix.length)
  return {
    kind: 'tuple',
    items: prefix.map((item) => readShape(item, scope)),
    required: Math.min(typeof minimum === 'number' ? minimum : 0, prefix.length),
    ...(closed ? {} : { rest: readShape(items ?? true, scope) }),
    schema,
  }
}

function readObject(schema: SchemaObject, scope: ShapeScope): Shape {
  const required = new Set(stringsOf(schema, 'required'))
  const additional = readAdditional(schema, scope)
  const declared = entriesOf(schema, 'properties')
  const fields = declared.map(([name, field]) => readField(name, isSchema(field) ? field : true, required, scope))
  const undeclared = new Set([...namedKeys(schema), ...required])
  for (const [name] of declared) undeclared.delete(name)
  for (const name of undeclared) {
    const shape = additional ?? { kind: 'unknown' as const, schema: {} }
    fields.push({ name, shape, required: required.has(name) })
  }
  const open = additional !== undefined && namedKeys(schema).length === 0
  return { kind: 'object', fields, ...(open ? { additional } : {}), schema }
}

function readField(name: string, schema: Schema, required: ReadonlySet<string>, scope: ShapeScope): ShapeField {
  const fallback = isObject(schema) ? defaultOf(schema, scope.defs) : undefined
  const description = isObject(schema) ? own(schema, 'description') : undefined
  return {
    name,
    shape: readShape(schema, scope),
    required: required.has(name),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(typeof description === 'string' ? { description } : {}),
  }
}

/** Returns the default of a field's schema, or of the definition to which it refers. */
function defaultOf(schema: SchemaObject, defs: ShapeScope['defs']): Json | undefined {
  const passed = new Set<string>()
  let current: Schema | undefined = schema
  while (isObject(current)) {
    const value = own(current, 'default')
    if (value !== undefined) return value
    const name = refName(own(current, '$ref'))
    if (name === undefined || passed.has(name)) return undefined
    passed.add(name)
    current = Object.hasOwn(defs, name) ? defs[name] : undefined
  }
  return undefined
}

/** The values of undeclared fields. An object that says nothing at all about its fields is free-form. */
function readAdditional(schema: SchemaObject, scope: ShapeScope): Shape | undefined {
  const patterns = entriesOf(schema, 'patternProperties').map(([, value]) => value)
  const silent = !objectKeywords.some((keyword) => Object.hasOwn(schema, keyword))
  const unevaluated = schemaAt(schema, 'unevaluatedProperties')
  const rest = schemaAt(schema, 'additionalProperties') ?? unevaluated ?? (silent ? true : undefined)
  const values = [...patterns, ...(rest === undefined || rest === false ? [] : [rest])].filter(isSchema)
  if (values.length === 0) return undefined
  return unionOf(
    values.map((value) => readShape(value, scope)),
    {},
    scope.defs,
  )
}

/** The keys of a record whose keys are listed one by one. */
function namedKeys(schema: SchemaObject): readonly string[] {
  const names = own(schema, 'propertyNames')
  if (!isObject(names)) return []
  return (literalsOf(names) ?? []).filter((name): name is string => typeof name === 'string')
}

function literalsOf(schema: SchemaObject): readonly Json[] | undefined {
  const listed = own(schema, 'enum')
  const constant = own(schema, 'const')
  if (constant === undefined) return Array.isArray(listed) ? listed : undefined
  return Array.isArray(listed) && !listed.some((value) => deepEqual(value, constant)) ? [] : [constant]
}

function typesOf(schema: SchemaObject): readonly string[] | undefined {
  const type = own(schema, 'type')
  if (typeof type === 'string') return typeNames.includes(type) ? [type] : undefined
  return Array.isArray(type) ? type.filter((name) => typeof name === 'string' && typeNames.includes(name)) : undefined
}

/** Returns the types that the keywords of a schema without `type` imply. */
function impliedTypes(schema: SchemaObject): readonly string[] {
  if (objectKeywords.some((keyword) => Object.hasOwn(schema, keyword))) return ['object']
  return arrayKeywords.some((keyword) => Object.hasOwn(schema, keyword)) ? ['array'] : []
}

function isOfType(value: Json, type: string): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isObject(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

/** Returns the keywords that a merged scalar took from its parts, e.g. the `format` of an `allOf` member. */
function constraintsOf(shape: Shape): SchemaObject {
  return shape.kind === 'string' || shape.kind === 'typed' || shape.kind === 'number' ? shape.schema : {}
}

function resolver(scope: ShapeScope): (name: string) => Shape | undefined {
  return (name) => {
    const target = Object.hasOwn(scope.defs, name) ? scope.defs[name] : undefined
    if (target === undefined || scope.expanding.includes(name) || scope.budget.left <= 0) return undefined
    return readShape(target, { ...scope, expanding: [...scope.expanding, name] })
  }
}

function schemaAt(schema: SchemaObject, keyword: string): Schema | undefined {
  const value = own(schema, keyword)
  return isSchema(value) ? value : undefined
}

function subschemas(schema: SchemaObject, keyword: string): readonly Schema[] {
  const value = own(schema, keyword)
  return Array.isArray(value) ? value.filter(isSchema) : []
}

/**
 * The union of shapes in its shortest form: nested unions are flattened (unless a discriminator would be lost),
 * literals are put together, equal scalars become one that keeps what all of them say.
 */
function unionOf(shapes: readonly Shape[], schema: SchemaObject, defs: Readonly<Record<string, Schema>>): Shape {
  const variants: Shape[] = []
  for (const shape of shapes.flatMap(flattened)) addVariant(variants, shape)
  const [first] = variants
  if (first === undefined) return { kind: 'never', schema }
  if (variants.some((variant) => variant.kind === 'unknown')) return { kind: 'unknown', schema }
  if (variants.length === 1) return first
  const discriminator = discriminatorOf(variants, defs)
  return { kind: 'union', variants, schema, ...(discriminator === undefined ? {} : { discriminator }) }
}

function flattened(shape: Shape): readonly Shape[] {
  return shape.kind === 'union' && shape.discriminator === undefined ? shape.variants : [shape]
}

function addVariant(variants: Shape[], shape: Shape): void {
  if (shape.kind === 'never') return
  const index = variants.findIndex((variant) => joins(variant, shape))
  const twin = variants[index]
  if (twin === undefined) variants.push(shape)
  else variants[index] = joined(twin, shape)
}

function joins(a: Shape, b: Shape): boolean {
  if (a.kind !== b.kind) return false
  if (a.kind === 'ref' && b.kind === 'ref') return a.name === b.name
  if (a.kind === 'typed' && b.kind === 'typed') return a.type === b.type
  return (
    a.kind === 'string' || a.kind === 'number' || a.kind === 'boolean' || a.kind === 'null' || a.kind === 'literals'
  )
}

function joined(a: Shape, b: Shape): Shape {
  const schema = common(a.schema, b.schema)
  if (a.kind === 'literals' && b.kind === 'literals') {
    const values = [...a.values]
    for (const value of b.values) if (!values.some((known) => deepEqual(known, value))) values.push(value)
    return { kind: 'literals', values, schema }
  }
  if (a.kind === 'number' && b.kind === 'number') {
    return { kind: 'number', integer: a.integer && b.integer, schema }
  }
  return { ...a, schema }
}

/** The keywords on which both schemas agree. */
function common(a: SchemaObject, b: SchemaObject): SchemaObject {
  return Object.fromEntries(
    Object.entries(a).filter(([key, value]) => Object.hasOwn(b, key) && deepEqual(value, b[key] as Json)),
  )
}

/** A field that every variant requires with literals that no other variant allows. Reads schemas, never deeper. */
function discriminatorOf(variants: readonly Shape[], defs: Readonly<Record<string, Schema>>): string | undefined {
  const [first, ...others] = variants.map((variant) => literalFields(variant, defs))
  if (first === undefined) return undefined
  for (const [name, values] of first) {
    const seen = [...values]
    const distinct = others.every((fields) => {
      const more = fields.get(name)
      if (more === undefined || more.some((value) => seen.some((known) => deepEqual(known, value)))) return false
      seen.push(...more)
      return true
    })
    if (distinct) return name
  }
  return undefined
}

function literalFields(shape: Shape, defs: Readonly<Record<string, Schema>>): ReadonlyMap<string, readonly Json[]> {
  const found = new Map<string, readonly Json[]>()
  if (shape.kind === 'object') {
    for (const field of shape.fields) {
      if (field.required && field.shape.kind === 'literals') found.set(field.name, field.shape.values)
    }
  }
  if (shape.kind !== 'ref') return found
  const target = targetOf(shape.name, defs)
  if (target === undefined) return found
  const required = stringsOf(target, 'required')
  for (const [name, value] of entriesOf(target, 'properties')) {
    if (!required.includes(name) || !isObject(value)) continue
    const listed = own(value, 'enum')
    const constant = own(value, 'const')
    if (constant !== undefined) found.set(name, [constant])
    else if (Array.isArray(listed)) found.set(name, listed)
  }
  return found
}

function targetOf(name: string, defs: Readonly<Record<string, Schema>>): SchemaObject | undefined {
  const passed = new Set<string>()
  let next: string | undefined = name
  while (next !== undefined && !passed.has(next)) {
    passed.add(next)
    const target: Schema | undefined = Object.hasOwn(defs, next) ? defs[next] : undefined
    if (!isObject(target)) return undefined
    next = refName(own(target, '$ref'))
    if (next === undefined) return target
  }
  return undefined
}

type ObjectShape = Extract<Shape, { kind: 'object' }>
type TupleShape = Extract<Shape, { kind: 'tuple' }>
type Resolve = (name: string) => Shape | undefined

/** Above this many combinations, two unions stay an intersection. */
const widestProduct = 64

/**
 * The values that both shapes allow, as one shape where that is possible.
 *
 * @param resolve the shape of a definition, or `undefined` where it must not be merged (it is being merged already)
 */
function intersectShapes(a: Shape, b: Shape, resolve: Resolve): Shape {
  if (a.kind === 'unknown' || b.kind === 'never') return b
  if (b.kind === 'unknown' || a.kind === 'never') return a
  if (a.kind === 'ref' || b.kind === 'ref') return intersectRef(a, b, resolve)
  if (a.kind === 'union' || b.kind === 'union') return intersectUnion(a, b, resolve)
  if (a.kind === 'intersection' || b.kind === 'intersection') return both(a, b)
  if (a.kind === 'typed' || b.kind === 'typed') return intersectTyped(a, b)
  if (a.kind === 'literals') return narrowed(a, b)
  if (b.kind === 'literals') return narrowed(b, a)
  if (a.kind === 'object' && b.kind === 'object') return mergeObjects(a, b, resolve)
  if (a.kind === 'number' && b.kind === 'number') {
    return { kind: 'number', integer: a.integer || b.integer, schema: { ...a.schema, ...b.schema } }
  }
  if (a.kind === 'array' && b.kind === 'array') {
    return { kind: 'array', items: intersectShapes(a.items, b.items, resolve), schema: a.schema }
  }
  if (a.kind === 'tuple' && b.kind === 'array') return narrowTuple(a, b.items, resolve)
  if (a.kind === 'array' && b.kind === 'tuple') return narrowTuple(b, a.items, resolve)
  if (a.kind === 'tuple' && b.kind === 'tuple') return both(a, b)
  return a.kind === b.kind ? { ...a, schema: { ...a.schema, ...b.schema } } : { kind: 'never', schema: a.schema }
}

/** Further keywords about the string leave the type as it is. */
function intersectTyped(a: Shape, b: Shape): Shape {
  const schema = { ...a.schema, ...b.schema }
  const [typed, other] = a.kind === 'typed' ? [a, b] : [b, a]
  const isText = other.kind === 'string' || (other.kind === 'literals' && other.values.some(isString))
  if (typed.kind === 'typed' && other.kind === 'typed' && typed.type === other.type) return { ...typed, schema }
  return isText ? { ...typed, schema } : { kind: 'never', schema: a.schema }
}

function isString(value: Json): boolean {
  return typeof value === 'string'
}

function both(a: Shape, b: Shape): Shape {
  const parts = [a, b].flatMap((shape) => (shape.kind === 'intersection' ? shape.parts : [shape]))
  return { kind: 'intersection', parts, schema: a.schema }
}

function intersectRef(a: Shape, b: Shape, resolve: Resolve): Shape {
  if (a.kind === 'ref' && b.kind === 'ref' && a.name === b.name) return a
  const left = a.kind === 'ref' ? resolve(a.name) : a
  const right = b.kind === 'ref' ? resolve(b.name) : b
  return left === undefined || right === undefined ? both(a, b) : intersectShapes(left, right, resolve)
}

function intersectUnion(a: Shape, b: Shape, resolve: Resolve): Shape {
  const lefts = a.kind === 'union' ? a.variants : [a]
  const rights = b.kind === 'union' ? b.variants : [b]
  if (lefts.length * rights.length > widestProduct) return both(a, b)
  const products = lefts.flatMap((left) => rights.map((right) => intersectShapes(left, right, resolve)))
  return unionOf(products, a.schema, {})
}

function narrowed(literals: Extract<Shape, { kind: 'literals' }>, other: Shape): Shape {
  const values = literals.values.filter((value) => admits(other, value))
  return values.length === 0
    ? { kind: 'never', schema: literals.schema }
    : { kind: 'literals', values, schema: literals.schema }
}

/** Returns whether a value is of the kind of a shape; its inside is left to the codec. */
function admits(shape: Shape, value: Json): boolean {
  switch (shape.kind) {
    case 'literals':
      return shape.values.some((known) => deepEqual(known, value))
    case 'null':
      return value === null
    case 'number':
      return shape.integer ? Number.isInteger(value) : typeof value === 'number'
    case 'string':
    case 'boolean':
      return typeof value === shape.kind
    case 'array':
    case 'tuple':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    default:
      return true
  }
}

function narrowTuple(tuple: TupleShape, items: Shape, resolve: Resolve): Shape {
  return {
    ...tuple,
    items: tuple.items.map((item) => intersectShapes(item, items, resolve)),
    ...(tuple.rest === undefined ? {} : { rest: intersectShapes(tuple.rest, items, resolve) }),
  }
}

function mergeObjects(a: ObjectShape, b: ObjectShape, resolve: Resolve): Shape {
  const others = new Map(b.fields.map((field) => [field.name, field]))
  const fields = a.fields.map((field) => {
    const other = others.get(field.name)
    others.delete(field.name)
    return other === undefined ? field : mergeFields(field, other, resolve)
  })
  const additional =
    a.additional && b.additional ? intersectShapes(a.additional, b.additional, resolve) : (a.additional ?? b.additional)
  return {
    kind: 'object',
    fields: [...fields, ...others.values()],
    ...(additional === undefined ? {} : { additional }),
    schema: a.schema,
  }
}

function mergeFields(a: ShapeField, b: ShapeField, resolve: Resolve): ShapeField {
  return { ...b, ...a, shape: intersectShapes(a.shape, b.shape, resolve), required: a.required || b.required }
}
