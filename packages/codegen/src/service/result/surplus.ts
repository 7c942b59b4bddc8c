import type { ts } from 'ts-morph'
import type { Shape } from '../../schema/shape/shape.js'
import { partsOf } from '../types/type-parts.js'
import {
  builtinName,
  isHidden,
  isSymbolNamed,
  propertiesOf,
  type TypeReader,
  typeArgumentsOf,
} from '../types/type-reader.js'

/** With more types than this in its undeclared fields, an answer is better cut down before the codec copies it. */
const mostTypes = 100

/** Keywords under which the result codec drops what is not declared, whatever it is. */
const silent: ReadonlySet<string> = new Set(
  ['type', 'properties', 'required', 'title', 'description', '$comment', 'default', 'examples', 'deprecated'].concat([
    'readOnly',
    'writeOnly',
  ]),
)

/** True when the result codec leaves undeclared fields out instead of refusing, counting or keeping them. */
export function dropsUndeclared({ schema }: Shape): boolean {
  return Object.keys(schema).every((keyword) => silent.has(keyword))
}

/**
 * True when an object of this type, with the undeclared fields that are named, can be handed to the codec as it is: a
 * plain object whose undeclared fields are JSON, few, and do not lead back to an object that they are part of.
 */
export function isPlainBeside(type: ts.Type, undeclared: readonly string[], reader: TypeReader): boolean {
  const budget = { left: mostTypes }
  return (
    propertiesOf(type, reader).every((property) => isPlainMember(property, reader)) &&
    reader.checker.getIndexInfosOfType(type).every((info) => isPlain(info.type, [type], budget, reader)) &&
    propertiesOf(type, reader)
      .filter(({ name }) => undeclared.includes(name))
      .every((property) => isPlain(property.type(), [type], budget, reader))
  )
}

/** True for object types that the compiler lets stand where an index signature is wanted: those without a name of their own. */
export function hasImplicitIndex(type: ts.Type, { ts }: TypeReader): boolean {
  const members = type.isIntersection() ? type.types : [type]
  const literal = ts.SymbolFlags.TypeLiteral | ts.SymbolFlags.ObjectLiteral
  return members.every((member) => ((member.getSymbol()?.flags ?? 0) & literal) !== 0)
}

function isPlainMember(property: ReturnType<typeof propertiesOf>[number], reader: TypeReader): boolean {
  const { Method, GetAccessor, SetAccessor } = reader.ts.SymbolFlags
  const isComputed = (property.symbol.flags & (Method | GetAccessor | SetAccessor)) !== 0
  return !isComputed && !isSymbolNamed(property) && !isHidden(property, reader)
}

function isPlain(type: ts.Type, within: readonly ts.Type[], budget: { left: number }, reader: TypeReader): boolean {
  budget.left -= 1
  const parts = partsOf(type, reader)
  if (budget.left < 0 || parts.any !== undefined || parts.unknown || parts.bigint) return false
  if (parts.deferred.length > 0 || parts.others.length > 0) return false
  return parts.objects.every((object) => {
    if (within.includes(object)) return false
    const inner = [...within, object]
    const { checker } = reader
    if (checker.isArrayType(object) || checker.isTupleType(object)) {
      return typeArgumentsOf(object, reader).every((item) => isPlain(item, inner, budget, reader))
    }
    const isCallable = checker.getSignaturesOfType(object, reader.ts.SignatureKind.Call).length > 0
    if (isCallable || object.isClass() || builtinName(object, reader) !== undefined) return false
    const properties = propertiesOf(object, reader)
    if (!properties.every((property) => isPlainMember(property, reader))) return false
    const indexed = checker.getIndexInfosOfType(object).map((info) => info.type)
    return [...properties.map((property) => property.type()), ...indexed].every((each) =>
      isPlain(each, inner, budget, reader),
    )
  })
}
