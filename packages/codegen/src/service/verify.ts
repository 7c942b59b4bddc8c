import type { ts } from 'ts-morph'
import type { ArgumentPlan, Conversion, FieldConversion } from './plan/plan.js'
import type { Parameter } from './types/parameters.js'
import { partsOf } from './types/type-parts.js'
import type { TypeReader } from './types/type-reader.js'
import { kindOfType } from './types/value-kind.js'

/**
 * Asks the checker about everything that a plan passes on as it is: the generated type must be assignable to the type
 * on the other side. Returns the places where it is not.
 */
export function refutedArguments(
  plan: readonly ArgumentPlan[],
  payload: ts.Type,
  parameters: readonly Parameter[],
  reader: TypeReader,
): readonly string[] {
  return plan.flatMap((argument, index) => {
    const parameter = parameters[Math.min(index, parameters.length - 1)]
    if (parameter === undefined) return []
    if (argument.kind === 'bag') return refuted(argument.conversion, payload, parameter.type, 'the payload', reader)
    if (argument.kind !== 'field') return []
    return refutedField(argument.field, payload, parameter.type, reader)
  })
}

/** The places where a part of the method's answer is passed on but no part of the generated type. */
export function refutedPart(plan: Conversion, answer: ts.Type, made: ts.Type, reader: TypeReader): readonly string[] {
  return refuted(plan, answer, made, 'the answer', reader)
}

function refuted(
  conversion: Conversion,
  from: ts.Type,
  to: ts.Type,
  label: string,
  reader: TypeReader,
): readonly string[] {
  const { checker } = reader
  switch (conversion.kind) {
    case 'pass':
      return checker.isTypeAssignableTo(from, to) || isOpen(from, reader) ? [] : [label]
    case 'nullable':
    case 'orNull':
      return refuted(conversion.inner, checker.getNonNullableType(from), checker.getNonNullableType(to), label, reader)
    case 'array': {
      const [source, target] = [
        checker.getNonNullableType(from).getNumberIndexType(),
        checker.getNonNullableType(to).getNumberIndexType(),
      ]
      return source && target ? refuted(conversion.items, source, target, `${label}[]`, reader) : []
    }
    case 'record': {
      const [source, target] = [
        checker.getNonNullableType(from).getStringIndexType(),
        checker.getNonNullableType(to).getStringIndexType(),
      ]
      return source && target ? refuted(conversion.values, source, target, `${label}[]`, reader) : []
    }
    case 'object':
      return conversion.fields.flatMap((field) => {
        const property = checker.getPropertyOfType(checker.getNonNullableType(to), field.to)
        return property === undefined ? [] : refutedField(field, from, checker.getTypeOfSymbol(property), reader)
      })
    case 'byKind': {
      const members = from.isUnion() ? from.types : [from]
      return conversion.cases.flatMap(({ kinds, conversion: inner }) =>
        members
          .filter((member) => kinds.some((kind) => kind === kindOfType(member, reader)))
          .flatMap((member) => refuted(inner, member, to, label, reader)),
      )
    }
    default:
      return []
  }
}

/** `any` is assignable to everything but `never`; that it was accepted is a note of its own. */
function isOpen(type: ts.Type, reader: TypeReader): boolean {
  return partsOf(type, reader).any !== undefined
}

function refutedField(field: FieldConversion, owner: ts.Type, to: ts.Type, reader: TypeReader): readonly string[] {
  const { checker } = reader
  const property =
    field.from === undefined ? undefined : checker.getPropertyOfType(checker.getNonNullableType(owner), field.from)
  if (property === undefined) return []
  const type = checker.getTypeOfSymbol(property)
  const label = field.from ?? field.to
  if (field.presence === 'required' || field.presence === 'undefined') {
    return refuted(field.conversion, type, to, label, reader)
  }
  if (field.presence !== 'omit' || field.conversion.kind !== 'pass') {
    return refuted(field.conversion, checker.getNonNullableType(type), to, label, reader)
  }
  const members = type.isUnion() ? type.types : [type]
  const isUndefined = (member: ts.Type): boolean => (member.flags & reader.ts.TypeFlags.Undefined) !== 0
  const accepted = members.every((member) => isUndefined(member) || checker.isTypeAssignableTo(member, to))
  return accepted || isOpen(type, reader) ? [] : [label]
}
