import { type Defs, own, type Schema } from '../schema/json-schema.js'
import { resolveShape, shapeOf } from '../schema/read-shape.js'
import type { Shape } from '../schema/shape.js'

export interface Field {
  /** Includes the parents of the field: `lines[].sku`. */
  readonly label: string
  readonly path: readonly string[]
  readonly name: string
  /** References are resolved, and `null` is removed. */
  readonly shape: Shape
  readonly required: boolean
  readonly description?: string
}

const maxFields = 2_000

/** Expands recursive definitions once. */
export function fieldsOf(schema: Schema, defs: Defs): readonly Field[] {
  // By path, because variants of a union often share fields.
  const found = new Map<string, Field>()
  const walk = (shape: Shape, label: string, path: readonly string[], open: readonly string[]): void => {
    if (found.size > maxFields) return
    if (shape.kind === 'ref' && !open.includes(shape.name)) {
      walk(shapeOf(own(defs, shape.name) ?? true, defs), label, path, [...open, shape.name])
    } else if (shape.kind === 'array') walk(shape.items, `${label}[]`, path, open)
    else if (shape.kind === 'tuple') {
      for (const item of [...shape.items, shape.rest]) if (item !== undefined) walk(item, `${label}[]`, path, open)
    } else if (shape.kind === 'union') for (const variant of shape.variants) walk(variant, label, path, open)
    else if (shape.kind === 'intersection') for (const part of shape.parts) walk(part, label, path, open)
    else if (shape.kind === 'object') {
      const prefix = label === '' ? '' : `${label}.`
      for (const { name, required, description, shape: inner } of shape.fields) {
        const field = { label: prefix + name, path: [...path, name], name, shape: plainShape(inner, defs), required }
        const known = found.get(field.label)
        // A variant that only requires a field does not describe it.
        if (known !== undefined && (known.shape.kind !== 'unknown' || field.shape.kind === 'unknown')) continue
        const text = description ?? ownDescription(field.shape)
        found.set(field.label, { ...field, ...(text !== undefined && { description: text }) })
        walk(inner, field.label, field.path, open)
      }
      if (shape.additional !== undefined) walk(shape.additional, `${prefix}*`, path, open)
    }
  }
  walk(shapeOf(schema, defs), '', [], [])
  return [...found.values()]
}

function ownDescription(shape: Shape): string | undefined {
  const description = own(shape.schema, 'description')
  if (typeof description === 'string') return description
  return shape.kind === 'array' && shape.items.kind !== 'ref' ? ownDescription(shape.items) : undefined
}

export function plainShape(shape: Shape, defs: Defs): Shape {
  const resolved = resolveShape(shape, defs)
  if (resolved.kind !== 'union') return resolved
  const [first, ...others] = resolved.variants.filter(({ kind }) => kind !== 'null')
  return first !== undefined && others.length === 0 ? resolveShape(first, defs) : resolved
}
