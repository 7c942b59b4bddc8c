import type { ToolCall } from '../contract/call.js'
import type { ChatMessage } from '../contract/chat-message.js'
import type { MetaField } from '../contract/meta.js'
import type { Mutable } from '../contract/mutable.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { Decision, Planner, PlanRequest, TokenUsage } from '../contract/planner.js'
import type { RunPolicy } from '../contract/run-policy.js'
import type { Service } from '../contract/service.js'
import type { StepAccount, StepRequest, StepResult } from '../contract/step.js'
import type { RunSuspension } from '../contract/suspension.js'
import type { CallGroup } from '../execute/call/call-group.js'
import { answerMessages, callsMessage, type NamedCall } from './call-messages.js'
import { type Clarification, clarificationOf } from './clarification.js'
import { givenDecision } from './given-decision.js'
import { stepCalls } from './step-calls.js'
import { untilSignal } from './until-signal.js'

/** What a step needs of its run. */
export interface StepContext {
  readonly planner: Planner
  readonly policy: RunPolicy
  /** Gives the calls of a step the ids and the names that they have in the conversation, in call order. */
  readonly nameCalls: (calls: readonly ToolCall<unknown, MetaField>[]) => readonly NamedCall[]
  readonly execute: (call: ToolCall<unknown, MetaField>, request: StepRequest, group: CallGroup) => Promise<ToolOutcome>
  /** The outcome of a call that is not run, as cancelled. */
  readonly refuse: (call: ToolCall<unknown, MetaField>, message: string) => ToolOutcome
}

/**
 * One step as the innermost service that step layers wrap: one decision of the planner with the calls that it asks for.
 *
 * @throws what the planner throws, a {@link TypeError} where it decides nothing, and the reason of the signal.
 */
export function stepService(context: StepContext): Service<StepRequest, StepResult> {
  return async (request) => {
    const plan = planRequest(request)
    const decision = givenDecision(await untilSignal(request.meta.signal, async () => context.planner(plan)))
    return decision.kind === 'calls' ? callStep(context, request, decision) : lastStep(request, decision)
  }
}

function planRequest({ messages, tools, outcomes, meta, turn, fields, runStart, answer }: StepRequest): PlanRequest {
  const plan: Mutable<PlanRequest> = { messages, tools, outcomes, meta, turn }
  if (fields !== undefined) plan.fields = fields
  if (runStart !== undefined) plan.runStart = runStart
  if (answer !== undefined) plan.answer = answer
  return plan
}

type CallsDecision = Extract<Decision, { kind: 'calls' }>

async function callStep(context: StepContext, request: StepRequest, decision: CallsDecision): Promise<StepResult> {
  const { policy } = context
  const named = context.nameCalls(decision.calls)
  const allowed = named.slice(0, request.callsLeft)
  const run = await stepCalls(
    allowed.map(({ call }) => call),
    {
      parallelism: policy.parallelism ?? Number.POSITIVE_INFINITY,
      failFast: policy.onFailure === 'fail_fast',
      signal: request.meta.signal,
      execute: (call, group) => context.execute(call, request, group),
    },
  )
  // Of several final values the one of the first call counts.
  const final = run.find((outcome) => outcome.stop !== undefined)?.stop
  const outcomes = named.map(({ call }, index) => run[index] ?? context.refuse(call, 'The run takes no more calls.'))
  // Nobody will come back to a run that has its final value or was cancelled.
  const isOver = final !== undefined || request.meta.signal.aborted
  const said = decision.message ?? callsMessage(named, decision.text)
  const messages = conversation(request, said, ...answerMessages(named, outcomes, isOver))
  const account = accountOf(decision.usage, allowed.length)
  const refused = named.length - allowed.length
  const step = { messages, outcomes, account, refused, ...finishOf(decision) }
  if (final !== undefined) return { ...step, kind: 'done', stop: final, result: { value: final.value } }
  const suspension = isOver ? undefined : waiting(request, messages, outcomes)
  if (suspension !== undefined) return { ...step, kind: 'done', stop: { reason: 'suspended' }, suspension }
  const clarification = policy.onMissingFields === 'await_clarification' ? clarificationOf(outcomes) : undefined
  if (clarification === undefined) return { ...step, kind: 'next' }
  const withQuestion: readonly ChatMessage[] = [...messages, { role: 'assistant', content: clarification.question }]
  const asked = asking(request, withQuestion, clarification)
  return { ...step, messages: withQuestion, kind: 'done', stop: { reason: 'suspended' }, suspension: asked }
}

function lastStep(request: StepRequest, decision: Exclude<Decision, { kind: 'calls' }>): StepResult {
  const rest = { account: accountOf(decision.usage, 0), outcomes: [], refused: 0, ...finishOf(decision) }
  if (decision.kind === 'question') {
    const { question } = decision
    const asked = decision.message ?? { role: 'assistant', content: question }
    const messages = conversation(request, asked)
    const suspension = asking(request, messages, { question, fields: [] })
    return { ...rest, kind: 'done', stop: { reason: 'suspended' }, suspension, messages }
  }
  const result =
    'value' in decision
      ? { value: decision.value, ...(decision.text !== undefined && { text: decision.text }) }
      : { text: decision.text }
  const content = decision.text ?? JSON.stringify('value' in decision ? decision.value : '')
  const messages = conversation(request, decision.message ?? { role: 'assistant', content })
  return { ...rest, kind: 'done', stop: { reason: 'answered' }, result, messages }
}

/** A planner may be plain JavaScript: a reason is a text. */
function finishOf({ finishReason }: Decision): { readonly finishReason?: string } {
  return typeof finishReason === 'string' ? { finishReason } : {}
}

/** The conversation with what a step adds. Planners and layers read it; nobody changes it. */
function conversation({ messages }: StepRequest, ...added: readonly ChatMessage[]): readonly ChatMessage[] {
  return Object.freeze([...messages, ...added])
}

function accountOf(usage: TokenUsage | undefined, toolCalls: number): StepAccount {
  return Object.freeze({
    promptTokens: count(usage?.promptTokens),
    completionTokens: count(usage?.completionTokens),
    toolCalls,
  })
}

/** A planner may be plain JavaScript: what is no count must not switch the budget of tokens off. */
function count(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? tokens : 0
}

function asking(
  { meta }: StepRequest,
  messages: readonly ChatMessage[],
  { question, fields }: Clarification,
): RunSuspension {
  return { version: 1, runId: meta.runId, agent: meta.agent, messages, kind: 'clarification', question, fields }
}

function waiting(
  { meta }: StepRequest,
  messages: readonly ChatMessage[],
  outcomes: readonly ToolOutcome[],
): RunSuspension | undefined {
  if (outcomes.every((outcome) => outcome.status !== 'suspended')) return undefined
  const pending = outcomes.flatMap((outcome) => (outcome.status === 'suspended' ? [outcome.suspension] : []))
  const kind = pending.some((each) => each.kind === 'approval') ? 'approval' : 'external'
  return { version: 1, runId: meta.runId, agent: meta.agent, messages, kind, pending }
}
