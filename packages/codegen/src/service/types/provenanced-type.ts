import type { ts } from 'ts-morph'
import type { TypeReader } from './type-reader.js'

/**
 * A type without the runtime's `Provenanced` around it: `Order` of `Provenanced<Order>`, and likewise for each
 * alternative of a union. The runtime takes the wrapper off before a transform or a mapper sees the answer.
 */
export function bareType(type: ts.Type, reader: TypeReader): ts.Type {
  const alternatives = type.isUnion() ? type.types : [type]
  const inner = alternatives.map((each) => wrappedType(each, reader))
  if (inner.every((value) => value === undefined)) return type
  return together([...new Set(inner.map((value, index) => value ?? alternatives[index] ?? type))], type, reader)
}

/** The value of a `Provenanced`; undefined for any other type. A user's type of the same name lacks the mark. */
function wrappedType(type: ts.Type, { checker }: TypeReader): ts.Type | undefined {
  if (type.getSymbol()?.name !== 'Provenanced') return undefined
  const isMarked = checker
    .getPropertiesOfType(type)
    .some(({ escapedName }) => /^__@MARK(?:@|$)/.test(escapedName.toString()))
  const value = isMarked ? checker.getPropertyOfType(type, 'value') : undefined
  return value === undefined ? undefined : checker.getTypeOfSymbol(value)
}

/** A union; where the compiler does not make one, the type as it was, which then asks for a mapper. */
function together(types: readonly ts.Type[], whole: ts.Type, { checker }: TypeReader): ts.Type {
  const [only, ...others] = types
  if (only !== undefined && others.length === 0) return only
  // The compiler makes unions for itself; its declarations do not name the function.
  const make = 'getUnionType' in checker ? checker.getUnionType : undefined
  return typeof make === 'function' ? make.call(checker, types) : whole
}
