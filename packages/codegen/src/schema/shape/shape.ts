import type { JsType } from '../json/js-type.js'
import type { Json, Schema, SchemaObject } from '../json/json-schema.js'
import { knownBySchema } from '../json/known-by-schema.js'
import { readShape } from './read-shape.js'

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
 * Reads a normalised schema as a {@link Shape}. Keywords that narrow values without changing their TypeScript type
 * (`not`, `if`, bounds, patterns) are left to the codec. A reference stays a `ref`, except beside keywords that change
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
