import type { ts } from 'ts-morph'
import type { Draft } from './draft.js'
import type { GeneratedToolTypes } from './generated-types.js'
import { type Judged, judge, Proof } from './judgment.js'
import { parametersOf } from './parameters.js'
import type { CallFit } from './payload-call.js'
import type { ArgumentPlan, Conversion } from './plan.js'
import type { Reason } from './reason.js'
import { reasons } from './reasons.js'
import { Settled, type SurplusDroppedBy } from './settled.js'
import type { Candidate, PartFit } from './signature.js'
import type { TypeReader } from './type-reader.js'

function settlementReasons(settled: Settled, code: 'TG4110' | 'TG4210', what: string): readonly Reason[] {
  return [
    ...(settled.undecided ? [reasons.undecided(code, what)] : []),
    ...(settled.unnameable ? [reasons.unnameable] : []),
  ]
}

function judgePayload({ args, reasons: found }: CallFit): Judged<readonly ArgumentPlan[]> {
  const all = [...found]
  const settled = (draft: Draft, what: string): Conversion => {
    const made = new Settled(draft)
    all.push(...settlementReasons(made, 'TG4110', `the variants of ${what}`))
    return made.conversion
  }
  const plan = args.map((argument): ArgumentPlan => {
    switch (argument.kind) {
      case 'bag': {
        const conversion = settled(argument.draft, 'the payload')
        const { signal } = argument
        const isOpen = conversion.kind === 'pass' || conversion.kind === 'object'
        return { kind: 'bag', conversion, ...(isOpen && signal !== undefined && { signal }) }
      }
      case 'field':
      case 'spread': {
        const { kind, field } = argument
        return { kind, field: { ...field, conversion: settled(field.conversion, field.from ?? 'the payload') } }
      }
      default:
        return argument
    }
  })
  return judge(plan, all, { changes: !plan.every(isDirect), checked: false })
}

function isDirect(argument: ArgumentPlan): boolean {
  switch (argument.kind) {
    case 'bag': {
      const { conversion, signal } = argument
      const isEmpty = conversion.kind === 'object' && conversion.fields.length === 0 && !conversion.rest
      return conversion.kind === 'pass' || (signal !== undefined && isEmpty)
    }
    case 'field':
    case 'spread':
      return argument.field.conversion.kind === 'pass' && argument.field.presence !== 'undefinedNull'
    default:
      return true
  }
}

function judgePart({ fit }: PartFit, checked: boolean, surplus: SurplusDroppedBy): Judged<Conversion> {
  const settled = new Settled(fit.draft, surplus)
  const found = [...fit.reasons, ...settlementReasons(settled, 'TG4210', 'the alternatives of the response')]
  return judge(settled.conversion, found, { changes: settled.conversion.kind !== 'pass', checked })
}

interface ToolVerdicts {
  readonly payload: Judged<readonly ArgumentPlan[]>
  readonly result: Judged<Conversion>
  readonly update?: Judged<Conversion>
}

export function isGeneric(signature: ts.Signature): boolean {
  return (signature.getTypeParameters()?.length ?? 0) > 0
}

export function judgeTool(
  { signature, call, result, update }: Candidate,
  generated: GeneratedToolTypes,
  checked: boolean,
  reader: TypeReader,
): ToolVerdicts {
  const proof = new Proof(reader)
  // The type parameters of a generic signature are not instantiated, so a rejection by the checker proves nothing.
  const isProvable = !isGeneric(signature)
  const payload = judgePayload(call)
  const judgedPart = (part: PartFit, target: ts.Type): Judged<Conversion> => {
    const whole = judgePart(part, checked, 'codec')
    // The codec drops undeclared fields if the compiler accepts the unconverted value. Otherwise the conversion drops them.
    return !isProvable || proof.ofPart(whole, part.type, target) === whole
      ? whole
      : proof.ofPart(judgePart(part, checked, 'transform'), part.type, target)
  }
  return {
    payload: isProvable ? proof.ofPayload(payload, generated.payload, parametersOf(signature, reader)) : payload,
    result: judgedPart(result, generated.result),
    ...(update !== undefined && generated.update !== undefined && { update: judgedPart(update, generated.update) }),
  }
}
