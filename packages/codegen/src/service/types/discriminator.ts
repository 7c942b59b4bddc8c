import type { ts } from 'ts-morph'
import { hasNonLiterals, partsOf } from './type-parts.js'
import type { TypeReader } from './type-reader.js'

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
