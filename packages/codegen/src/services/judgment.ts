import type { ts } from 'ts-morph'
import { byCodePoint } from '../text.js'
import type { Parameter } from './parameters.js'
import type { ArgumentPlan, Conversion, FieldConversion, Verdict } from './plan.js'
import type { Reason } from './reason.js'
import { reasons } from './reasons.js'
import type { TypeReader } from './type-reader.js'

export interface Judged<Plan> {
  readonly verdict: Verdict<Plan>
  readonly reasons: readonly Reason[]
}

export function judge<Plan>(
  plan: Plan,
  found: readonly Reason[],
  { changes, checked }: { readonly changes: boolean; readonly checked: boolean },
): Judged<Plan> {
  const { code, message, weight } = byGravity(found)[0]
  if (found.length > 0 && (weight === 'hard' || (weight === 'soft' && !checked))) {
    return { verdict: { verdict: 'mapper', reason: `${message} (${code})` }, reasons: found }
  }
  const isSoft = found.length > 0 && weight === 'soft'
  const notes = found.filter((reason) => reason.weight === 'note')
  return { verdict: { verdict: isSoft ? 'checked' : changes ? 'convert' : 'pass', plan }, reasons: notes }
}

const gravity: Readonly<Record<Reason['weight'], number>> = { hard: 2, soft: 1, note: 0 }

export function byGravity(found: readonly Reason[]): readonly [Reason, ...Reason[]] {
  const [first = reasons.unproven, ...others] = [...found].sort(
    (a, b) => gravity[b.weight] - gravity[a.weight] || byCodePoint(a.code, b.code),
  )
  return [first, ...others]
}

/**
 * If a plan passes a value unchanged, the type of the value must be assignable to the target type. Otherwise the application must convert the value.
 */
export class Proof {
  readonly #reader: TypeReader

  constructor(reader: TypeReader) {
    this.#reader = reader
  }

  ofPayload(
    judged: Judged<readonly ArgumentPlan[]>,
    payload: ts.Type,
    parameters: readonly Parameter[],
  ): Judged<readonly ArgumentPlan[]> {
    if (!('plan' in judged.verdict)) return judged
    const labels = judged.verdict.plan.flatMap((argument, index) => {
      const parameter = parameters[Math.min(index, parameters.length - 1)]
      if (parameter === undefined) return []
      if (argument.kind === 'bag') return this.#refused(argument.conversion, payload, parameter.type, 'the payload')
      return argument.kind === 'field' ? this.#refusedField(argument.field, payload, parameter.type) : []
    })
    return this.#judged(judged, labels, 'TG4115')
  }

  ofPart(judged: Judged<Conversion>, type: ts.Type, target: ts.Type): Judged<Conversion> {
    const { verdict } = judged
    if (!('plan' in verdict) || verdict.verdict === 'checked') return judged
    return this.#judged(judged, this.#refused(verdict.plan, type, target, 'the response'), 'TG4215')
  }

  #judged<Plan>(judged: Judged<Plan>, labels: readonly string[], code: 'TG4115' | 'TG4215'): Judged<Plan> {
    if (labels.length === 0 || !('plan' in judged.verdict)) return judged
    const found = [...judged.reasons, reasons.refused(code, labels)]
    return judge(judged.verdict.plan, found, { changes: true, checked: false })
  }

  #refused(conversion: Conversion, from: ts.Type, to: ts.Type, label: string): readonly string[] {
    const { checker } = this.#reader
    const items = (inner: Conversion, itemOf: (type: ts.Type) => ts.Type | undefined): readonly string[] => {
      const [source, target] = [from, to].map((type) => itemOf(checker.getNonNullableType(type)))
      return source && target ? this.#refused(inner, source, target, `${label}[]`) : []
    }
    switch (conversion.kind) {
      case 'pass':
        return checker.isTypeAssignableTo(from, to) || this.#isAny(from) ? [] : [label]
      case 'nullable':
      case 'orNull':
        return this.#refused(conversion.inner, checker.getNonNullableType(from), checker.getNonNullableType(to), label)
      case 'array':
        return items(conversion.items, (type) => type.getNumberIndexType())
      case 'record':
        return items(conversion.values, (type) => type.getStringIndexType())
      case 'object':
        return conversion.fields.flatMap((field) => {
          const type = this.#reader.propertyType(checker.getNonNullableType(to), field.to)
          return type === undefined ? [] : this.#refusedField(field, from, type)
        })
      case 'byKind': {
        const members = from.isUnion() ? from.types : [from]
        return conversion.cases.flatMap(({ kinds, conversion: inner }) =>
          members
            .filter((member) => kinds.some((kind) => kind === this.#reader.kindOf(member)))
            .flatMap((member) => this.#refused(inner, member, to, label)),
        )
      }
      default:
        return []
    }
  }

  /** The assignability of `any` proves nothing, because `any` is assignable to every type except `never`. */
  #isAny(type: ts.Type): boolean {
    return this.#reader.parts(type).any !== undefined
  }

  #refusedField(field: FieldConversion, owner: ts.Type, to: ts.Type): readonly string[] {
    const { checker, ts } = this.#reader
    const { from, presence, conversion } = field
    const type = from === undefined ? undefined : this.#reader.propertyType(checker.getNonNullableType(owner), from)
    if (from === undefined || type === undefined) return []
    if (presence === 'required' || presence === 'undefined') return this.#refused(conversion, type, to, from)
    if (presence !== 'omit' || conversion.kind !== 'pass') {
      return this.#refused(conversion, checker.getNonNullableType(type), to, from)
    }
    const members = type.isUnion() ? type.types : [type]
    const isAccepted = members.every(
      (member) => (member.flags & ts.TypeFlags.Undefined) !== 0 || checker.isTypeAssignableTo(member, to),
    )
    return isAccepted || this.#isAny(type) ? [] : [from]
  }
}
