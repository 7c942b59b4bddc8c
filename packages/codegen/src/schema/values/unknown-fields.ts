import { isObject, sameJson } from '../json/json.js'
import type { Json, Schema } from '../json/json-schema.js'
import { pointerStep } from '../json/pointer.js'
import { resolveShape, type Shape, shapeOf } from '../shape/shape.js'

/** A field that a value has and its schema does not declare. */
export interface UnknownField {
  /** JSON Pointer of the object that has the field. */
  readonly pointer: string
  readonly field: string
}

type Defs = Readonly<Record<string, Schema>>

/**
 * The fields that no schema declares, in objects that say nothing about other fields: payloads refuse them. Of a union
 * the variant counts to which the value comes nearest.
 */
export function unknownFields(value: Json, schema: Schema, defs: Defs): readonly UnknownField[] {
  return fieldsIn(value, shapeOf(schema, defs), '', defs)
}

function fieldsIn(value: Json, shape: Shape, pointer: string, defs: Defs): readonly UnknownField[] {
  const resolved = resolveShape(shape, defs)
  if (resolved.kind === 'union') return nearestVariant(value, resolved, pointer, defs)
  if (Array.isArray(value)) {
    return value.flatMap((item: Json, index) => {
      const inner = resolved.kind === 'array' ? resolved.items : tupleItem(resolved, index)
      return inner === undefined ? [] : fieldsIn(item, inner, pointer + pointerStep(index), defs)
    })
  }
  if (!isObject(value) || resolved.kind !== 'object') return []
  return Object.entries(value).flatMap(([field, item]) => {
    const declared = resolved.fields.find(({ name }) => name === field)?.shape ?? resolved.additional
    return declared === undefined ? [{ pointer, field }] : fieldsIn(item, declared, pointer + pointerStep(field), defs)
  })
}

function tupleItem(shape: Shape, index: number): Shape | undefined {
  return shape.kind === 'tuple' ? (shape.items[index] ?? shape.rest) : undefined
}

function nearestVariant(
  value: Json,
  union: Extract<Shape, { kind: 'union' }>,
  pointer: string,
  defs: Defs,
): readonly UnknownField[] {
  const fitting = union.variants.filter((variant) => mayBe(value, variant, union.discriminator, defs))
  const found = fitting.map((variant) => fieldsIn(value, variant, pointer, defs))
  return found.reduce((best, next) => (next.length < best.length ? next : best), found[0] ?? [])
}

/** Whether a value is of a variant's kind and has its discriminator. */
function mayBe(value: Json, variant: Shape, discriminator: string | undefined, defs: Defs): boolean {
  const shape = resolveShape(variant, defs)
  if (shape.kind === 'union') return shape.variants.some((inner) => mayBe(value, inner, shape.discriminator, defs))
  if (Array.isArray(value)) return shape.kind === 'array' || shape.kind === 'tuple'
  if (!isObject(value)) return false
  if (shape.kind !== 'object' || discriminator === undefined) return shape.kind === 'object'
  const field = shape.fields.find(({ name }) => name === discriminator)?.shape
  const given = Object.hasOwn(value, discriminator) ? value[discriminator] : undefined
  return field?.kind !== 'literals' || (given !== undefined && field.values.some((allowed) => sameJson(allowed, given)))
}
