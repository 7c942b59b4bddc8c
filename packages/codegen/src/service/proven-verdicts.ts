import type { ts } from 'ts-morph'
import type { Candidate } from './choose-signature.js'
import type { PartFit } from './fit-answer.js'
import type { ArgumentPlan, Conversion } from './plan/plan.js'
import type { ToolSide } from './tool-side.js'
import { parametersOf } from './types/parameters.js'
import type { TypeReader } from './types/type-reader.js'
import { type Judged, judgePart, judgePayload, mapperVerdict } from './verdicts.js'
import { refutedArguments, refutedPart } from './verify.js'

/** The types that the generated code of a tool will have. */
export interface GeneratedToolTypes {
  readonly payload: ts.Type
  readonly result: ts.Type
  /** There where the tool streams. */
  readonly update?: ts.Type
}

/** What becomes of all that a tool passes on, where the compiler agrees. */
export interface ProvenVerdicts {
  readonly payload: Judged<readonly ArgumentPlan[]>
  readonly result: Judged<Conversion>
  /** There where the tool streams and the method does. */
  readonly update?: Judged<Conversion>
}

/** Judges a signature and asks the compiler about everything that would be passed on as it is. */
export function provenVerdicts(
  candidate: Candidate,
  side: ToolSide,
  { generated, reader }: { readonly generated: GeneratedToolTypes; readonly reader: TypeReader },
): ProvenVerdicts {
  const { result, update } = candidate
  // The parameters of a generic signature are compared uninstantiated, so that the checker's no proves nothing there.
  const isProvable = !isGeneric(candidate.signature)
  const partVerdict = (part: PartFit, made: ts.Type): Judged<Conversion> =>
    isProvable ? provenPart(part, made, side, reader) : judgePart(part, side, 'codec')
  return {
    payload: isProvable ? provenPayload(candidate, generated.payload, reader) : judgePayload(candidate),
    result: partVerdict(result, generated.result),
    ...(update === undefined || generated.update === undefined
      ? {}
      : { update: partVerdict(update, generated.update) }),
  }
}

/** True for a signature with type parameters of its own. */
export function isGeneric(signature: ts.Signature): boolean {
  return (signature.getTypeParameters()?.length ?? 0) > 0
}

function provenPayload(candidate: Candidate, payload: ts.Type, reader: TypeReader): Judged<readonly ArgumentPlan[]> {
  const judged = judgePayload(candidate)
  if (!('plan' in judged.verdict)) return judged
  const parameters = parametersOf(candidate.signature, reader)
  return downgraded(judged, refutedArguments(judged.verdict.plan, payload, parameters, reader), 'TG4115')
}

/** Leaves undeclared fields to the codec where the compiler accepts the value as it is, else takes the declared ones. */
function provenPart(part: PartFit, made: ts.Type, side: ToolSide, reader: TypeReader): Judged<Conversion> {
  const whole = judgePart(part, side, 'codec')
  if (verified(whole, part, made, reader) === whole) return whole
  return verified(judgePart(part, side, 'transform'), part, made, reader)
}

function verified(
  judged: Judged<Conversion>,
  { type }: PartFit,
  made: ts.Type,
  reader: TypeReader,
): Judged<Conversion> {
  const { verdict } = judged
  if (!('plan' in verdict) || verdict.verdict === 'checked') return judged
  return downgraded(judged, refutedPart(verdict.plan, type, made, reader), 'TG4215')
}

function downgraded<Plan>(judged: Judged<Plan>, refuted: readonly string[], code: 'TG4115' | 'TG4215'): Judged<Plan> {
  if (refuted.length === 0) return judged
  const message = `the compiler does not accept ${refuted.slice(0, 3).join(', ')} as it is`
  return mapperVerdict([...judged.findings, { code, weight: 'hard', message }])
}
