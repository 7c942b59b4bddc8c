import type { ToolTable } from '../call/call-target.js'
import { agentServing, type ServingAgent } from '../call/missing-options.js'
import type { CallResumption } from '../call/nesting.js'
import { isFailureReason } from '../call/tool-failure.js'
import type { ChatFields, ChatMessage } from '../types/chat.js'
import type { StopSignal } from '../types/errors.js'
import type { Mutable } from '../types/json.js'
import type {
  Answers,
  CallSuspension,
  CallSuspensionKind,
  PendingAnswer,
  PendingCall,
  RunSuspension,
  SuspendedCall,
  ToolOutcome,
} from '../types/outcome.js'
import type { RunState } from '../types/run.js'
import { pendingCalls, pendingId, requireAgent, restoredOutcome, SuspensionError } from './suspension-schema.js'

type Kind = 'approve' | 'deny' | 'result' | 'failure' | 'text'

const LEGAL: Readonly<Record<CallSuspensionKind, readonly Kind[]>> = {
  approval: ['approve', 'deny', 'result', 'failure'],
  external: ['result', 'failure', 'deny'],
  clarification: ['text'],
}

const FORMS: Readonly<Record<Kind, string>> = {
  approve: "'approve'",
  deny: "'deny', { decision: 'deny', reason }",
  result: '{ result }',
  failure: '{ failure: { message } }',
  text: '{ text }',
}

/**
 * Answers as the runtime can trust them, read once, by the ids of pending calls.
 *
 * @throws {SuspensionError} `wrong_answers`, naming each answer that fits nothing, or saying that there is none.
 */
function givenAnswers(pending: readonly PendingCall[], answers: unknown): ReadonlyMap<string, PendingAnswer> {
  const [only] = pending
  if (typeof answers === 'string' && pending.length === 1 && only?.kind === 'clarification') {
    return new Map([[only.id, { text: answers }]])
  }
  const known = new Map(pending.map((each) => [each.id, each.kind]))
  const ids = [...known].map(([id, kind]) => `'${id}' (${kind})`).join(', ')
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers)) {
    throw wrong([`give an object of answers by the ids of the pending calls: ${ids}`])
  }
  const given = Object.entries(answers).filter(([, answer]) => answer !== undefined)
  const read = given.map(([id, answer]) => {
    const kind = known.get(id)
    if (kind === undefined) return { id, fault: `'${id}' is no pending call; there are ${ids}` }
    const form = readAnswer(answer, kind)
    if (form !== undefined) return { id, answer: form }
    return {
      id,
      fault: `the answer to '${id}' is not valid: give ${LEGAL[kind].map((each) => FORMS[each]).join(', ')}`,
    }
  })
  const faults = read.flatMap(({ fault }) => fault ?? [])
  if (faults.length > 0) throw wrong(faults)
  if (read.length === 0) throw wrong([`give at least one answer; there are ${ids}`])
  return new Map(read.flatMap(({ id, answer }) => (answer === undefined ? [] : [[id, answer] as const])))
}

/**
 * The text that answers a run's own question.
 *
 * @throws {SuspensionError} `wrong_answers` where there is none.
 */
function givenText(answers: unknown): string {
  const text = typeof answers === 'string' ? answers : propertyOf(answers, 'text')
  if (typeof text === 'string') return text
  throw wrong(['the run asks a question: give the answer as a text'])
}

/** What each waiting call of a step goes on with, by its id; calls without an answer are left out. */
function callResumptions(
  waiting: readonly CallSuspension[],
  answers: ReadonlyMap<string, PendingAnswer>,
): ReadonlyMap<string, CallResumption> {
  return new Map(
    waiting.flatMap((suspension) => {
      const resumption = resumptionOf(suspension, answers)
      return resumption === undefined ? [] : [[suspension.call.toolCallId, resumption] as const]
    }),
  )
}

function resumptionOf(
  { call, arguments: waiting, adapted, nested }: CallSuspension,
  answers: ReadonlyMap<string, PendingAnswer>,
): CallResumption | undefined {
  const id = pendingId(call.toolCallId)
  const answer = answers.get(id)
  if (nested === undefined)
    return answer === undefined ? undefined : { kind: 'answer', answer, arguments: waiting, adapted }
  const inner = nested.pending.length === 0 ? textOf(answer) : beneath(`${id}/`, answers)
  return inner === undefined ? undefined : { kind: 'nested', suspension: nested, answers: inner, arguments: waiting }
}

function textOf(answer: PendingAnswer | undefined): string | undefined {
  return typeof answer === 'object' && 'text' in answer ? answer.text : undefined
}

function beneath(prefix: string, answers: ReadonlyMap<string, PendingAnswer>): Answers | undefined {
  const inner = [...answers].filter(([id]) => id.startsWith(prefix))
  return inner.length === 0
    ? undefined
    : Object.fromEntries(inner.map(([id, answer]) => [id.slice(prefix.length), answer]))
}

function readAnswer(given: unknown, kind: CallSuspensionKind): PendingAnswer | undefined {
  const found = LEGAL[kind].map((form) => readForm(given, form)).filter((answer) => answer !== undefined)
  return found.length === 1 ? found[0] : undefined
}

function readForm(given: unknown, form: Kind): PendingAnswer | undefined {
  if (form === 'approve') return given === 'approve' ? given : undefined
  if (form === 'deny') return given === 'deny' ? given : denialOf(given)
  if (form === 'failure') return failureOf(propertyOf(given, 'failure'))
  if (form === 'text') {
    const text = propertyOf(given, 'text')
    return typeof text === 'string' ? { text } : undefined
  }
  const result = jsonOf(propertyOf(given, 'result'))
  return result === undefined ? undefined : { result: JSON.parse(result) }
}

function denialOf(given: unknown): PendingAnswer | undefined {
  const reason = propertyOf(given, 'reason')
  return propertyOf(given, 'decision') === 'deny' && typeof reason === 'string'
    ? { decision: 'deny', reason }
    : undefined
}

function failureOf(failure: unknown): PendingAnswer | undefined {
  const message = propertyOf(failure, 'message')
  const reason = propertyOf(failure, 'reason')
  if (typeof message !== 'string') return undefined
  if (reason === undefined) return { failure: { message } }
  return isFailureReason(reason) ? { failure: { message, reason } } : undefined
}

function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // No JSON: no answer.
    return undefined
  }
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined
}

function wrong(faults: readonly string[]): SuspensionError {
  return new SuspensionError('wrong_answers', `The suspension cannot be resumed with this: ${faults.join('; ')}.`)
}

/** The step that waited, ready to go on. */
export interface ResumedStep {
  readonly calls: readonly SuspendedCall[]
  /** Of all calls of the step, as they stood. */
  readonly outcomes: readonly ToolOutcome[]
  /** What waiting calls go on with, by their ids; a call without an answer is left out. */
  readonly resumptions: ReadonlyMap<string, CallResumption>
}

/** A suspended run, ready to go on. */
interface ResumedRun {
  readonly begin: RunState
  readonly stops: readonly StopSignal[]
  readonly fields?: ChatFields
  /** Absent where the run itself asked: the planner goes on then. */
  readonly step?: ResumedStep
}

/**
 * Where a suspended run goes on with these answers. Nothing is run yet.
 *
 * @throws {SuspensionError} when an answer fits nothing, or a result its tool no more.
 */
export function resumedRun(of: ServingAgent, suspension: RunSuspension, answers: unknown): ResumedRun {
  const { progress, calls, messages, agent } = suspension
  const { descriptor, table } = of
  requireAgent(suspension, descriptor.name)
  const outcomes = progress.outcomes.map((outcome) => restoredOutcome(table, outcome))
  if (calls.length === 0) {
    const reply: ChatMessage = { role: 'user', content: givenText(answers) }
    return resumed(suspension, outcomes, [...messages, reply])
  }
  const ofStep = outcomes.splice(-calls.length)
  const waiting = ofStep.flatMap((outcome) => (outcome.status === 'suspended' ? [outcome.suspension] : []))
  const given = givenAnswers(pendingCalls(ofStep, agent), answers)
  const step = { calls, outcomes: ofStep, resumptions: callResumptions(waiting, given) }
  requireSameTools(table, calls, ofStep)
  for (const { call } of waiting) requireBeneath(table, call.tool, step.resumptions.get(call.toolCallId))
  const run = resumed(suspension, outcomes, messages)
  // The step that waited is gone through once more: it counts when it has ended.
  return { ...run, begin: { ...run.begin, turns: Math.max(0, progress.turns - 1) }, step }
}

/** Requires that each stored call runs the tool that is shown to the approver. */
function requireSameTools(table: ToolTable, calls: readonly SuspendedCall[], outcomes: readonly ToolOutcome[]): void {
  for (const [index, { tool }] of calls.entries()) {
    const outcome = outcomes[index]
    const found = table.find(tool)?.tool.id
    // A tool that is no longer there makes the call fail.
    if (outcome?.status !== 'suspended' || found === undefined || found === outcome.call.tool) continue
    throw new SuspensionError(
      'invalid_form',
      `The suspension was changed: /calls/${index}/tool runs '${found}', and the pending call is one of '${outcome.call.tool}'. Resume the suspension as \`run.suspension\` returned it.`,
    )
  }
}

/**
 * Requires that the tool still serves a nested run, and that the answers fit it, before anything is claimed. The session and the
 * claim of the nested run are checked when its call runs: layers can give the call another session.
 */
function requireBeneath(table: ToolTable, tool: string, resumption: CallResumption | undefined): void {
  if (resumption?.kind !== 'nested') return
  const executor = table.find(tool)?.tool.executor
  const beneath = executor && agentServing(executor)
  if (beneath !== undefined) {
    resumedRun(beneath, resumption.suspension, resumption.answers)
    return
  }
  const { agent } = resumption.suspension
  throw new SuspensionError(
    'wrong_agent',
    `A run of the agent '${agent}' waits, and it does not serve '${tool}' any more.`,
  )
}

function resumed(
  { progress }: RunSuspension,
  outcomes: readonly ToolOutcome[],
  messages: readonly ChatMessage[],
): ResumedRun {
  const { turns, toolCalls, refused, promptTokens, completionTokens, elapsedMs, runStart, stops, fields } = progress
  const begin: RunState = {
    turns,
    toolCalls,
    refused,
    promptTokens,
    completionTokens,
    elapsedMs,
    outcomes: Object.freeze(outcomes),
    messages: Object.freeze(messages.map((message) => Object.freeze({ ...message }))),
    runStart,
  }
  const run: Mutable<ResumedRun> = { begin, stops }
  if (fields !== undefined) run.fields = fields
  return run
}
