import type { CallListener } from '../call/call-context.js'
import { CallGroup } from '../call/call-group.js'
import { WaitingEnds } from '../call/call-record.js'
import type { CallResumption } from '../call/nesting.js'
import type { Service, ToolCall } from '../types/call.js'
import type { ChatMessage } from '../types/chat.js'
import type { Mutable } from '../types/json.js'
import type { SuspendedCall, ToolOutcome } from '../types/outcome.js'
import type { Decision, Planner, PlanRequest, TokenUsage } from '../types/planner.js'
import type { RunPolicy, RunResult, StepRequest, StepResult, StepUsage } from '../types/run.js'
import type { MetaField } from '../types/tool.js'
import { clarificationOf, givenDecision } from './decisions.js'
import type { ItemLog } from './event-log.js'
import type { DoneStep } from './loop.js'
import { ModelResponseError } from './model-answer-error.js'
import type { ResumedStep } from './resume.js'
import { answerMessages, callsMessage, type NamedCall, withoutWaiting } from './run-calls.js'
import type { RunProgress, StepAttempt } from './run-progress.js'
import { untilSignal } from './run-signal.js'
import { stepSuspension } from './suspension-schema.js'

/** Begins a call of a step; the listener is told of its outcome. */
type CallBeginner = (
  call: ToolCall<unknown, MetaField>,
  resumption: CallResumption | undefined,
  listener: CallListener,
) => void

/** What a step needs of its run. */
interface StepContext {
  readonly planner: Planner
  readonly policy: RunPolicy
  /** Gives the calls of a step the ids and the names that they have in the conversation, in call order. */
  readonly nameCalls: (calls: readonly ToolCall<unknown, MetaField>[]) => readonly NamedCall[]
  /** What begins the calls of one step, each perhaps with what it goes on with; see {@link startCall}. */
  readonly beginner: (request: StepRequest, group: CallGroup, waiting: WaitingEnds) => CallBeginner
  /** The outcome of a call that is not run, as cancelled. */
  readonly refuse: (call: ToolCall<unknown, MetaField>, message: string) => ToolOutcome
  /** Counts what each attempt at a step uses, before and after its calls. */
  readonly progress: Pick<RunProgress, 'attempt'>
  /** Receives messages of a step before its end. */
  readonly items: Pick<ItemLog, 'addEarly'>
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
    const attempt = context.progress.attempt()
    const decision = await decided(context, request, attempt)
    attempt.spend(usageOf(decision.usage))
    return decision.kind === 'calls' ? callStep(context, request, decision, attempt) : lastStep(request, decision)
  }
}

/** @throws what the planner throws; the tokens that an answer of no use has cost are counted. */
async function decided({ planner }: StepContext, request: StepRequest, attempt: StepAttempt): Promise<Decision> {
  const plan = planRequest(request)
  try {
    return givenDecision(await untilSignal(request.meta.signal, async () => planner(plan)))
  } catch (error) {
    if (error instanceof ModelResponseError) attempt.spend(usageOf(error.usage))
    throw error
  }
}

function planRequest(request: StepRequest): PlanRequest {
  const { messages, tools, outcomes, meta, turn, fields, runStart, responseFormat, isCorrection } = request
  const plan: Mutable<PlanRequest> = { messages, tools, outcomes, meta, turn }
  if (fields !== undefined) plan.fields = fields
  if (runStart !== undefined) plan.runStart = runStart
  if (responseFormat !== undefined) plan.responseFormat = responseFormat
  if (isCorrection === true) plan.isCorrection = true
  return plan
}

type CallsDecision = Extract<Decision, { kind: 'calls' }>
type LastDecision = Exclude<Decision, { kind: 'calls' }>
type CorrectionDecision = Extract<Decision, { kind: 'correction' }>

async function callStep(
  context: StepContext,
  request: StepRequest,
  decision: CallsDecision,
  attempt: StepAttempt,
): Promise<StepResult> {
  const named = context.nameCalls(decision.calls)
  const allowed = named.slice(0, attempt.allow(named.length, request.callsLeft))
  const said = decision.message ?? callsMessage(named, decision.text)
  context.items.addEarly(said)
  // A call that has ended is told at once; one that waits is answered at the end of the step, or later.
  const early: (ChatMessage | undefined)[] = []
  const run = await executed(context, request, allowed, (call, outcome, index) => {
    const [message] = answerMessages([call], [outcome])
    early[index] = message
    attempt.record(outcome)
    if (message !== undefined) context.items.addEarly(message)
  })
  const outcomes = named.map(({ call }, index) => run[index] ?? context.refuse(call, 'The run takes no more calls.'))
  attempt.end(outcomes)
  return settledStep(context, request, {
    named,
    outcomes,
    added: (ended) => [
      said,
      ...named.flatMap((call, index) => {
        const outcome = ended[index]
        const told = early[index]
        if (told !== undefined) return [told]
        return outcome === undefined ? [] : answerMessages([call], [outcome])
      }),
    ],
    usage: stepUsage(decision, allowed.length),
    refused: named.length - allowed.length,
    finishReason: finishOf(decision),
  })
}

/** What is left of a step that waited: the calls that somebody has answered. They were counted when they were asked for. */
async function resumedStep(context: StepContext, request: StepRequest, step: ResumedStep): Promise<StepResult> {
  const { calls, answered, before, merge } = resumedCalls(step, request.messages)
  const attempt = context.progress.attempt()
  const run = await executed(context, request, answered, (_, outcome) => attempt.record(outcome), step.resumptions)
  const { outcomes, answers } = merge(run)
  attempt.end(outcomes)
  return settledStep(
    context,
    { ...request, messages: before },
    {
      named: calls,
      outcomes,
      added: answers,
      usage: stepUsage({}, 0),
      refused: 0,
      finishReason: undefined,
    },
  )
}

async function executed(
  context: StepContext,
  request: StepRequest,
  calls: readonly NamedCall[],
  ended: (call: NamedCall, outcome: ToolOutcome, index: number) => void,
  resumptions?: ReadonlyMap<string, CallResumption>,
): Promise<readonly ToolOutcome[]> {
  const { parallelism = Number.POSITIVE_INFINITY, onFailure } = context.policy
  const { signal } = request.meta
  const group = new CallGroup()
  const waiting = new WaitingEnds()
  const begin = context.beginner(request, group, waiting)
  const reached = await stepCalls(calls, {
    parallelism,
    failFast: onFailure === 'fail_fast',
    signal,
    group,
    begin: (named, index, listener) =>
      begin(named.call, resumptions?.get(named.call.toolCallId ?? ''), (outcome) => {
        ended(named, outcome, index)
        listener(outcome)
      }),
  })
  const outcomes = isOver(reached, signal) ? withoutWaiting(reached) : reached
  waiting.end((outcome) => outcomes[reached.indexOf(outcome)] ?? outcome)
  return outcomes
}

/** Whether a step ends its run for good: nobody resumes a run that has its final value or was cancelled. */
function isOver(outcomes: readonly ToolOutcome[], signal: AbortSignal): boolean {
  return signal.aborted || outcomes.some(({ stop }) => stop !== undefined)
}

type SettledStep = Pick<StepResult, 'usage' | 'refused' | 'finishReason' | 'messages' | 'outcomes'>

/** A step whose calls have their outcomes. */
interface CalledStep extends Pick<StepResult, 'usage' | 'refused'> {
  readonly finishReason: string | undefined
  readonly named: readonly NamedCall[]
  readonly outcomes: readonly ToolOutcome[]
  /** The messages that the step adds, from the outcomes with which it ends. */
  readonly added: (outcomes: readonly ToolOutcome[]) => readonly ChatMessage[]
}

function settledStep(
  { policy }: StepContext,
  request: StepRequest,
  { named, outcomes: reached, added, usage, refused, finishReason }: CalledStep,
): StepResult {
  // Of several final values the one of the first call counts.
  const final = reached.find((outcome) => outcome.stop !== undefined)?.stop
  const isLast = isOver(reached, request.meta.signal)
  // Those that nobody answered in a resumed run end here.
  const outcomes = isLast ? withoutWaiting(reached) : reached
  const messages = conversation(request, added(outcomes))
  const step: Mutable<SettledStep> = { usage, refused, messages, outcomes }
  if (finishReason !== undefined) step.finishReason = finishReason
  if (final !== undefined) return { ...step, kind: 'done', stop: final, result: { value: final.value } }
  const waits = isLast ? undefined : stepSuspension(() => named.map(suspendedCall), outcomes, request.meta.agent)
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

function lastStep(request: StepRequest, decision: LastDecision): StepResult {
  if (decision.kind === 'correction') return correctionStep(request, decision)
  const message = decision.message ?? { role: 'assistant', content: contentOf(decision) }
  const step: Mutable<DoneStep> = {
    kind: 'done',
    stop: decision.kind === 'question' ? { reason: 'suspended' } : { reason: 'answered' },
    usage: stepUsage(decision, 0),
    outcomes: [],
    refused: 0,
    messages: conversation(request, [message]),
  }
  const finishReason = finishOf(decision)
  if (finishReason !== undefined) step.finishReason = finishReason
  if (decision.kind === 'question') {
    step.suspension = { kind: 'clarification', question: decision.question, fields: [], calls: [], pending: [] }
  } else step.result = resultOf(decision)
  return step
}

/** A step whose answer has to be corrected: the answer goes into the conversation, unless it says nothing. */
function correctionStep(request: StepRequest, decision: CorrectionDecision): StepResult {
  const { text = '', correction } = decision
  const said = decision.message ?? (text === '' ? undefined : ({ role: 'assistant', content: text } as const))
  const step: Mutable<Extract<StepResult, { kind: 'next' }>> = {
    kind: 'next',
    correction: { role: 'user', content: correction },
    usage: stepUsage(decision, 0),
    outcomes: [],
    refused: 0,
    messages: said === undefined ? request.messages : conversation(request, [said]),
  }
  const finishReason = finishOf(decision)
  if (finishReason !== undefined) step.finishReason = finishReason
  return step
}

function contentOf(decision: Exclude<LastDecision, CorrectionDecision>): string {
  if (decision.kind === 'question') return decision.question
  return decision.text ?? JSON.stringify('value' in decision ? decision.value : '')
}

function resultOf(decision: Extract<LastDecision, { kind: 'answer' }>): RunResult {
  if (!('value' in decision)) return { text: decision.text }
  const { value, text } = decision
  return text === undefined ? { value } : { value, text }
}

/** A planner may be plain JavaScript: a reason is a text. */
function finishOf({ finishReason }: Decision): string | undefined {
  return typeof finishReason === 'string' ? finishReason : undefined
}

/** The conversation with what a step adds. Planners and layers read it; nobody changes it. */
function conversation({ messages }: StepRequest, added: readonly ChatMessage[]): readonly ChatMessage[] {
  return Object.freeze([...messages, ...added])
}

function stepUsage({ usage: cost, model }: Pick<Decision, 'usage' | 'model'>, toolCalls: number): StepUsage {
  // Not by a spread: what that makes takes five times the memory, and events keep it.
  const { promptTokens, completionTokens } = usageOf(cost)
  const usage: Mutable<StepUsage> = { promptTokens, completionTokens, toolCalls }
  // A planner may be plain JavaScript.
  if (typeof model === 'string') usage.model = model
  return Object.freeze(usage)
}

function usageOf(usage: TokenUsage | undefined): TokenUsage {
  return { promptTokens: count(usage?.promptTokens), completionTokens: count(usage?.completionTokens) }
}

/** A planner may be plain JavaScript: what is no count must not switch the budget of tokens off. */
function count(tokens: unknown): number {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens > 0 ? tokens : 0
}

/** How the calls of one step are run. */
interface CallsPlan {
  /** How many run at once. */
  readonly parallelism: number
  /** Whether the first call that does not complete cancels the others. */
  readonly failFast: boolean
  /** Cancels all of them. */
  readonly signal: AbortSignal
  /** Tells the listener of the call's outcome, not before it returns. */
  readonly begin: (call: NamedCall, index: number, listener: CallListener) => void
  /** What the calls are begun in. */
  readonly group: CallGroup
}

/**
 * Runs the calls of one step, so many at once, and gives their outcomes in call order. A final value ends the others as
 * cancelled; so does, with `failFast`, the first failure. Every call is executed, one that is cancelled before it began
 * too, so that each has its outcome and its events.
 */
async function stepCalls(calls: readonly NamedCall[], plan: CallsPlan): Promise<readonly ToolOutcome[]> {
  const { group, signal } = plan
  const cancel = (): void => group.abort(signal.reason)
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel)
  try {
    return await new Promise((resolve) => runCalls(calls, plan, resolve))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function runCalls(
  calls: readonly NamedCall[],
  { parallelism, failFast, begin, group }: CallsPlan,
  listener: (outcomes: readonly ToolOutcome[]) => void,
): void {
  const outcomes: ToolOutcome[] = []
  let next = 0
  let open = 0
  const ended = (index: number, outcome: ToolOutcome): void => {
    outcomes[index] = outcome
    if (outcome.stop !== undefined) group.abort(abortError('another call ended the run'))
    else if (failFast && outcome.status === 'failed') group.abort(abortError('another call of the step failed'))
    open -= 1
    beginMore()
  }
  const beginMore = (): void => {
    while (open < parallelism && next < calls.length) {
      const index = next
      const call = calls[index]
      if (call === undefined) break
      next += 1
      open += 1
      begin(call, index, (outcome) => ended(index, outcome))
    }
    if (open === 0) listener(outcomes)
  }
  beginMore()
}

function abortError(message: string): DOMException {
  return new DOMException(message, 'AbortError')
}

/** The calls of a step that waited, on their way on. */
interface ResumedCalls {
  /** All calls of the step, in call order. */
  readonly calls: readonly NamedCall[]
  /** Those that somebody has answered. */
  readonly answered: readonly NamedCall[]
  /** The conversation before the answers of the step. */
  readonly before: readonly ChatMessage[]
  /** The outcomes of all calls, and their messages, where the answered ones came to these. */
  readonly merge: (outcomes: readonly ToolOutcome[]) => {
    readonly outcomes: readonly ToolOutcome[]
    /** Takes the outcomes with which the step ends. */
    readonly answers: (outcomes: readonly ToolOutcome[]) => readonly ChatMessage[]
  }
}

/** Takes a step up again: what its calls were told before stays as it was, in call order. */
function resumedCalls(step: ResumedStep, messages: readonly ChatMessage[]): ResumedCalls {
  const calls = step.calls.map(namedCall)
  const goesOn = step.calls.map(({ toolCallId }) => step.resumptions.has(toolCallId))
  const start = trailingAnswers(messages)
  const told = messages.slice(start)
  return {
    calls,
    answered: calls.filter((_, index) => goesOn[index]),
    before: messages.slice(0, start),
    merge: (run) => {
      let next = 0
      const outcomes = step.outcomes.map((outcome, index) => {
        if (goesOn[index] !== true) return outcome
        next += 1
        return run[next - 1] ?? outcome
      })
      return {
        outcomes,
        answers: (ended) => {
          const before = [...told]
          const answers = calls.flatMap((call, index) => {
            const isTold = step.outcomes[index]?.status !== 'suspended'
            const message = isTold ? before.shift() : undefined
            if (message !== undefined) return [message]
            const outcome = ended[index]
            return outcome === undefined ? [] : answerMessages([call], [outcome])
          })
          // What a layer may have put there is not lost.
          return [...answers, ...before]
        },
      }
    },
  }
}

/** Where the answers at the end of a conversation begin. */
function trailingAnswers(messages: readonly ChatMessage[]): number {
  let start = messages.length
  while (messages[start - 1]?.role === 'tool') start -= 1
  return start
}

/** A call of a step as plain data. */
function suspendedCall({ call, chatId, toolName }: NamedCall): SuspendedCall {
  const { tool, arguments: sent, toolCallId = '', parentToolCallId } = call
  const suspended: Mutable<SuspendedCall> = { tool, arguments: sent, toolCallId, chatId, toolName }
  if (parentToolCallId !== undefined) suspended.parentToolCallId = parentToolCallId
  return suspended
}

/** The call of a step that was stored. */
function namedCall({ chatId, toolName, ...call }: SuspendedCall): NamedCall {
  return { call, chatId, toolName }
}
