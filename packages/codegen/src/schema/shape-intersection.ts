import { deepEqual } from '@toolgen/runtime/schema'
import type { Json } from './json-schema.js'
import { type Shape, type ShapeField, unionOf } from './shape.js'

type ObjectShape = Extract<Shape, { kind: 'object' }>

type TupleShape = Extract<Shape, { kind: 'tuple' }>

type Resolve = (name: string) => Shape | undefined

/** The intersection of unions with more pairs of variants is not merged, and becomes a shape with the kind `intersection`. */
const widestProduct = 64

/** `resolve` returns `undefined` for a definition that is already being merged (recursion). */
export function intersectShapes(a: Shape, b: Shape, resolve: Resolve): Shape {
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
  const values = literals.values.filter((value) => hasTypeOf(other, value))
  return values.length === 0
    ? { kind: 'never', schema: literals.schema }
    : { kind: 'literals', values, schema: literals.schema }
}

/** Does not check other constraints, because the codec checks these constraints. */
function hasTypeOf(shape: Shape, value: Json): boolean {
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
