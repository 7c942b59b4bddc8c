import { CallGroup } from '../call/call-group.js'
import { type CallTarget, NO_ENV, type RunConversation, readCall } from '../call/call-target.js'
import { contentForModel } from '../call/content.js'
import { SuspendedCallEnds } from '../call/events.js'
import { rejectCall, startCall } from '../call/execute.js'
import {
  type CallResumption,
  copyTokenDetails,
  type ParentRun,
  type RunCallContext,
  type RunCallLimits,
} from '../call/nested-run.js'
import type { Redaction } from '../call/redaction.js'
import { ignoreErrors, traced } from '../call/telemetry.js'
import { type Abortable, untilAborted } from '../call/timers.js'
import { ToolFailure } from '../call/tool-failure.js'
import { CHAT_MEDIA, stepContentMessage } from '../chat/result-content.js'
import type { ChatMessage } from '../types/chat.js'
import type { Mutable } from '../types/json.js'
import type { CallStop, GuardrailReport, SuspendedCall, ToolOutcome } from '../types/outcome.js'
import type { Decision, ModelLayer, ModelResponse, ModelTrace, Planner, PlanRequest } from '../types/planner.js'
import type { RunResult, StepRequest, StepResult, StepUsage, Tracer } from '../types/run.js'
import type { Service } from '../types/tool.js'
import { clarificationOf, requireDecision } from './decision.js'
import { requireCost, tokensOf, usageOfError } from './model-cost.js'
import type { Run } from './run.js'
import type { DeltaListener } from './run-log.js'
import { withoutWaiting } from './run-result.js'
import type { ResumedStep, StepAttempt } from './step-attempts.js'
import { stepSuspension } from './step-suspension.js'

type StepCall = SuspendedCall

const MAX_ATTEMPTS = 1_000

/** A call gets a new id only if an earlier call of the run has the same id. The conversation always contains the original ids. */
function stepCallFactory({ run, target }: StepContext): (calls: CallsDecision['calls']) => readonly StepCall[] {
  const { table, context } = target
  const { state, step } = run.start
  const used = new Set([...state.outcomes, ...(step?.outcomes ?? [])].map(({ call }) => call.toolCallId))
  const claim = (id: string | undefined): string | undefined => {
    if (id === undefined || used.has(id)) return undefined
    used.add(id)
    return id
  }
  const unusedId = (): string => {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const id = claim(context.effects.newId('toolCall'))
      if (id !== undefined) return id
    }
    throw new Error('`effects.newId` repeatedly returned ids that are already used. It must return a new id each time.')
  }
  return (requested) => {
    const calls = [...requested].map(readCall)
    // The ids that the calls already have are reserved first, so that newly created ids differ from them.
    const own = calls.map(({ toolCallId }) => claim(toolCallId))
    return calls.map((call, index) => {
      const toolCallId = own[index] ?? unusedId()
      const toolName = table.find(call.tool)?.tool.spec.toolName ?? call.tool
      const { tool, arguments: json, parentToolCallId } = call
      const chatId = call.toolCallId ?? toolCallId
      const stepCall: Mutable<StepCall> = { tool, arguments: json, toolCallId, chatId, toolName }
      if (parentToolCallId !== undefined) stepCall.parentToolCallId = parentToolCallId
      return stepCall
    })
  }
}

function callsMessage(calls: readonly StepCall[], text: string | undefined): ChatMessage {
  return {
    role: 'assistant',
    content: text ?? null,
    tool_calls: calls.map(({ arguments: json, chatId, toolName }) => ({
      id: chatId,
      type: 'function',
      function: { name: toolName, arguments: json },
    })),
  }
}

function answerMessage({ chatId }: StepCall, outcome: ToolOutcome | undefined): ChatMessage | undefined {
  if (outcome === undefined || outcome.status === 'suspended') return undefined
  return Object.freeze({ role: 'tool', tool_call_id: chatId, content: contentForModel(outcome, CHAT_MEDIA).text })
}

function contentMessage(calls: readonly StepCall[], outcomes: readonly ToolOutcome[]): ChatMessage | undefined {
  if (outcomes.every((outcome) => outcome.status !== 'completed' || outcome.content === undefined)) return undefined
  return stepContentMessage(
    calls.flatMap(({ chatId, toolName }, index) => {
      const outcome = outcomes[index]
      if (outcome === undefined) return []
      return [{ title: `Call ${chatId} (${toolName}):`, parts: contentForModel(outcome, CHAT_MEDIA).parts }]
    }),
  )
}

interface StepContext {
  readonly run: Run
  readonly planner: Planner
  readonly target: CallTarget
  readonly parent: ParentRun
  readonly modelLayer?: ModelLayer
}

type CallsDecision = Extract<Decision, { kind: 'calls' }>

/** @throws the errors of the planner, a {@link ToolFailure} if the planner returns no decision, and the reason of an aborted signal */
export function stepService(context: StepContext): Service<StepRequest, StepResult> {
  let resumed = context.run.start.step
  const stepCalls = stepCallFactory(context)
  return (request) => {
    if (request.isResumed !== true) return new Step(context, request).decide(stepCalls)
    const suspended = resumed
    resumed = undefined
    if (suspended !== undefined) return new Step(context, request).resume(suspended)
    const message = 'A step layer called `next` twice, but a suspended step can continue only once.'
    return Promise.reject(new TypeError(message))
  }
}

interface EndedCalls {
  readonly calls: readonly StepCall[]
  readonly outcomes: readonly ToolOutcome[]
  readonly conversation: readonly ChatMessage[]
  readonly message?: ChatMessage
  /** In the order of the calls. `undefined` for a suspended call. */
  readonly answers: readonly (ChatMessage | undefined)[]
  readonly others?: readonly ChatMessage[]
  /** Omitted for a resumed step, because the run counted the tokens of this decision before the suspension. */
  readonly decision?: CallsDecision
}

class Step {
  readonly #context: StepContext
  readonly #request: StepRequest
  readonly #attempt: StepAttempt
  #innerStop: CallStop | undefined

  constructor(context: StepContext, request: StepRequest) {
    this.#context = context
    this.#request = request
    this.#attempt = context.run.attempt()
  }

  get #limit(): Abortable {
    return this.#context.run.signal.abortableOf(this.#request.meta.signal)
  }

  get #conversation(): RunConversation | undefined {
    return this.#context.run.setup.session?.conversation
  }

  async decide(stepCalls: ReturnType<typeof stepCallFactory>): Promise<StepResult> {
    // The limit may have been reached since the last step: by a nested run of the same step, or by an earlier attempt of a step layer.
    const limit = this.#context.run.tokens.exhausted()
    if (limit !== undefined) {
      const { messages } = this.#request
      return { kind: 'done', stop: limit, outcomes: [], refused: 0, usage: stepUsage(undefined, 0), messages }
    }
    const deltas = this.#context.run.parts.deltaListener()
    let decision: Decision
    try {
      decision = requireDecision(await this.#ask(deltas))
    } catch (error) {
      this.#attempt.spend(tokensOf(usageOfError(error)))
      throw error
    } finally {
      deltas?.end()
    }
    this.#attempt.spend(tokensOf(decision.usage))
    if (this.#context.run.tokens.costLimit !== undefined) requireCost(decision)
    for (const report of decision.guardrails ?? []) this.#report(report)
    const { messages = this.#request.messages } = decision
    if (decision.kind !== 'calls') return this.#withoutCalls(decision, messages)
    const calls = stepCalls(decision.calls)
    const { run } = this.#context
    if (run.setup.redaction !== undefined) this.#learn(calls)
    const message = decision.message ?? callsMessage(calls, decision.text)
    const conversation = this.#conversation
    const count = this.#attempt.allow(calls.length, this.#request.callsLeft)
    const allowed = count === calls.length ? calls : calls.slice(0, count)
    run.items.addEarly(message)
    if (conversation !== undefined) await conversation.beforeCalls([...messages, message])
    const answers: (ChatMessage | undefined)[] = []
    const ended = await this.#execute(allowed, (index, outcome) => {
      const answer = answerMessage(allowed[index] as StepCall, outcome)
      answers[index] = answer
      this.#attempt.record(outcome)
      if (answer === undefined) return
      run.items.addEarly(answer)
      conversation?.answered(answer)
    })
    const outcomes = allowed === calls ? ended : [...ended, ...this.#refused(calls.slice(allowed.length))]
    this.#attempt.outcomes = outcomes
    return this.#end({ calls, outcomes, conversation: messages, message, answers, decision })
  }

  #refused(calls: readonly StepCall[]): readonly ToolOutcome[] {
    const refusal = (): ToolFailure => new ToolFailure('The run accepts no more calls.', { reason: 'cancelled' })
    return calls.map((call) => rejectCall(this.#context.target, call, refusal()))
  }

  #withoutCalls(decision: Exclude<Decision, CallsDecision>, messages: readonly ChatMessage[]): StepResult {
    const { finishReason } = decision
    const isReason = typeof finishReason === 'string'
    const result = { outcomes: [], refused: 0, usage: stepUsage(decision, 0), ...(isReason && { finishReason }) }
    if (decision.kind === 'correction') {
      const { text = '', correction } = decision
      const message = decision.message ?? (text === '' ? undefined : ({ role: 'assistant', content: text } as const))
      return {
        kind: 'next',
        ...result,
        correction: { role: 'user', content: correction },
        messages: message === undefined ? messages : appended(messages, message),
      }
    }
    if (decision.kind === 'stop') return { kind: 'done', ...result, stop: decision.stop, messages }
    if (decision.kind === 'question') {
      const { question } = decision
      return {
        kind: 'done',
        ...result,
        stop: { reason: 'suspended' },
        messages: appended(messages, decision.message ?? { role: 'assistant', content: question }),
        suspension: { kind: 'clarification', question, fields: [], calls: [], pending: [] },
      }
    }
    const content = decision.text ?? JSON.stringify('value' in decision ? decision.value : '')
    return {
      kind: 'done',
      ...result,
      stop: { reason: 'answered' },
      messages: appended(messages, decision.message ?? { role: 'assistant', content }),
      result: this.#context.run.setup.redaction?.restore(resultOf(decision)) ?? resultOf(decision),
    }
  }

  async resume({ calls, outcomes: before, resumptions }: ResumedStep): Promise<StepResult> {
    const { messages } = this.#request
    const answered = calls.filter(({ toolCallId }) => resumptions.has(toolCallId))
    const start = messages.findLastIndex(({ role }) => role !== 'tool') + 1
    const existing = messages.slice(start)
    await this.#conversation?.beforeCalls(messages)
    const ended = await this.#execute(answered, (_, outcome) => this.#attempt.record(outcome), resumptions)
    const outcomes = before.map((outcome, index) => ended[answered.indexOf(calls[index] as StepCall)] ?? outcome)
    this.#attempt.outcomes = outcomes
    const answers = before.map(({ status }) => (status === 'suspended' ? undefined : existing.shift()))
    // The conversation of the request is used, because it contains messages that a layer has added.
    return this.#end({ calls, outcomes, conversation: messages.slice(0, start), answers, others: existing })
  }

  #ask(deltas: DeltaListener | undefined): Promise<Decision> {
    const { outcomes, meta, turn, fields, runStart, responseFormat, isCorrection } = this.#request
    const { redaction } = this.#context.run.setup
    const messages = redaction?.messages(this.#request.messages, 'model') ?? this.#request.messages
    const tools = this.#context.target.modelTools(this.#request.tools)
    const request: Mutable<PlanRequest> = { messages, tools, outcomes, meta, turn }
    if (fields !== undefined) request.fields = fields
    if (runStart !== undefined) request.runStart = runStart
    if (responseFormat !== undefined) request.responseFormat = responseFormat
    if (isCorrection !== undefined) request.isCorrection = isCorrection
    if (deltas !== undefined) request.onDelta = deltas.receive
    const { modelLayer } = this.#context
    if (modelLayer !== undefined) request.modelLayer = modelLayer
    const { tracer } = this.#context.target.context
    if (tracer !== undefined) {
      request.traceModel =
        redaction === undefined
          ? (call, work) => traced((inSpan) => tracer.model(call, inSpan), work)
          : redactedTrace(tracer, redaction, (calls) => this.#learn(calls))
    }
    return untilAborted(this.#limit, () => this.#context.planner(request))
  }

  #learn(calls: readonly Pick<StepCall, 'tool' | 'arguments'>[]): void {
    const { run, target } = this.#context
    for (const { tool, arguments: sent } of calls)
      run.setup.redaction?.learnArguments(sent, target.table.find(tool)?.tool.sensitive)
  }

  #report(report: GuardrailReport): void {
    const { run, target } = this.#context
    const { redaction } = run.setup
    run.events.publish({ type: 'guardrail', ...(redaction?.structure(report, 'events') ?? report) })
    const { tracer } = target.context
    if (tracer?.guardrail === undefined) return
    const shown = redaction?.structure(report, 'telemetry') ?? report
    ignoreErrors(() => tracer.guardrail?.(shown, run.meta))
  }

  /** Every cancelled call has an outcome and events. */
  #execute(
    calls: readonly StepCall[],
    onEnd: (index: number, outcome: ToolOutcome) => void,
    resumptions?: ResumedStep['resumptions'],
  ): Promise<readonly ToolOutcome[]> {
    const { run } = this.#context
    const { parallelism = Number.POSITIVE_INFINITY, onFailure } = run.policy
    const limit = this.#limit
    const group = new CallGroup()
    const waiting = new SuspendedCallEnds()
    const start = this.#starter(group, waiting)
    const outcomes: ToolOutcome[] = []
    const { aborted } = limit
    if (aborted !== undefined) group.abort(aborted.reason)
    const release = limit.whenAborted(group)
    // The end of the run aborts the calls with the signal of the run.
    const membership = run.calls.enter(run.signal)
    return new Promise((resolve) => {
      let next = 0
      let open = 0
      const endAll = (): void => {
        run.calls.leave(membership)
        release?.()
        const last = this.#isOver(outcomes) ? withoutWaiting(outcomes) : outcomes
        waiting.end((outcome) => last[outcomes.indexOf(outcome)] ?? outcome)
        resolve(last)
      }
      const end = (index: number, outcome: ToolOutcome): void => {
        outcomes[index] = outcome
        if (outcome.stop !== undefined) group.abort(abortError('Another call ended the run.'))
        else if (onFailure === 'fail_fast' && outcome.status === 'failed')
          group.abort(abortError('Another call of the step failed.'))
        open -= 1
        startMore()
      }
      const startMore = (): void => {
        while (open < parallelism && next < calls.length) {
          const index = next
          const call = calls[index] as StepCall
          next += 1
          open += 1
          start(call, resumptions?.get(call.toolCallId)).then((outcome) => {
            onEnd(index, outcome)
            end(index, outcome)
          })
        }
        if (open === 0) endAll()
      }
      startMore()
    })
  }

  #starter(
    calls: CallGroup,
    waiting: SuspendedCallEnds,
  ): (call: StepCall, resumption: CallResumption | undefined) => Promise<ToolOutcome> {
    const { run, target, parent } = this.#context
    const { session } = run.setup
    const { env, tools } = this.#request
    run.requireOpen()
    const { runId, sessionId, turnId, parentToolCallId, labels } = run.meta
    const options = { runId, sessionId, turnId, parentToolCallId, labels, env: env ?? NO_ENV, config: undefined }
    const { toolTimeoutMs, parallelism } = run.policy
    const limits: RunCallLimits = {
      toolTimeoutMs,
      parallelism,
      admit: () => this.#attempt.allow(1, this.#request.callsLeft) === 1,
      finish: (stop) => {
        this.#innerStop ??= stop
        calls.abort(abortError('Another call ended the run.'))
      },
    }
    const { events } = run
    const innerTarget = target.offeringToCalls(tools)
    const fresh: RunCallContext = {
      events,
      calls,
      suspended: waiting,
      limits,
      parent,
      resumption: undefined,
      innerTarget,
    }
    const offered = target.offeringToModel(tools)
    return (call, resumption) => {
      // A resumed call may use a tool that is no longer offered.
      const callTarget = resumption === undefined ? offered : target
      const context = resumption === undefined ? fresh : { ...fresh, resumption }
      const isStreaming = session !== undefined && callTarget.table.find(call.tool)?.tool.updates !== undefined
      return isStreaming
        ? session.start(callTarget, call, options, context)
        : startCall(callTarget, call, options, context)
    }
  }

  #isOver(outcomes: readonly ToolOutcome[]): boolean {
    return (
      this.#request.meta.signal.aborted ||
      this.#innerStop !== undefined ||
      outcomes.some(({ stop }) => stop !== undefined)
    )
  }

  #end(ended: EndedCalls): StepResult {
    const { calls, conversation, message, answers, others = [], decision } = ended
    const isOver = this.#isOver(ended.outcomes)
    // Suspended calls without an answer are cancelled here.
    const outcomes = isOver ? withoutWaiting(ended.outcomes) : ended.outcomes
    const added: ChatMessage[] = message === undefined ? [] : [Object.freeze(message)]
    for (let index = 0; index < calls.length; index += 1) {
      const answer = answers[index] ?? answerMessage(calls[index] as StepCall, outcomes[index])
      if (answer !== undefined) added.push(answer)
    }
    const suspension = isOver ? undefined : stepSuspension(outcomes, this.#request.meta.agent, calls)
    // The tool messages of a suspended step are incomplete, and no other message may be between them.
    const content = suspension === undefined ? contentMessage(calls, outcomes) : undefined
    if (content !== undefined) added.push(content)
    const messages = Object.freeze([...conversation, ...added, ...others])
    if (others.length === 0) this.#context.run.items.completed(conversation, messages, added)
    const { toolCalls, refused } = this.#attempt
    const usage = stepUsage(decision, toolCalls)
    const step: Mutable<Extract<StepResult, { kind: 'next' }>> = { kind: 'next', outcomes, refused, messages, usage }
    if (typeof decision?.finishReason === 'string') step.finishReason = decision.finishReason
    // If several calls return a signal, guardrails come first. Of final values, the first call's is used.
    const stops = isOver
      ? [...outcomes.map(({ stop }) => stop), this.#innerStop].filter((stop) => stop !== undefined)
      : []
    const stop = stops.find(({ reason }) => reason === 'guardrail') ?? stops[0]
    if (stop?.reason === 'guardrail') return { ...step, kind: 'done', stop }
    if (stop !== undefined) return { ...step, kind: 'done', stop, result: { value: stop.value } }
    if (suspension !== undefined) return { ...step, kind: 'done', stop: { reason: 'suspended' }, suspension }
    const { onMissingFields } = this.#context.run.policy
    const asked = onMissingFields === 'await_clarification' ? clarificationOf(outcomes) : undefined
    if (asked === undefined) return step
    return {
      ...step,
      messages: appended(messages, { role: 'assistant', content: asked.question }),
      kind: 'done',
      stop: { reason: 'suspended' },
      suspension: { kind: 'clarification', ...asked, calls: [], pending: [] },
    }
  }
}

function redactedTrace(
  tracer: Tracer,
  redaction: Redaction,
  learn: (calls: ModelResponse['calls']) => void,
): ModelTrace {
  return async (call, work) => {
    const { request } = call
    const shown = { ...call, request: { ...request, messages: redaction.messages(request.messages, 'telemetry') } }
    let response: ModelResponse | undefined
    const recorded = await traced(
      (inSpan) => tracer.model(shown, inSpan),
      async () => {
        response = await work()
        learn(response.calls)
        return redaction.structure(response, 'telemetry')
      },
    )
    return response ?? recorded
  }
}

/** A planner in plain JavaScript can return any value. */
function stepUsage(decision: Pick<Decision, 'usage' | 'model'> | undefined, toolCalls: number): StepUsage {
  // Built without a spread, which would need five times the memory. Events keep this object.
  const tokens = tokensOf(decision?.usage)
  const { promptTokens, completionTokens } = tokens
  const usage: Mutable<StepUsage> = { promptTokens, completionTokens, toolCalls }
  copyTokenDetails(usage, tokens)
  if (typeof decision?.model === 'string') usage.model = decision.model
  return Object.freeze(usage)
}

function appended(messages: readonly ChatMessage[], ...added: readonly ChatMessage[]): readonly ChatMessage[] {
  // Drivers convert a frozen message only once.
  for (const message of added) Object.freeze(message)
  // A copy, because planners and layers may still use the array.
  return Object.freeze([...messages, ...added])
}

function resultOf(decision: Extract<Decision, { kind: 'answer' }>): RunResult {
  if (!('value' in decision)) return { text: decision.text }
  const { value, text } = decision
  return text === undefined ? { value } : { value, text }
}

function abortError(message: string): DOMException {
  return new DOMException(message, 'AbortError')
}
