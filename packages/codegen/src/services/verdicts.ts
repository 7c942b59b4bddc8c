import type { ts } from 'ts-morph'
import { byCodePoint } from '../text.js'
import type { Candidate, PartFit, ToolSide } from './fit-result.js'
import type { Finding } from './match.js'
import { type Parameter, parametersOf } from './parameters.js'
import type { ArgumentDraft } from './payload-call.js'
import type { ArgumentPlan, Conversion, FieldConversion, Verdict } from './plan.js'
import { type SurplusDroppedBy, settle } from './settle-plan.js'
import { partsOf } from './type-parts.js'
import type { TypeReader } from './types.js'
import { kindOfType } from './value-kind.js'

/** A verdict with everything found on the way to it. */
export interface Judged<Plan> {
  readonly verdict: Verdict<Plan>
  readonly findings: readonly Finding[]
}

/** The verdict that nothing could be proven, with the gravest of the findings as its reason. */
function mapperVerdict<Plan>(findings: readonly Finding[]): Judged<Plan> {
  const [{ code, message }] = byGravity(findings)
  return { verdict: { verdict: 'mapper', reason: `${message} (${code})` }, findings }
}

/** Findings against a transform, the gravest first: a hard one before a soft one, then by code. Never empty. */
export function byGravity(findings: readonly Finding[]): readonly [Finding, ...Finding[]] {
  const [first = unproven, ...others] = [...findings].sort(
    (a, b) => weights[b.weight] - weights[a.weight] || byCodePoint(a.code, b.code),
  )
  return [first, ...others]
}

const weights: Readonly<Record<Finding['weight'], number>> = { hard: 2, soft: 1, note: 0 }
const unproven: Finding = { code: 'TG4113', weight: 'hard', message: 'nothing could be proven' }

/** Returns the verdict for a payload. */
function judgePayload({ call }: Candidate): Judged<readonly ArgumentPlan[]> {
  const settled = call.args.map(settleArgument)
  const findings = [...call.findings, ...settled.flatMap((each) => each.findings)]
  if (findings.some(({ weight }) => weight !== 'note')) return mapperVerdict(findings)
  const plan = settled.map((each) => each.plan)
  return { verdict: { verdict: plan.every(isDirect) ? 'pass' : 'convert', plan }, findings }
}

/** Returns the verdict for a response or a part of it. */
function judgePart({ fit }: PartFit, side: ToolSide, surplus: SurplusDroppedBy): Judged<Conversion> {
  const settled = settle(fit.draft, surplus)
  const findings = [...fit.findings, ...settlementFindings(settled, 'TG4210', 'the alternatives of the answer')]
  const isHard = findings.some(({ weight }) => weight === 'hard')
  const isSoft = findings.some(({ weight }) => weight === 'soft')
  const plan = settled.conversion
  if (isHard || (isSoft && !side.answer.checked)) return mapperVerdict(findings)
  if (isSoft)
    return { verdict: { verdict: 'checked', plan }, findings: findings.filter(({ weight }) => weight === 'note') }
  return { verdict: { verdict: plan.kind === 'pass' ? 'pass' : 'convert', plan }, findings }
}

interface SettledArgument {
  readonly plan: ArgumentPlan
  readonly findings: readonly Finding[]
}

function settleArgument(argument: ArgumentDraft): SettledArgument {
  switch (argument.kind) {
    case 'bag': {
      const settled = settle(argument.draft)
      const findings = settlementFindings(settled, 'TG4110', 'the variants of the payload')
      const { conversion } = settled
      const isOpen = conversion.kind === 'pass' || conversion.kind === 'object'
      const signal = isOpen && argument.signal !== undefined ? { signal: argument.signal } : {}
      return { plan: { kind: 'bag', conversion, ...signal }, findings }
    }
    case 'field':
    case 'spread': {
      const settled = settle(argument.field.conversion)
      const findings = settlementFindings(settled, 'TG4110', `the variants of ${argument.field.from ?? 'the payload'}`)
      const { field } = argument
      return { plan: { kind: argument.kind, field: { ...field, conversion: settled.conversion } }, findings }
    }
    default:
      return { plan: argument, findings: [] }
  }
}

function settlementFindings(
  settled: { readonly undecided: boolean; readonly unnameable: boolean },
  code: 'TG4110' | 'TG4210',
  what: string,
): readonly Finding[] {
  const findings: Finding[] = []
  if (settled.undecided) {
    findings.push({
      code,
      weight: 'hard',
      message: `${what} need different conversions and neither their kind nor a field tells them apart`,
    })
  }
  if (settled.unnameable) {
    const message = 'a recursive part needs a conversion inside a union, Set or Map, where its type has no name'
    findings.push({ code: 'TG4113', weight: 'hard', message })
  }
  return findings
}

/** True for an argument that is the payload or a field of it as it is, or nothing of it. */
function isDirect(argument: ArgumentPlan): boolean {
  switch (argument.kind) {
    case 'bag':
      return argument.conversion.kind === 'pass' || isOnlySignal(argument)
    case 'field':
    case 'spread':
      return argument.field.conversion.kind === 'pass' && argument.field.presence !== 'undefinedNull'
    default:
      return true
  }
}

function isOnlySignal({ conversion, signal }: ArgumentPlan & { kind: 'bag' }): boolean {
  return signal !== undefined && conversion.kind === 'object' && conversion.fields.length === 0 && !conversion.rest
}

/** The types that the generated code of a tool will have. */
export interface GeneratedToolTypes {
  readonly payload: ts.Type
  readonly result: ts.Type
  /** There where the tool streams. */
  readonly update?: ts.Type
}

/** Verdicts for everything that a tool passes on, verified by the compiler. */
interface ProvenVerdicts {
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

/**
 * Asks the checker about everything that a plan passes on as it is: the generated type must be assignable to the type
 * on the other side. Returns the places where it is not.
 */
function refutedArguments(
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
function refutedPart(plan: Conversion, answer: ts.Type, made: ts.Type, reader: TypeReader): readonly string[] {
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
