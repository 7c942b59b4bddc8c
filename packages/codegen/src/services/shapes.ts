import type { Json, Schema } from '../ir/types.js'
import { shapeOf } from '../schema/read-shape.js'
import type { Shape, ShapeField } from '../schema/shape.js'
import type { ValueKind } from './plan.js'

export type ShapeOf<Kind extends Shape['kind']> = Shape & { readonly kind: Kind }

export function describeShape(shape: Shape): string {
  const shown = (value: Json): string => {
    const text = JSON.stringify(value)
    return text.length > 30 ? `${text.slice(0, 27)}...` : text
  }
  switch (shape.kind) {
    case 'literals':
      return shape.values.length > 4 ? `one of ${shape.values.length} values` : shape.values.map(shown).join(' | ')
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

export function formatOf({ schema: { format, contentEncoding } }: Shape): string | undefined {
  if (contentEncoding === 'base64') return 'base64'
  return typeof format === 'string' ? format : undefined
}

export function isPresent(field: ShapeField): boolean {
  return field.required || field.default !== undefined
}

export function discriminator<Alternative>(
  names: readonly string[],
  alternatives: readonly Alternative[],
  valuesOf: (alternative: Alternative, name: string) => readonly unknown[] | undefined,
): string | undefined {
  return names.find((name) => {
    const values = alternatives.map((alternative) => valuesOf(alternative, name) ?? [])
    const all = values.flat()
    return values.every((each) => each.length > 0) && new Set(all).size === all.length
  })
}

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

/** Each definition has exactly one shape object, so that `===` recognizes a definition. */
export class Shapes {
  readonly #defs: Readonly<Record<string, Schema>>
  readonly #resolved = new Map<string, Shape>()
  readonly #names = new Map<Shape, string>()

  constructor(defs: Readonly<Record<string, Schema>>) {
    this.#defs = defs
  }

  read(schema: Schema): Shape {
    return shapeOf(schema, this.#defs)
  }

  resolve(shape: Shape): Shape {
    const passed = new Set<string>()
    let current = shape
    while (current.kind === 'ref') {
      const { name, schema } = current
      if (passed.has(name) || !Object.hasOwn(this.#defs, name)) return { kind: 'unknown', schema }
      passed.add(name)
      const next = this.#resolved.get(name) ?? this.read(this.#defs[name] ?? true)
      this.#resolved.set(name, next)
      if (next.kind !== 'ref') this.#names.set(next, name)
      current = next
    }
    return current
  }

  definitionOf(shape: Shape): string | undefined {
    return this.#names.get(shape)
  }

  withoutNull(unresolved: Shape): { readonly nullable: boolean; readonly inner?: Shape } {
    const shape = this.resolve(unresolved)
    if (shape.kind === 'null') return { nullable: true }
    if (shape.kind === 'literals' && shape.values.includes(null)) {
      const values = shape.values.filter((value) => value !== null)
      return values.length === 0 ? { nullable: true } : { nullable: true, inner: { ...shape, values } }
    }
    if (shape.kind !== 'union') return { nullable: false, inner: shape }
    const views = shape.variants.map((variant) => this.withoutNull(variant))
    if (!views.some((view) => view.nullable)) return { nullable: false, inner: shape }
    const variants = views.flatMap((view) => view.inner ?? [])
    const [only, ...others] = variants
    if (only === undefined) return { nullable: true }
    return { nullable: true, inner: others.length === 0 ? only : { ...shape, variants } }
  }

  literalValues(shape: Shape, field: string): readonly Json[] | undefined {
    if (shape.kind !== 'object') return undefined
    const found = shape.fields.find(({ name, required }) => name === field && required)
    const inner = found && this.resolve(found.shape)
    return inner?.kind === 'literals' ? inner.values : undefined
  }

  /** Returns an empty array if the shape allows null or has no known type. */
  kindsOf(shape: Shape): readonly ValueKind[] {
    // If the kinds of one part are unknown, those of the union are unknown too.
    const together = (parts: readonly (readonly ValueKind[])[]): readonly ValueKind[] =>
      parts.some((kinds) => kinds.length === 0) ? [] : [...new Set(parts.flat())]
    const resolved = this.resolve(shape)
    switch (resolved.kind) {
      case 'string':
      case 'number':
      case 'boolean':
      case 'array':
      case 'object':
        return [resolved.kind]
      case 'typed':
        return resolved.type === 'bigint' ? ['bigint'] : ['object']
      case 'tuple':
        return ['array']
      case 'literals':
        return together(
          resolved.values.map((value) => {
            const kind = typeof value
            return kind === 'string' || kind === 'number' || kind === 'boolean' ? [kind] : []
          }),
        )
      case 'union':
        return together(resolved.variants.map((variant) => this.kindsOf(variant)))
      default:
        return []
    }
  }
}
