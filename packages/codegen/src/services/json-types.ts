import type { ts } from 'ts-morph'
import { isSymbolNamed, type Property, type TypeReader } from './type-reader.js'

/** A type with more inner types is accepted, because the codec validates its values at run time. */
const maxJsonTypes = 2_000

export function notJson(type: ts.Type, reader: TypeReader): string | undefined {
  const seen = new Set<ts.Type>()
  const visitAll = (types: readonly ts.Type[]): string | undefined => {
    for (const each of types) {
      const found = visit(each)
      if (found !== undefined) return found
    }
    return undefined
  }
  const visit = (each: ts.Type): string | undefined => {
    if (seen.has(each) || seen.size > maxJsonTypes) return undefined
    seen.add(each)
    const parts = reader.parts(each)
    if (parts.bigint) return 'a bigint'
    if (parts.others.length > 0) return 'a symbol'
    for (const object of parts.objects) {
      if (!reader.isList(object) && reader.builtin(object) !== undefined) return `a ${reader.describe(object)}`
      if (!reader.isList(object) && reader.isCallable(object)) return 'a function'
      const found = visitAll(reader.isList(object) ? reader.typeArguments(object) : memberTypes(object, reader))
      if (found !== undefined) return found
    }
    return undefined
  }
  return reader.parts(type).undefined ? 'undefined' : visit(type)
}

function memberTypes(object: ts.Type, reader: TypeReader): readonly ts.Type[] {
  const properties = reader.visibleProperties(object).map((property) => property.type())
  return [...properties, ...reader.checker.getIndexInfosOfType(object).map((info) => info.type)]
}

/** If the undeclared fields of a response have more types, the conversion removes the fields. Otherwise the codec removes the fields. */
const maxSurplusTypes = 100

/** An anonymous object type is assignable to a type with an index signature; an interface is not. */
export function hasImplicitIndex(type: ts.Type, reader: TypeReader): boolean {
  const { SymbolFlags } = reader.ts
  const members = type.isIntersection() ? type.types : [type]
  const literal = SymbolFlags.TypeLiteral | SymbolFlags.ObjectLiteral
  return members.every((member) => ((member.getSymbol()?.flags ?? 0) & literal) !== 0)
}

export function isPlain(type: ts.Type, undeclaredFields: readonly Property[], reader: TypeReader): boolean {
  const { Method, GetAccessor, SetAccessor } = reader.ts.SymbolFlags
  const isPlainMember = (property: Property): boolean =>
    (property.symbol.flags & (Method | GetAccessor | SetAccessor)) === 0 &&
    !isSymbolNamed(property) &&
    !reader.isHidden(property.symbol)
  const indexed = (object: ts.Type): readonly ts.Type[] =>
    reader.checker.getIndexInfosOfType(object).map((info) => info.type)
  let left = maxSurplusTypes
  const isPlainType = (each: ts.Type, within: readonly ts.Type[]): boolean => {
    left -= 1
    const parts = reader.parts(each)
    if (left < 0 || parts.open || parts.bigint || parts.deferred.length > 0 || parts.others.length > 0) return false
    return parts.objects.every((object) => {
      if (within.includes(object)) return false
      const inner = [...within, object]
      if (reader.isList(object)) return reader.typeArguments(object).every((item) => isPlainType(item, inner))
      if (reader.isCallable(object) || object.isClass() || reader.builtin(object) !== undefined) return false
      const properties = reader.properties(object)
      if (!properties.every(isPlainMember)) return false
      return [...properties.map((property) => property.type()), ...indexed(object)].every((one) =>
        isPlainType(one, inner),
      )
    })
  }
  return (
    reader.properties(type).every(isPlainMember) &&
    [...indexed(type), ...undeclaredFields.map((property) => property.type())].every((each) =>
      isPlainType(each, [type]),
    )
  )
}
