import type { ts } from 'ts-morph'
import { unionOf } from './made-type.js'
import type { TypeReader } from './type-reader.js'

/**
 * A type without the runtime's `Provenanced` around it: `Order` of `Provenanced<Order>`, and likewise for each
 * alternative of a union. The runtime takes the wrapper off before a transform or a mapper sees the answer.
 */
export function bareType(type: ts.Type, reader: TypeReader): ts.Type {
  const alternatives = type.isUnion() ? type.types : [type]
  const inner = alternatives.map((each) => wrappedType(each, reader))
  if (inner.every((value) => value === undefined)) return type
  return unionOf([...new Set(inner.map((value, index) => value ?? alternatives[index] ?? type))], type, reader)
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
