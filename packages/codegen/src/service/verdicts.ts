import { byCodePoint } from '../text/by-code-point.js'
import type { Candidate } from './choose-signature.js'
import type { PartFit } from './fit-answer.js'
import type { Finding } from './match/fit.js'
import type { ArgumentDraft } from './payload/payload-call.js'
import type { ArgumentPlan, Conversion, Verdict } from './plan/plan.js'
import { type SurplusDroppedBy, settle } from './plan/settle.js'
import type { ToolSide } from './tool-side.js'

/** A verdict with everything found on the way to it. */
export interface Judged<Plan> {
  readonly verdict: Verdict<Plan>
  readonly findings: readonly Finding[]
}

/** The verdict that nothing could be proven, with the gravest of the findings as its reason. */
export function mapperVerdict<Plan>(findings: readonly Finding[]): Judged<Plan> {
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

/** What becomes of a payload. */
export function judgePayload({ call }: Candidate): Judged<readonly ArgumentPlan[]> {
  const settled = call.args.map(settleArgument)
  const findings = [...call.findings, ...settled.flatMap((each) => each.findings)]
  if (findings.some(({ weight }) => weight !== 'note')) return mapperVerdict(findings)
  const plan = settled.map((each) => each.plan)
  return { verdict: { verdict: plan.every(isDirect) ? 'pass' : 'convert', plan }, findings }
}

/** What becomes of a method's answer, or of a part of it. */
export function judgePart({ fit }: PartFit, side: ToolSide, surplus: SurplusDroppedBy): Judged<Conversion> {
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
