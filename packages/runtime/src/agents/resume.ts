import { editProblem, readApproval } from '../call/approvals.js'
import { type CallResumption, copyTokenDetails } from '../call/nested-run.js'
import { acknowledgedOutcome } from '../call/outcomes.js'
import type { Redaction } from '../call/redaction.js'
import type { ServingAgent } from '../call/required-options.js'
import { agentServing } from '../call/required-options.js'
import type { ToolTable } from '../call/served-tool.js'
import { restoredError } from '../call/tool-error.js'
import { LEGAL_ACTIONS } from '../call/tool-failure.js'
import { payloadCodec } from '../codec/codecs.js'
import { pointerSegment } from '../schema/json-pointer.js'
import { parseJson } from '../schema/parse-json.js'
import { either } from '../schema/wording.js'
import type { ChatMessage } from '../types/chat.js'
import type { Codec } from '../types/codec.js'
import type { McpAnswer } from '../types/elicitation.js'
import type { JsonSchema, Mutable } from '../types/json.js'
import type {
  CallSuspension,
  CallSuspensionKind,
  PendingAnswer,
  PendingCall,
  ResumeClaims,
  RunSuspension,
  StoredOutcome,
  SuspendedCall,
  SuspensionSigner,
  ToolOutcome,
} from '../types/outcome.js'
import type { RunState } from '../types/run.js'
import { answerProblem, answerSchema } from './elicitation.js'
import type { RunStart } from './step-attempts.js'
import { pendingCalls, questionId } from './step-suspension.js'
import { arrayOf, fields, text } from './stored-outcome.js'
import { jsonOf, requireAgent } from './suspension.js'
import { SuspensionError } from './suspension-error.js'
import { requireSigned } from './suspension-signature.js'

export function resumedStart(
  agent: ServingAgent,
  suspension: RunSuspension,
  answers: unknown,
  redaction?: Redaction,
): RunStart {
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
  requireValidEdits(table, waiting, resumptions)
  for (const { call } of waiting) requireServing(table, call.tool, resumptions.get(call.toolCallId), redaction)
  // The suspended step is counted as a turn when it ends, not when the run is resumed.
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
  const state: Mutable<RunState> = {
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
  copyTokenDetails(state, progress)
  return { state, stops, ...(fields !== undefined && { fields }) }
}

/** Only the tool that the approver saw may run. */
function requireSameTools(table: ToolTable, calls: readonly SuspendedCall[], outcomes: readonly ToolOutcome[]): void {
  for (const [index, { tool }] of calls.entries()) {
    const outcome = outcomes[index]
    const found = table.find(tool)?.tool.id
    // If the tool no longer exists, the call fails later.
    if (outcome?.status !== 'suspended' || found === undefined || found === outcome.call.tool) continue
    throw new SuspensionError(
      'invalid_form',
      `The suspension was changed: /calls/${index}/tool names the tool '${found}', but the pending call is of the tool '${outcome.call.tool}'. Pass \`run.suspension\` unchanged.`,
    )
  }
}

/** Runs before the suspension is marked as resumed, so that the approver can correct the arguments. */
function requireValidEdits(
  table: ToolTable,
  waiting: readonly CallSuspension[],
  resumptions: ReadonlyMap<string, CallResumption>,
): void {
  const problems = waiting.flatMap(({ call: { tool, toolCallId } }) => {
    const resumption = resumptions.get(toolCallId)
    const approval = resumption?.kind === 'answer' ? readApproval(resumption.answer) : undefined
    const found = table.find(tool)?.tool
    // If the tool no longer exists, the call fails later.
    if (found === undefined || approval?.arguments === undefined) return []
    const problem = editProblem(found, approval.arguments)
    return problem === undefined
      ? []
      : [`The arguments in the answer to '${pointerSegment(toolCallId)}' are invalid: ${problem}`]
  })
  if (problems.length > 0) throw wrongAnswers(problems.join(' '))
}

/**
 * Runs before the outer suspension is marked as resumed. Does not check the session of the nested run, because layers can change the session later.
 */
function requireServing(
  table: ToolTable,
  tool: string,
  resumption: CallResumption | undefined,
  redaction: Redaction | undefined,
): void {
  if (resumption?.kind !== 'nested') return
  const found = table.find(tool)?.tool
  const agent = found && agentServing(found)
  if (agent !== undefined) {
    const { suspension, answers } = resumption
    resumedStart(agent, redaction?.restoreState(suspension) ?? suspension, answers, redaction)
    return
  }
  throw new SuspensionError(
    'wrong_agent',
    `A suspended run of the agent '${resumption.suspension.agent}' cannot continue, because that agent no longer serves the tool '${tool}'.`,
  )
}

export function restoredOutcome(table: ToolTable, stored: StoredOutcome): ToolOutcome {
  if (stored.status === 'failed') {
    const { error, hint } = stored
    return Object.freeze({ ...stored, error: restoredError(error, hint, table.find(stored.call.tool)?.tool.spec) })
  }
  if (stored.status === 'suspended') return Object.freeze({ ...stored })
  const { call, provenance, status, json, data = json, content, acknowledgement } = stored
  if (acknowledgement !== undefined) return acknowledgedOutcome(call, provenance, acknowledgement)
  // A tool that no longer exists has no schema.
  const decoded = table.find(call.tool)?.tool.result.decode(data) ?? parseJson(data)
  if (decoded.ok) {
    const result = Object.freeze({ data: decoded.value, provenance })
    return Object.freeze({ call, provenance, status, result, json, ...(content !== undefined && { content }) })
  }
  if (!('issues' in decoded)) {
    throw new SuspensionError('invalid_form', `The suspension has a result of '${call.tool}' that is not JSON.`)
  }
  const message = `The result of the call '${call.toolCallId}' no longer matches the schema of the tool '${call.tool}'.`
  throw new SuspensionError('changed_result', message, decoded.issues)
}

type AnswerKind = 'approve' | 'deny' | 'result' | 'failure' | 'text' | 'action'

const LEGAL: Readonly<Record<CallSuspensionKind, readonly AnswerKind[]>> = {
  approval: ['approve', 'deny', 'result', 'failure'],
  external: ['result', 'failure', 'deny'],
  clarification: ['text'],
  elicitation: ['action'],
}

const failure = fields({ message: text }, { reason: { enum: Object.keys(LEGAL_ACTIONS) } })

// Undeclared properties are rejected, because a wrong name could run a tool with other arguments than intended.
const approvalSchema: JsonSchema = {
  ...fields(
    { decision: { const: 'approve' } },
    {
      arguments: {},
      by: text,
      remember: {
        anyOf: [{ enum: ['call', 'tool'] }, { ...fields({ fields: arrayOf(text, 1) }), additionalProperties: false }],
      },
    },
  ),
  additionalProperties: false,
}

const ANSWERS: Readonly<Record<AnswerKind, readonly [example: string, Codec<never, PendingAnswer>]>> = {
  approve: [
    "'approve', { decision: 'approve', arguments, by, remember }",
    answerCodec({ anyOf: [{ const: 'approve' }, approvalSchema] }),
  ],
  deny: [
    "'deny', { decision: 'deny', reason, by }",
    answerCodec({ anyOf: [{ const: 'deny' }, fields({ decision: { const: 'deny' } }, { reason: text, by: text })] }),
  ],
  result: ['{ result }', answerCodec(fields({ result: {} }))],
  failure: ['{ failure: { message } }', answerCodec(fields({ failure }))],
  text: ['{ text }', answerCodec(fields({ text }))],
  action: ["{ action: 'accept', content }, { action: 'decline' }, { action: 'cancel' }", answerCodec(answerSchema)],
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

function questionAnswer(answers: unknown): string {
  const [answer] = typeof answers === 'string' ? [{ text: answers }] : readAnswer(answers, ['text'])
  if (typeof answer === 'object' && 'text' in answer) return answer.text
  throw wrongAnswers('The run asks a question. Pass the answer as a string.')
}

function readAnswers(pending: readonly PendingCall[], answers: unknown): ReadonlyMap<string, PendingAnswer> {
  const [only] = pending
  if (typeof answers === 'string' && pending.length === 1 && only?.kind === 'clarification') {
    return new Map([[only.id, { text: answers }]])
  }
  const byId = new Map(pending.map((each) => [each.id, each]))
  const ids = pending.map(({ id, kind }) => `'${id}' (${kind})`).join(', ')
  if (typeof answers !== 'object' || answers === null || Array.isArray(answers)) {
    throw wrongAnswers(`Pass an object that maps the ids of the pending calls to answers. Pending calls: ${ids}.`)
  }
  const read = new Map<string, PendingAnswer>()
  const problems: string[] = []
  for (const [id, answer] of Object.entries(answers)) {
    if (answer === undefined) continue
    const { kind, question } = byId.get(id) ?? {}
    const legal = kind === undefined ? [] : LEGAL[kind]
    const [found, another] = readAnswer(answer, legal)
    if (found !== undefined && another === undefined) {
      const problem = question && isMcpAnswer(found) ? answerProblem(question, found) : undefined
      if (problem === undefined) read.set(id, found)
      else problems.push(`The answer to '${id}' ${problem}`)
    } else if (kind === undefined) problems.push(`'${id}' is not a pending call. Pending calls: ${ids}.`)
    else problems.push(`The answer to '${id}' is invalid. Expected ${either(legal.map((each) => ANSWERS[each][0]))}.`)
  }
  if (problems.length > 0) throw wrongAnswers(problems.join(' '))
  const missing = pending.find(
    (each) => !read.has(each.id) && pending.some((other) => read.has(other.id) && isOfSameCall(each, other)),
  )
  if (missing !== undefined) throw wrongAnswers(`Also answer '${missing.id}', which belongs to the same call.`)
  if (read.size === 0) throw wrongAnswers(`Pass at least one answer. Pending calls: ${ids}.`)
  return read
}

function isMcpAnswer(answer: PendingAnswer): answer is McpAnswer {
  return typeof answer === 'object' && 'action' in answer
}

/** An MCP server expects the answers to all questions of a call together. */
function isOfSameCall(one: PendingCall, other: PendingCall): boolean {
  const callOf = ({ id, question }: PendingCall): string | undefined => question && id.slice(0, id.lastIndexOf('/'))
  return callOf(one) !== undefined && callOf(one) === callOf(other)
}

export function requireAnswersTo({ calls, pending }: RunSuspension, answers: unknown): void {
  if (calls.length === 0) questionAnswer(answers)
  else readAnswers(pending, answers)
}

function resumptionOf(
  { call, arguments: waiting, adapted, approval, approved, nested, elicitation }: CallSuspension,
  answers: ReadonlyMap<string, PendingAnswer>,
): CallResumption | undefined {
  const id = pointerSegment(call.toolCallId)
  const answer = answers.get(id)
  if (elicitation !== undefined) {
    const responses = Object.keys(elicitation.questions).flatMap((key) => {
      const response = answers.get(questionId(id, key))
      return response === undefined ? [] : [[key, response] as const]
    })
    if (responses.length === 0) return undefined
    const content = Object.fromEntries(responses)
    return { kind: 'elicitation', elicitation, answers: content, arguments: waiting, adapted, approval, approved }
  }
  if (nested === undefined) {
    return answer && !isMcpAnswer(answer)
      ? { kind: 'answer', answer, arguments: waiting, adapted, approved }
      : undefined
  }
  if (nested.pending.length === 0) {
    const text = typeof answer === 'object' && 'text' in answer ? answer.text : undefined
    if (text === undefined) return undefined
    return { kind: 'nested', suspension: nested, answers: text, arguments: waiting, approval, approved }
  }
  const ofNested = [...answers].flatMap(([key, each]) =>
    key.startsWith(`${id}/`) ? [[key.slice(id.length + 1), each] as const] : [],
  )
  if (ofNested.length === 0) return undefined
  return {
    kind: 'nested',
    suspension: nested,
    answers: Object.fromEntries(ofNested),
    arguments: waiting,
    approval,
    approved,
  }
}

function wrongAnswers(problem: string): SuspensionError {
  return new SuspensionError('wrong_answers', `The answers do not match the suspension. ${problem}`)
}

export async function requireOrigin(
  suspension: RunSuspension,
  signer: SuspensionSigner | undefined,
  sessionId: string | undefined,
): Promise<void> {
  await requireSigned(suspension, signer)
  if (suspension.sessionId === sessionId) return
  throw new SuspensionError(
    'wrong_session',
    'The run was suspended in another session. Resume it with the original `sessionId`.',
  )
}

export async function claimSuspension(claims: ResumeClaims, { id, suspendedAt }: RunSuspension): Promise<void> {
  const claimed: unknown = await claims.claim(id, suspendedAt === undefined ? {} : { suspendedAt })
  if (claimed === true) return
  if (claimed === false) {
    throw new SuspensionError(
      'already_resumed',
      'This suspension has already been resumed. A run can be resumed only once.',
    )
  }
  if (claimed !== 'expired') throw new TypeError("claims.claim(id) must return true, false or 'expired'.")
  throw new SuspensionError(
    'expired',
    'This suspension is too old. The run may already have been resumed, because the record of an earlier resume may have been deleted. Start a new run. To resume older suspensions, pass `claims` that keep their records longer to the runtime.',
  )
}

export interface ClaimsInMemoryOptions {
  /** Maximum number of stored claims, at least 1. A claim needs about 100 bytes. Default: 100,000. */
  readonly capacity?: number
}

/**
 * Creates a store that records each resumed suspension in the memory of one process, so that no suspension is resumed twice. Above `capacity`
 * entries, the store deletes the entries of the older half of the suspensions. The store then cannot detect a second resumption of these suspensions.
 * The runtime therefore accepts only suspensions that are newer than the deleted suspensions, and rejects all older suspensions as `expired`. Use
 * `postgresClaims` if several processes resume runs. Also use `postgresClaims` if a run can stay suspended until more than `capacity` newer
 * suspensions are resumed.
 *
 * @throws {RangeError} if `capacity` is not an integer of at least 1.
 *
 * @example
 * const runtime = new Runtime({ claims: claimsInMemory({ capacity: 1_000_000 }) })
 */
export function claimsInMemory({ capacity = 100_000 }: ClaimsInMemoryOptions = {}): ResumeClaims {
  if (!Number.isInteger(capacity) || capacity < 1) {
    throw new RangeError(`claimsInMemory: capacity is ${capacity}. Expected an integer of at least 1.`)
  }
  let claimed = new Map<string, number>()
  let deletedUntil = Number.NEGATIVE_INFINITY
  return {
    // A suspension of an older version has no time and counts as the oldest.
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
