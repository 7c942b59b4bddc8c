import type { ts } from 'ts-morph'
import { isUnresolved, type TypeReader } from './types.js'

/** A literal of a union: `'open'`, `3`, `true`, or the member of an enum. */
export interface LiteralPart {
  readonly value: string | number | boolean
  readonly isEnumMember: boolean
}

/** A type taken apart: the alternatives of a union sorted by what they are. */
export interface TypeParts {
  /** `any`; `unresolved` when the compiler could not find the type. */
  readonly any: 'written' | 'unresolved' | undefined
  readonly unknown: boolean
  readonly string: boolean
  readonly number: boolean
  readonly boolean: boolean
  readonly bigint: boolean
  readonly null: boolean
  /** `undefined` and `void`. */
  readonly undefined: boolean
  readonly literals: readonly LiteralPart[]
  /** Template literal types and the like: strings of a certain form. */
  readonly templates: readonly ts.Type[]
  /** A primitive with an object type attached, e.g. `string & { __brand: 'OrderId' }`. */
  readonly brands: readonly { readonly type: ts.Type; readonly base: 'string' | 'number' | 'boolean' | 'bigint' }[]
  readonly objects: readonly ts.Type[]
  /** Conditional types that depend on a type parameter: what they are is known of a call alone. */
  readonly deferred: readonly ts.Type[]
  /** Symbols and types that stay open until they are used. */
  readonly others: readonly ts.Type[]
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] }

/** Takes a type apart. A type parameter, and a conditional type on one, count as their constraints. */
export function partsOf(type: ts.Type, reader: TypeReader): TypeParts {
  const parts: Mutable<TypeParts> = {
    any: undefined,
    unknown: false,
    string: false,
    number: false,
    boolean: false,
    bigint: false,
    null: false,
    undefined: false,
    literals: [],
    templates: [],
    brands: [],
    objects: [],
    deferred: [],
    others: [],
  }
  collect(type, parts, reader, 0)
  const hasBoth = [true, false].every((value) => parts.literals.some((literal) => literal.value === value))
  if (hasBoth) {
    parts.boolean = true
    parts.literals = parts.literals.filter((literal) => typeof literal.value !== 'boolean')
  }
  return parts
}

/** True for a type that has more than null, undefined, primitives and literals. */
export function hasNonLiterals({ objects, brands, templates, deferred, others }: TypeParts): boolean {
  return [objects, brands, templates, deferred, others].some((each) => each.length > 0)
}

function collect(type: ts.Type, parts: Mutable<TypeParts>, reader: TypeReader, depth: number): void {
  const { TypeFlags } = reader.ts
  const { flags } = type
  if (type.isUnion()) {
    for (const member of type.types) collect(member, parts, reader, depth)
  } else if ((flags & TypeFlags.Any) !== 0) {
    parts.any = isUnresolved(type, reader) ? 'unresolved' : (parts.any ?? 'written')
  } else if ((flags & TypeFlags.Unknown) !== 0) parts.unknown = true
  else if ((flags & (TypeFlags.Undefined | TypeFlags.Void)) !== 0) parts.undefined = true
  else if ((flags & TypeFlags.Null) !== 0) parts.null = true
  else if (type.isStringLiteral() || type.isNumberLiteral()) {
    parts.literals.push({ value: type.value, isEnumMember: (flags & TypeFlags.EnumLiteral) !== 0 })
  } else if ((flags & TypeFlags.BooleanLiteral) !== 0) {
    parts.literals.push({ value: reader.checker.typeToString(type) === 'true', isEnumMember: false })
  } else if ((flags & TypeFlags.String) !== 0) parts.string = true
  else if ((flags & (TypeFlags.Number | TypeFlags.Enum)) !== 0) parts.number = true
  else if ((flags & TypeFlags.BigIntLike) !== 0) parts.bigint = true
  else if ((flags & (TypeFlags.TemplateLiteral | TypeFlags.StringMapping)) !== 0) parts.templates.push(type)
  else if (type.isIntersection()) collectIntersection(type, parts, reader)
  else if ((flags & (TypeFlags.Object | TypeFlags.NonPrimitive)) !== 0) parts.objects.push(type)
  else if ((flags & TypeFlags.Never) !== 0) return
  else {
    if ((flags & TypeFlags.Conditional) !== 0) parts.deferred.push(type)
    const constraint = depth < 20 ? reader.checker.getBaseConstraintOfType(type) : undefined
    if (constraint === undefined && (flags & TypeFlags.TypeParameter) !== 0) parts.unknown = true
    else if (constraint === undefined || constraint === type) parts.others.push(type)
    else collect(constraint, parts, reader, depth + 1)
  }
}

/** `T & {}` is T; a primitive with a non-empty object is a brand; objects together are one object. */
function collectIntersection(type: ts.IntersectionType, parts: Mutable<TypeParts>, reader: TypeReader): void {
  const inner = type.types.map((member) => ({ member, parts: partsOf(member, reader) }))
  const primitive = inner.find(({ parts: each }) => baseOf(each) !== undefined || each.literals.length > 0)
  if (primitive === undefined) {
    parts.objects.push(type)
    return
  }
  const isEmptyObject = (member: ts.Type): boolean =>
    reader.checker.getPropertiesOfType(member).length === 0 && reader.checker.getIndexInfosOfType(member).length === 0
  const rest = inner.filter((each) => each !== primitive)
  if (rest.every(({ member, parts: each }) => each.objects.length > 0 && isEmptyObject(member))) {
    collectPresent(primitive.member, parts, reader)
    return
  }
  const [literal] = primitive.parts.literals
  const base = baseOf(primitive.parts) ?? (literal === undefined ? 'string' : typeof literal.value)
  parts.brands.push({ type, base: base === 'number' || base === 'boolean' || base === 'bigint' ? base : 'string' })
}

/** Collects the parts of a type intersected with `{}`: without null and undefined. */
function collectPresent(type: ts.Type, parts: Mutable<TypeParts>, reader: TypeReader): void {
  const { null: isNullable, undefined: isMaybe } = parts
  collect(type, parts, reader, 0)
  parts.null = isNullable
  parts.undefined = isMaybe
}

function baseOf(parts: TypeParts): 'string' | 'number' | 'boolean' | 'bigint' | undefined {
  if (parts.string || parts.templates.length > 0) return 'string'
  if (parts.number) return 'number'
  if (parts.boolean) return 'boolean'
  return parts.bigint ? 'bigint' : undefined
}

// The compiler makes these types for itself; its declarations do not name the functions.

/** A union; where the compiler does not make one, the given type, which then asks for a mapper. */
export function unionOf(types: readonly ts.Type[], otherwise: ts.Type, { checker }: TypeReader): ts.Type {
  const [only, ...others] = types
  if (only !== undefined && others.length === 0) return only
  const make = 'getUnionType' in checker ? checker.getUnionType : undefined
  return typeof make === 'function' ? make.call(checker, types) : otherwise
}

/** A list of such items; where the compiler does not make one, the given type, which then asks for a mapper. */
export function listOf(item: ts.Type, otherwise: ts.Type, { checker }: TypeReader): ts.Type {
  const make = 'createArrayType' in checker ? checker.createArrayType : undefined
  return typeof make === 'function' ? make.call(checker, item) : otherwise
}
