import { deepEqual } from '@toolgen/runtime/schema'
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
import { type Shape, type ShapeField, unionOf } from './shape.js'
import { intersectShapes } from './shape-intersection.js'
import { jsTypeOfJsType as jsTypeOf } from './typed-values.js'

/**
 * A shape ignores keywords that do not affect the TypeScript type, such as bounds and patterns, because the generated codec checks these keywords.
 */
export function shapeOf(schema: Schema, defs: Readonly<Record<string, Schema>>): Shape {
  return typeof schema === 'boolean' ? newShape(schema, defs) : shapeOfObject(schema, defs)
}

function newShape(schema: Schema, defs: Readonly<Record<string, Schema>>): Shape {
  return readShape(schema, { defs, expanding: [], budget: { left: 20_000 } })
}

const shapeOfObject = knownBySchema(newShape)

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

interface ShapeScope {
  readonly defs: Readonly<Record<string, Schema>>
  /** Names of the definitions that are being merged. A reference to such a definition is recursive and is not merged again. */
  readonly expanding: readonly string[]
  /** Without a limit, merged references can multiply exponentially. */
  readonly budget: { left: number }
}

const typeNames: readonly string[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

const objectKeywords: readonly string[] = ['properties', 'patternProperties', 'additionalProperties', 'required']

const arrayKeywords: readonly string[] = ['items', 'prefixItems']

function readShape(schema: Schema, scope: ShapeScope): Shape {
  if (schema === true) return { kind: 'unknown', schema: {} }
  if (schema === false) return { kind: 'never', schema: { not: {} } }
  scope.budget.left -= 1
  const shape = partsOf(schema, scope).reduce((whole, part) => intersectShapes(whole, part, resolver(scope)))
  return { ...shape, schema: { ...constraintsOf(shape), ...schema } }
}

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

/** Returns `undefined` if undeclared fields are not allowed. */
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
