import type { ToolCall } from '../contract/call.js'
import type { ChatMessage } from '../contract/chat-message.js'
import type { MetaField } from '../contract/meta.js'
import type { Mutable } from '../contract/mutable.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { Decision, Planner, PlanRequest, TokenUsage } from '../contract/planner.js'
import type { RunPolicy } from '../contract/run-policy.js'
import type { Service } from '../contract/service.js'
import type { StepAccount, StepRequest, StepResult } from '../contract/step.js'
import type { StepSuspension } from '../contract/suspension.js'
import type { CallGroup } from '../execute/call/call-group.js'
import type { CallResumption } from '../execute/nest/call-resumption.js'
import { answerMessages, callsMessage, type NamedCall } from './call-messages.js'
import { clarificationOf } from './clarification.js'
import { givenDecision } from './given-decision.js'
import { resumedCalls } from './resumed-calls.js'
import { stepCalls } from './step-calls.js'
import { suspendedCall } from './suspended-call.js'
import type { ResumedStep } from './suspension/resumed-run.js'
import { stepSuspension } from './suspension/step-suspension.js'
import { untilSignal } from './until-signal.js'

/** What a step needs of its run. */
export interface StepContext {
  readonly planner: Planner
  readonly policy: RunPolicy
  /** Gives the calls of a step the ids and the names that they have in the conversation, in call order. */
  readonly nameCalls: (calls: readonly ToolCall<unknown, MetaField>[]) => readonly NamedCall[]
  readonly execute: (
    call: ToolCall<unknown, MetaField>,
    request: StepRequest,
    how: { readonly group: CallGroup; readonly resumption: CallResumption | undefined },
  ) => Promise<ToolOutcome>
  /** The outcome of a call that is not run, as cancelled. */
  readonly refuse: (call: ToolCall<unknown, MetaField>, message: string) => ToolOutcome
  /** Told what the decision of a step cost, before its calls begin. */
  readonly spend: (usage: TokenUsage) => void
  /** The step that waited, where the run goes on with one; the first who asks gets it. */
  readonly takeResumed: () => ResumedStep | undefined
}

/**
 * One step as the innermost service that step layers wrap: one decision of the planner with the calls that it asks for; in
 * a run that is resumed first what is left of the step that waited.
 *
 * @throws what the planner throws, a {@link TypeError} where it decides nothing, and the reason of the signal.
 */
export function stepService(context: StepContext): Service<StepRequest, StepResult> {
  return async (request) => {
    if (request.isResumed === true) {
      const resumed = context.takeResumed()
      if (resumed !== undefined) return resumedStep(context, request, resumed)
      throw new TypeError('a layer called next twice: the calls of a step that waited go on once')
    }
    const plan = planRequest(request)
    const decision = givenDecision(await untilSignal(request.meta.signal, async () => context.planner(plan)))
    context.spend(usageOf(decision.usage))
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
  const named = context.nameCalls(decision.calls)
  const allowed = named.slice(0, request.callsLeft)
  const run = await executed(context, request, allowed)
  const outcomes = named.map(({ call }, index) => run[index] ?? context.refuse(call, 'The run takes no more calls.'))
  const said = decision.message ?? callsMessage(named, decision.text)
  return settledStep(context, request, {
    named,
    outcomes,
    added: (isOver) => [said, ...answerMessages(named, outcomes, isOver)],
    account: accountOf(decision.usage, allowed.length),
    refused: named.length - allowed.length,
    ...finishOf(decision),
  })
}

/** What is left of a step that waited: the calls that somebody has answered. They were counted when they were asked for. */
async function resumedStep(context: StepContext, request: StepRequest, step: ResumedStep): Promise<StepResult> {
  const { calls, answered, before, merge } = resumedCalls(step, request.messages)
  const run = await executed(context, request, answered, step.resumptions)
  const { outcomes, answers } = merge(run)
  return settledStep(
    context,
    { ...request, messages: before },
    {
      named: calls,
      outcomes,
      added: answers,
      account: accountOf(undefined, 0),
      refused: 0,
    },
  )
}

function executed(
  context: StepContext,
  request: StepRequest,
  calls: readonly NamedCall[],
  resumptions?: ReadonlyMap<string, CallResumption>,
): Promise<readonly ToolOutcome[]> {
  const { parallelism = Number.POSITIVE_INFINITY, onFailure } = context.policy
  return stepCalls(
    calls.map(({ call }) => call),
    {
      parallelism,
      failFast: onFailure === 'fail_fast',
      signal: request.meta.signal,
      execute: (call, group) =>
        context.execute(call, request, { group, resumption: resumptions?.get(call.toolCallId ?? '') }),
    },
  )
}

/** A step whose calls have their outcomes. */
interface CalledStep extends Pick<StepResult, 'account' | 'refused' | 'finishReason'> {
  readonly named: readonly NamedCall[]
  readonly outcomes: readonly ToolOutcome[]
  /** The messages that the step adds. */
  readonly added: (isOver: boolean) => readonly ChatMessage[]
}

function settledStep(
  { policy }: StepContext,
  request: StepRequest,
  { named, outcomes, added, ...cost }: CalledStep,
): StepResult {
  // Of several final values the one of the first call counts.
  const final = outcomes.find((outcome) => outcome.stop !== undefined)?.stop
  // Nobody will come back to a run that has its final value or was cancelled.
  const isOver = final !== undefined || request.meta.signal.aborted
  const messages = conversation(request, ...added(isOver))
  const step = { ...cost, messages, outcomes }
  if (final !== undefined) return { ...step, kind: 'done', stop: final, result: { value: final.value } }
  const waits = isOver ? undefined : stepSuspension(() => named.map(suspendedCall), outcomes, request.meta.agent)
  if (waits !== undefined) return { ...step, kind: 'done', stop: { reason: 'suspended' }, suspension: waits }
  const asked = policy.onMissingFields === 'await_clarification' ? clarificationOf(outcomes) : undefined
  if (asked === undefined) return { ...step, kind: 'next' }
  const question: ChatMessage = { role: 'assistant', content: asked.question }
  return {
    ...step,
    messages: Object.freeze([...messages, question]),
    kind: 'done',
    stop: { reason: 'suspended' },
    suspension: { kind: 'clarification', ...asked, calls: [], pending: [] },
  }
}

function lastStep(request: StepRequest, decision: Exclude<Decision, { kind: 'calls' }>): StepResult {
  const rest = { account: accountOf(decision.usage, 0), outcomes: [], refused: 0, ...finishOf(decision) }
  if (decision.kind === 'question') {
    const { question } = decision
    const asked = decision.message ?? { role: 'assistant', content: question }
    const messages = conversation(request, asked)
    const suspension: StepSuspension = { kind: 'clarification', question, fields: [], calls: [], pending: [] }
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
  // Not by a spread: what that makes takes five times the memory, and events keep it.
  const { promptTokens, completionTokens } = usageOf(usage)
  return Object.freeze({ promptTokens, completionTokens, toolCalls })
}

function usageOf(usage: TokenUsage | undefined): TokenUsage {
  return { promptTokens: count(usage?.promptTokens), completionTokens: count(usage?.completionTokens) }
}

/** A planner may be plain JavaScript: what is no count must not switch the budget of tokens off. */
function count(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? tokens : 0
}
