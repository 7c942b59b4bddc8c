import { deepEqual, type JsType } from '@toolgen/runtime/schema'
import { entriesOf, isObject, type Json, own, type Schema, type SchemaObject, stringsOf } from './json-schema.js'
import { refName } from './references.js'

/** A schema as a tree of types, similar to TypeScript types. The property `schema` also contains constraints that TypeScript types cannot express. */
export type Shape = {
  readonly schema: SchemaObject
} & (
  | { readonly kind: 'unknown' }
  | { readonly kind: 'never' }
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'string' }
  /** A `Date`, bigint or `Uint8Array` (keyword `x-js`). JSON contains a string instead; `schema` describes this string. */
  | { readonly kind: 'typed'; readonly type: JsType }
  | { readonly kind: 'number'; readonly integer: boolean }
  | { readonly kind: 'literals'; readonly values: readonly Json[] }
  | { readonly kind: 'array'; readonly items: Shape }
  | { readonly kind: 'tuple'; readonly items: readonly Shape[]; readonly required: number; readonly rest?: Shape }
  | {
      readonly kind: 'object'
      readonly fields: readonly ShapeField[]
      /** Shape of undeclared fields. Absent if the type allows only declared fields. */
      readonly additional?: Shape
    }
  | {
      readonly kind: 'union'
      readonly variants: readonly Shape[]
      /** Name of a field that distinguishes the variants. Every variant requires this field with different literal values. */
      readonly discriminator?: string
    }
  | { readonly kind: 'intersection'; readonly parts: readonly Shape[] }
  | { readonly kind: 'ref'; readonly name: string }
)

export interface ShapeField {
  readonly name: string
  readonly shape: Shape
  readonly required: boolean
  /** Default value. A field with a default is optional in the arguments of a call, and always present in the decoded payload. */
  readonly default?: Json
  readonly description?: string
}

export function unionOf(shapes: readonly Shape[], schema: SchemaObject, defs: Readonly<Record<string, Schema>>): Shape {
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

function common(a: SchemaObject, b: SchemaObject): SchemaObject {
  return Object.fromEntries(
    Object.entries(a).filter(([key, value]) => Object.hasOwn(b, key) && deepEqual(value, b[key] as Json)),
  )
}

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
