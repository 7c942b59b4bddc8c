import type { ts } from 'ts-morph'
import { partsOf } from './type-parts.js'
import {
  builtinName,
  describeType,
  isHidden,
  isSymbolNamed,
  propertiesOf,
  type TypeReader,
  typeArgumentsOf,
} from './type-reader.js'

/** More types than this are not looked at: a value that large is taken to be JSON and the codec decides. */
const mostTypes = 2_000

/** What in a type JSON does not carry, in words; undefined when all of it is JSON or not known. */
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
