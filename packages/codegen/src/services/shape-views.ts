import type { Json } from '../ir/types.js'
import type { Shape, ShapeField } from '../schema/shape.js'

/** A shape of one kind. */
export type ShapeOf<Kind extends Shape['kind']> = Shape & { readonly kind: Kind }

/** A shape in words, for messages. */
export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case 'literals':
      return shape.values.length > 4 ? `one of ${shape.values.length} values` : shape.values.map(jsonText).join(' | ')
    case 'number':
      return shape.integer ? 'integer' : 'number'
    case 'string':
      return formatOf(shape) === undefined ? 'string' : `string (${formatOf(shape)})`
    case 'typed':
      return shape.type
    case 'ref':
      return shape.name
    default:
      return shape.kind
  }
}

function jsonText(value: Json): string {
  const text = JSON.stringify(value)
  return text.length > 30 ? `${text.slice(0, 27)}...` : text
}

/** The `format` of a string, or `base64` for one with that content encoding. */
export function formatOf(shape: Shape): string | undefined {
  const { format, contentEncoding } = shape.schema
  if (contentEncoding === 'base64') return 'base64'
  return typeof format === 'string' ? format : undefined
}

/** A shape without its null. `inner` is absent when nothing else is left. */
export interface NullableShape {
  readonly nullable: boolean
  readonly inner?: Shape
}

/** Takes null out of a shape (already resolved). */
export function withoutNull(shape: Shape, resolve: (shape: Shape) => Shape): NullableShape {
  if (shape.kind === 'null') return { nullable: true }
  if (shape.kind === 'literals' && shape.values.includes(null)) {
    const values = shape.values.filter((value) => value !== null)
    return values.length === 0 ? { nullable: true } : { nullable: true, inner: { ...shape, values } }
  }
  if (shape.kind !== 'union') return { nullable: false, inner: shape }
  const views = shape.variants.map((variant) => withoutNull(resolve(variant), resolve))
  if (!views.some((view) => view.nullable)) return { nullable: false, inner: shape }
  const variants = views.flatMap((view) => (view.inner === undefined ? [] : [view.inner]))
  const [only, ...others] = variants
  if (only === undefined) return { nullable: true }
  return { nullable: true, inner: others.length === 0 ? only : { ...shape, variants } }
}

/** True when a decoded payload always has the field. */
export function isPresent(field: ShapeField): boolean {
  return field.required || field.default !== undefined
}

/** The values that a field of an object shape is limited to; undefined when it is not. */
export function literalValues(
  shape: Shape,
  field: string,
  resolve: (shape: Shape) => Shape,
): readonly Json[] | undefined {
  if (shape.kind !== 'object') return undefined
  const found = shape.fields.find(({ name, required }) => name === field && required)
  const inner = found === undefined ? undefined : resolve(found.shape)
  return inner?.kind === 'literals' ? inner.values : undefined
}

/** A field that tells the objects among some shapes apart: each requires it, with literals that no other allows. */
export function discriminatorAmong(shapes: readonly Shape[], resolve: (shape: Shape) => Shape): string | undefined {
  const objects = shapes.map(resolve).filter((shape) => shape.kind === 'object')
  return objects[0]?.fields
    .map(({ name }) => name)
    .find((name) => {
      const values = objects.map((shape) => literalValues(shape, name, resolve))
      const all = values.flatMap((each) => each ?? [])
      return values.every((each) => each !== undefined) && new Set(all).size === all.length
    })
}

/** A constant of the binding as a shape. */
export function shapeOfValue(value: Json): Shape {
  if (value === null) return { kind: 'null', schema: {} }
  if (Array.isArray(value)) {
    const items: readonly Json[] = value
    return { kind: 'tuple', items: items.map(shapeOfValue), required: items.length, schema: {} }
  }
  if (typeof value !== 'object') return { kind: 'literals', values: [value], schema: {} }
  const fields = Object.entries(value).map(([name, inner]) => ({ name, shape: shapeOfValue(inner), required: true }))
  return { kind: 'object', fields, schema: {} }
}
