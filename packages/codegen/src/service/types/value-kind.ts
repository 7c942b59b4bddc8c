import type { ts } from 'ts-morph'
import type { Shape } from '../../schema/shape/shape.js'
import type { ValueKind } from '../plan/plan.js'
import { partsOf } from './type-parts.js'
import type { TypeReader } from './type-reader.js'

/** The kinds of value that a shape allows; empty when it may be anything or null. */
export function kindsOfShape(shape: Shape, resolve: (shape: Shape) => Shape): readonly ValueKind[] {
  const resolved = resolve(shape)
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
      return together(resolved.values.map(kindsOfLiteral))
    case 'union':
      return together(resolved.variants.map((variant) => kindsOfShape(variant, resolve)))
    default:
      return []
  }
}

function kindsOfLiteral(value: unknown): readonly ValueKind[] {
  if (typeof value === 'string') return ['string']
  if (typeof value === 'number') return ['number']
  return typeof value === 'boolean' ? ['boolean'] : []
}

/** One part without known kinds makes the whole unknown. */
function together(parts: readonly (readonly ValueKind[])[]): readonly ValueKind[] {
  return parts.some((kinds) => kinds.length === 0) ? [] : [...new Set(parts.flat())]
}

/** The kind of value of one alternative of a union; undefined for null, undefined and what is not known. */
export function kindOfType(type: ts.Type, reader: TypeReader): ValueKind | undefined {
  const { any, unknown, ...parts } = partsOf(type, reader)
  const [literal] = parts.literals
  const [object] = parts.objects
  const [brand] = parts.brands
  if (any !== undefined || unknown) return undefined
  if (parts.string || parts.templates.length > 0 || typeof literal?.value === 'string') return 'string'
  if (parts.number || typeof literal?.value === 'number') return 'number'
  if (parts.boolean || typeof literal?.value === 'boolean') return 'boolean'
  if (parts.bigint) return 'bigint'
  if (brand !== undefined) return brand.base
  return object === undefined ? undefined : kindOfObject(object, reader)
}

/** `array` also for interfaces that extend Array. */
export function kindOfObject(object: ts.Type, { checker }: TypeReader): 'array' | 'object' {
  if (checker.isArrayType(object) || checker.isTupleType(object)) return 'array'
  const bases = object.isClassOrInterface() ? checker.getBaseTypes(object) : []
  return bases.some((base) => checker.isArrayType(base)) ? 'array' : 'object'
}
