import type { ts } from 'ts-morph'
import type { Shape } from '../schema/shape.js'
import type { ValueKind } from './plan.js'
import { hasNonLiterals, partsOf } from './type-parts.js'
import {
  builtinName,
  describeType,
  isHidden,
  isSymbolNamed,
  propertiesOf,
  type TypeReader,
  typeArgumentsOf,
} from './types.js'

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

/** More types than this are not looked at: a value that large is taken to be JSON and the codec decides. */
const mostTypes = 2_000

/**
 * Returns a description of the part of a type that JSON cannot represent; `undefined` if there is none or it is
 * unknown.
 */
export function notJson(type: ts.Type, reader: TypeReader): string | undefined {
  const seen = new Set<ts.Type>()
  const visit = (each: ts.Type): string | undefined => {
    if (seen.has(each) || seen.size > mostTypes) return undefined
    seen.add(each)
    const parts = partsOf(each, reader)
    if (parts.bigint) return 'a bigint'
    if (parts.others.length > 0) return 'a symbol'
    for (const object of parts.objects) {
      const found = inObject(object, reader, visit)
      if (found !== undefined) return found
    }
    return undefined
  }
  const root = partsOf(type, reader)
  if (root.undefined) return 'undefined'
  return visit(type)
}

function inObject(
  object: ts.Type,
  reader: TypeReader,
  visit: (type: ts.Type) => string | undefined,
): string | undefined {
  const { checker, ts } = reader
  if (checker.isArrayType(object) || checker.isTupleType(object)) {
    return firstOf(typeArgumentsOf(object, reader), visit)
  }
  if (builtinName(object, reader) !== undefined) return `a ${describeType(object, reader)}`
  if (checker.getSignaturesOfType(object, ts.SignatureKind.Call).length > 0) return 'a function'
  const properties = propertiesOf(object, reader).filter(
    (property) => !isSymbolNamed(property) && !isHidden(property, reader),
  )
  const types = properties.map((property) => property.type())
  return firstOf([...types, ...checker.getIndexInfosOfType(object).map((info) => info.type)], visit)
}

function firstOf(types: readonly ts.Type[], visit: (type: ts.Type) => string | undefined): string | undefined {
  for (const type of types) {
    const found = visit(type)
    if (found !== undefined) return found
  }
  return undefined
}

/** A property whose literals differ in every one of these object types; undefined where there is none. */
export function discriminatorOf(objects: readonly ts.Type[], reader: TypeReader): string | undefined {
  const [first] = objects
  if (first === undefined) return undefined
  return reader.checker
    .getPropertiesOfType(first)
    .map((property) => property.name)
    .find((name) => {
      const values = objects.map((object) => unitValues(object, name, reader))
      const all = values.flatMap((each) => each ?? [])
      return values.every((each) => each !== undefined && each.length > 0) && new Set(all).size === all.length
    })
}

/** The literals that a required property is limited to; undefined where it is not. */
export function unitValues(
  object: ts.Type,
  name: string,
  reader: TypeReader,
): readonly (string | number | boolean)[] | undefined {
  const property = reader.checker.getPropertyOfType(object, name)
  if (property === undefined || (property.flags & reader.ts.SymbolFlags.Optional) !== 0) return undefined
  const parts = partsOf(reader.checker.getTypeOfSymbol(property), reader)
  const isOpen =
    parts.any !== undefined ||
    parts.unknown ||
    parts.string ||
    parts.number ||
    parts.boolean ||
    parts.null ||
    parts.undefined
  if (isOpen || hasNonLiterals(parts) || parts.bigint || parts.literals.some(({ isEnumMember }) => isEnumMember))
    return undefined
  return parts.literals.map(({ value }) => value)
}
