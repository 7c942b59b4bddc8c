import type { CallResumption } from '../call/nested-run.js'
import { acknowledgedOutcome } from '../call/outcomes.js'
import type { ServingAgent } from '../call/required-options.js'
import { agentServing } from '../call/required-options.js'
import type { ToolTable } from '../call/served-tool.js'
import { restoredError } from '../call/tool-error.js'
import { LEGAL_ACTIONS } from '../call/tool-failure.js'
import { payloadCodec } from '../codec/codecs.js'
import { pointerSegment } from '../schema/json-pointer.js'
import { parseJson } from '../schema/parse-json.js'
import type { ChatMessage } from '../types/chat.js'
import type { Codec } from '../types/codec.js'
import type { JsonSchema } from '../types/json.js'
import type {
  CallSuspension,
  CallSuspensionKind,
  PendingAnswer,
  PendingCall,
  ResumeClaims,
  RunSuspension,
  StoredOutcome,
  SuspendedCall,
  ToolOutcome,
} from '../types/outcome.js'
import type { RunStart } from './step-attempts.js'
import { pendingCalls } from './step-suspension.js'
import { fields, text } from './stored-outcome.js'
import { jsonOf, requireAgent } from './suspension.js'
import { SuspensionError } from './suspension-error.js'

/**
 * Returns the point at which a suspended run continues with these answers. Nothing is run yet.
 *
 * @throws {SuspensionError} if an answer fits no pending call, or a result does not fit its tool any more.
 */
export function resumedStart(agent: ServingAgent, suspension: RunSuspension, answers: unknown): RunStart {
  const { progress, calls, messages } = suspension
  const { descriptor, table } = agent
  requireAgent(suspension, descriptor.name)
  const outcomes = progress.outcomes.map((outcome) => restoredOutcome(table, outcome))
  if (calls.length === 0) {
    const reply: ChatMessage = { role: 'user', content: questionAnswer(answers) }
    return startOf(suspension, outcomes, [...messages, reply], progress.turns)
  }
  const ofStep = outcomes.splice(-calls.length)
  const waiting = ofStep.flatMap((outcome) => (outcome.status === 'suspended' ? [outcome.suspension] : []))
  const read = readAnswers(pendingCalls(ofStep, suspension.agent), answers)
  const resumptions = new Map<string, CallResumption>()
  for (const wait of waiting) {
    const resumption = resumptionOf(wait, read)
    if (resumption !== undefined) resumptions.set(wait.call.toolCallId, resumption)
  }
  requireSameTools(table, calls, ofStep)
  for (const { call } of waiting) requireServing(table, call.tool, resumptions.get(call.toolCallId))
  // The suspended step is repeated: it counts when it has ended.
  const start = startOf(suspension, outcomes, messages, Math.max(0, progress.turns - 1))
  return { ...start, step: { calls, outcomes: ofStep, resumptions } }
}

function startOf(
  { progress }: RunSuspension,
  outcomes: readonly ToolOutcome[],
  messages: readonly ChatMessage[],
  turns: number,
): RunStart {
  const { toolCalls, refused, promptTokens, completionTokens, elapsedMs, runStart, stops, fields } = progress
  const state = {
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
  return { state, stops, ...(fields !== undefined && { fields }) }
}

/** Requires that each stored call runs the tool that is shown to the approver. */
function requireSameTools(table: ToolTable, calls: readonly SuspendedCall[], outcomes: readonly ToolOutcome[]): void {
  for (const [index, { tool }] of calls.entries()) {
    const outcome = outcomes[index]
    const found = table.find(tool)?.tool.id
    // A tool that does not exist any more makes the call fail.
    if (outcome?.status !== 'suspended' || found === undefined || found === outcome.call.tool) continue
    throw new SuspensionError(
      'invalid_form',
      `The suspension was changed: /calls/${index}/tool runs '${found}', and the pending call is one of '${outcome.call.tool}'. Resume the suspension as \`run.suspension\` returned it.`,
    )
  }
}

/**
 * Requires that the tool still serves a nested run, and that the answers fit it, before anything is claimed. The session and
 * the claim of the nested run are checked when its call runs: layers can give the call another session.
 */
function requireServing(table: ToolTable, tool: string, resumption: CallResumption | undefined): void {
  if (resumption?.kind !== 'nested') return
  const executor = table.find(tool)?.tool.executor
  const agent = executor && agentServing(executor)
  if (agent !== undefined) {
    resumedStart(agent, resumption.suspension, resumption.answers)
    return
  }
  throw new SuspensionError(
    'wrong_agent',
    `A run of the agent '${resumption.suspension.agent}' waits, and it does not serve '${tool}' any more.`,
  )
}

/** @throws {SuspensionError} if a result does not fit its tool any more. */
function restoredOutcome(table: ToolTable, stored: StoredOutcome): ToolOutcome {
  if (stored.status === 'failed') return Object.freeze({ ...stored, error: restoredError(stored.error, stored.hint) })
  if (stored.status === 'suspended') return Object.freeze({ ...stored })
  const { call, provenance, status, json, data = json, acknowledgement } = stored
  if (acknowledgement !== undefined) return acknowledgedOutcome(call, provenance, acknowledgement)
  // A tool that does not exist any more has no schema.
  const decoded = table.find(call.tool)?.tool.result.decode(data) ?? parseJson(data)
  if (decoded.ok) {
    return Object.freeze({ call, provenance, status, result: Object.freeze({ data: decoded.value, provenance }), json })
  }
  if (!('issues' in decoded)) {
    throw new SuspensionError('invalid_form', `The suspension holds a result of '${call.tool}' that is no JSON.`)
  }
  const message = `The result of the call '${call.toolCallId}' does not fit the tool '${call.tool}' any more.`
  throw new SuspensionError('changed_result', message, decoded.issues)
}

type AnswerKind = 'approve' | 'deny' | 'result' | 'failure' | 'text'

const LEGAL: Readonly<Record<CallSuspensionKind, readonly AnswerKind[]>> = {
  approval: ['approve', 'deny', 'result', 'failure'],
  external: ['result', 'failure', 'deny'],
  clarification: ['text'],
}

const failure = fields({ message: text }, { reason: { enum: Object.keys(LEGAL_ACTIONS) } })

const ANSWERS: Readonly<Record<AnswerKind, readonly [example: string, Codec<never, PendingAnswer>]>> = {
  approve: ["'approve'", answerCodec({ const: 'approve' })],
  deny: [
    "'deny', { decision: 'deny', reason }",
    answerCodec({ anyOf: [{ const: 'deny' }, fields({ decision: { const: 'deny' }, reason: text })] }),
  ],
  result: ['{ result }', answerCodec(fields({ result: {} }))],
  failure: ['{ failure: { message } }', answerCodec(fields({ failure }))],
  text: ['{ text }', answerCodec(fields({ text }))],
}

function answerCodec(schema: JsonSchema): Codec<never, PendingAnswer> {
  return payloadCodec({ schema, unknown: 'strip' })
}

function readAnswer(answer: unknown, kinds: readonly AnswerKind[]): readonly PendingAnswer[] {
  const json = jsonOf(answer)
  if (json === undefined) return []
  return kinds.flatMap((kind) => {
    const decoded = ANSWERS[kind][1].decode(json)
    return decoded.ok ? [decoded.value] : []
  })
}

/** @throws {SuspensionError} `wrong_answers` if there is no answer to the run's own question. */
function questionAnswer(answers: unknown): string {
  const [answer] = typeof answers === 'string' ? [{ text: answers }] : readAnswer(answers, ['text'])
  if (typeof answer === 'object' && 'text' in answer) return answer.text
  throw wrongAnswers('the run asks a question: give the answer as a text')
}

/**
 * Reads answers by the ids of pending calls.
 *
 * @throws {SuspensionError} `wrong_answers`, naming each answer that fits no pending call.
 */
function readAnswers(pending: readonly PendingCall[], answers: unknown): ReadonlyMap<string, PendingAnswer> {
  const [only] = pending
  if (typeof answers === 'string' && pending.length === 1 && only?.kind === 'clarification') {
    return new Map([[only.id, { text: answers }]])
  }
  const kinds = new Map(pending.map(({ id, kind }) => [id, kind]))
  const ids = [...kinds].map(([id, kind]) => `'${id}' (${kind})`).join(', ')
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers)) {
    throw wrongAnswers(`give an object of answers by the ids of the pending calls: ${ids}`)
  }
  const read = new Map<string, PendingAnswer>()
  const problems: string[] = []
  for (const [id, answer] of Object.entries(answers)) {
    if (answer === undefined) continue
    const kind = kinds.get(id)
    const legal = kind === undefined ? [] : LEGAL[kind]
    const found = readAnswer(answer, legal)
    if (found[0] !== undefined && found.length === 1) read.set(id, found[0])
    else if (kind === undefined) problems.push(`'${id}' is no pending call; there are ${ids}`)
    else problems.push(`the answer to '${id}' is not valid: give ${legal.map((each) => ANSWERS[each][0]).join(', ')}`)
  }
  if (problems.length > 0) throw wrongAnswers(problems.join('; '))
  if (read.size === 0) throw wrongAnswers(`give at least one answer; there are ${ids}`)
  return read
}

/** Returns the data with which a suspended call continues; `undefined` if it has no answer. */
function resumptionOf(
  { call, arguments: waiting, adapted, nested }: CallSuspension,
  answers: ReadonlyMap<string, PendingAnswer>,
): CallResumption | undefined {
  const id = pointerSegment(call.toolCallId)
  const answer = answers.get(id)
  if (nested === undefined) return answer && { kind: 'answer', answer, arguments: waiting, adapted }
  if (nested.pending.length === 0) {
    const text = typeof answer === 'object' && 'text' in answer ? answer.text : undefined
    return text === undefined ? undefined : { kind: 'nested', suspension: nested, answers: text, arguments: waiting }
  }
  const ofNested = [...answers].flatMap(([key, each]) =>
    key.startsWith(`${id}/`) ? [[key.slice(id.length + 1), each] as const] : [],
  )
  if (ofNested.length === 0) return undefined
  return { kind: 'nested', suspension: nested, answers: Object.fromEntries(ofNested), arguments: waiting }
}

function wrongAnswers(problem: string): SuspensionError {
  return new SuspensionError('wrong_answers', `The suspension cannot be resumed with this: ${problem}.`)
}

/** @throws {SuspensionError} `already_resumed` or `expired`. */
export async function claimSuspension(claims: ResumeClaims, { id, suspendedAt }: RunSuspension): Promise<void> {
  const claimed: unknown = await claims.claim(id, suspendedAt === undefined ? {} : { suspendedAt })
  if (claimed === true) return
  if (claimed === false) {
    throw new SuspensionError('already_resumed', 'This suspension has been resumed before: a run goes on once.')
  }
  if (claimed !== 'expired') throw new TypeError("claims.claim(id) must return true, false or 'expired'")
  throw new SuspensionError(
    'expired',
    'This suspension is too old: the claims no longer know whether it was resumed before. Start the run again, or use claims that are kept longer.',
  )
}

/** Options of {@link claimsInMemory}. */
export interface ClaimsInMemoryOptions {
  /** Maximum number of stored claims, about 100 bytes each. At least 1; default 100,000. */
  readonly capacity?: number
}

/**
 * Creates claims of one process, in memory. When there are more than `capacity`, the claims of the older half of the
 * suspensions are deleted. From then on a suspension that is not younger than a deleted one is refused as `expired`, since it
 * may have been resumed: no suspension is resumed twice. Use claims in a database (`postgresClaims`) if runs wait while more
 * than `capacity` younger ones are resumed, or if several processes resume.
 *
 * @throws {RangeError} for a `capacity` that is not a whole number of at least 1.
 *
 * @example
 * const runtime = new Runtime({ claims: claimsInMemory({ capacity: 1_000_000 }) })
 */
export function claimsInMemory({ capacity = 100_000 }: ClaimsInMemoryOptions = {}): ResumeClaims {
  if (!Number.isInteger(capacity) || capacity < 1) {
    throw new RangeError(`claimsInMemory: capacity is ${capacity}; give a whole number from 1 on`)
  }
  let claimed = new Map<string, number>()
  let deletedUntil = Number.NEGATIVE_INFINITY
  return {
    // A suspension of an earlier version has no time; it counts as older than all others.
    claim: (id, { suspendedAt = 0 } = {}) => {
      if (claimed.has(id)) return false
      if (suspendedAt <= deletedUntil) return 'expired'
      claimed.set(id, suspendedAt)
      if (claimed.size <= capacity) return true
      const oldestFirst = [...claimed].sort(([, one], [, other]) => one - other)
      const deleted = oldestFirst.length - Math.floor(capacity / 2)
      deletedUntil = Math.max(deletedUntil, oldestFirst[deleted - 1]?.[1] ?? 0)
      claimed = new Map(oldestFirst.slice(deleted))
      return true
    },
  }
}
