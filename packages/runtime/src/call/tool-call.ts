import type { ApprovalRecord } from '../types/approval.js'
import type { Decoded } from '../types/codec.js'
import type { ProvenanceDetail } from '../types/executor.js'
import type { JsonText } from '../types/json.js'
import type { ToolRequest, ToolService } from '../types/layer.js'
import type { Provenance, ToolOutcome } from '../types/outcome.js'
import type { AgentDescriptor } from '../types/registration.js'
import type { EventBody, ToolTelemetry, TracedOutcome, Tracer } from '../types/run.js'
import type { ToolCallMeta, ToolCallRef } from '../types/tool.js'
import type { ApprovalMemory } from './approvals.js'
import type { BoundTool } from './bound-tools.js'
import { type CallContext, callMeta, type ExecutionOptions, metaValue } from './call-context.js'
import { abortFailure, type CallTracker, type Membership } from './call-group.js'
import { EventScope, type PendingBody } from './events.js'
import { type FailedCall, failedOutcome } from './failed-outcome.js'
import type { Failure } from './failure.js'
import {
  type CallResumption,
  DEFAULT_MAX_DEPTH,
  type InnerCallContext,
  InnerUsageMeter,
  type ParentRun,
  type RunCallContext,
} from './nested-run.js'
import { type CallCost, type CallDetail, provenanceDetail, withSpent } from './provenance.js'
import { outcomeFor, outcomeForModel, telemetryFor } from './redacted-outcome.js'
import type { Redaction } from './redaction.js'
import { shortenedOutcome } from './shortened-outcome.js'
import { lateUpdate } from './sink-executor.js'
import { ignoreErrors, toolTelemetry, traced } from './telemetry.js'
import { type Abortable, type AbortTarget, after, TimeSlice } from './timers.js'
import { FIXED_MESSAGES, malformedResult, ToolFailure } from './tool-failure.js'

/** Time that the layers have to end after the abort of a call or run. */
export const GRACE_MS = 1_000

interface CallStart {
  readonly ref: ToolCallRef
  readonly arguments: JsonText
  readonly startedAt: number
  readonly tool: BoundTool | undefined
  readonly agent: AgentDescriptor | undefined
  readonly context: CallContext
  readonly options: ExecutionOptions
  readonly run: RunCallContext | undefined
  readonly target: object
}

/** All requests of a call share this object. */
export class ToolCallExecution implements Abortable {
  readonly ref: ToolCallRef
  readonly arguments: JsonText
  readonly startedAt: number
  readonly tool: BoundTool | undefined
  readonly agent: AgentDescriptor | undefined
  readonly context: CallContext
  readonly options: ExecutionOptions
  #run: RunCallContext | undefined
  readonly events: EventScope | undefined
  /** Sensitive values that must not appear in texts for models and listeners. `undefined` if no tool of the runtime has sensitive fields. */
  redaction: Redaction | undefined
  attempt = 0
  executions = 0
  running = 0
  updates = 0
  updateError: ToolFailure | undefined = undefined
  ended = false
  aborted: { readonly reason: unknown } | undefined = undefined
  /** Returns the details that the executor has reported in this attempt so far. The runtime can call the function even after an abort. */
  detail: (() => CallDetail) | undefined = undefined
  effectsText: (() => string) | undefined = undefined
  approval: ApprovalRecord | undefined = undefined
  denial: Provenance['denial'] = undefined
  /** Computed only once, because the computation can store the approver's rule in the session. */
  resumedApproval: Promise<ApprovalRecord | undefined> | undefined = undefined
  /** A layer can return a copy of this outcome of the tool or of an inner layer, but no outcome of another call. */
  lastOutcome: ToolOutcome | undefined = undefined
  #spent: CallDetail | undefined = undefined
  readonly #target: object
  #meta: ToolCallMeta | undefined = undefined
  #controller: AbortController | undefined = undefined
  #slice: TimeSlice | undefined = undefined
  #stopToolTimeout: (() => void) | undefined = undefined
  #startPublished = false
  #sharesRedaction = false
  #onOutcome: ((outcome: ToolOutcome) => void) | undefined = undefined
  #graceTimer: ReturnType<typeof setTimeout> | undefined = undefined
  // Not array literals: Node 22 allocates such arrays as old objects, which keep all objects of ended calls until a major collection.
  #onAbort: AbortTarget | undefined = undefined
  #onAbortOfRetries: AbortTarget[] | undefined = undefined
  #onEnd: (() => void) | undefined = undefined
  #inSession: Membership | undefined = undefined
  #inGroup: Membership | undefined = undefined

  constructor({ ref, arguments: sent, startedAt, tool, agent, context, options, run, target }: CallStart) {
    this.ref = ref
    this.arguments = sent
    this.startedAt = startedAt
    this.tool = tool
    this.agent = agent
    this.context = context
    this.options = options
    this.#run = run
    this.#target = target
    this.events = run?.events ?? newEventScope(context, options, agent?.name)
    const { redactions } = context
    if (tool?.sensitive === undefined) this.redaction = run?.parent.redaction ?? redactions.forReading(this.resultScope)
    else {
      this.redaction = run?.parent.redaction ?? redactions.of(this.resultScope)
      this.redaction?.learnArguments(sent, tool.sensitive)
    }
  }

  get #hiding(): Redaction | undefined {
    const { redaction, tool } = this
    return redaction === undefined || (tool?.sensitive === undefined && redaction.isEmpty) ? undefined : redaction
  }

  get run(): RunCallContext | undefined {
    return this.#run
  }

  /** Must be called before the executor runs. */
  measureInner(): InnerUsageMeter | undefined {
    if (this.#run === undefined) return undefined
    const reason = new DOMException('A nested call of this call ended the run.', 'AbortError')
    const meter = new InnerUsageMeter(this.#run, () => this.abort(reason))
    this.#run = meter.context
    return meter
  }

  /** The first read creates the metadata, because the creation takes 10 % of the time of a call. */
  get meta(): ToolCallMeta {
    this.#meta ??= callMeta(this)
    return this.#meta
  }

  /** The first read creates the signal, because the creation of an `AbortController` takes longer than all other work of the runtime for a call. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.aborted !== undefined) this.#controller.abort(this.aborted.reason)
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    if (this.aborted !== undefined || this.ended) return
    this.aborted = { reason }
    // In a durable run, the journal ends an aborted call, because the journal must record the outcome.
    if (this.#onOutcome !== undefined && this.context.journal === undefined)
      this.#graceTimer = setTimeout(() => this.#end(this.#abortedOutcome(reason)), GRACE_MS)
    this.#onAbort?.abort(reason)
    for (const target of this.#onAbortOfRetries ?? []) target.abort(reason)
    this.#controller?.abort(reason)
  }

  whenAborted(target: AbortTarget): undefined {
    if (this.#onAbort === undefined) {
      this.#onAbort = target
      return
    }
    this.#onAbortOfRetries ??= []
    this.#onAbortOfRetries.push(target)
  }

  #whenEnded(action: () => void): void {
    const earlier = this.#onEnd
    this.#onEnd =
      earlier === undefined
        ? action
        : () => {
            earlier()
            action()
          }
  }

  get parent(): ParentRun {
    const { run, context, options, agent, events, tool } = this
    // The calls of the tool share the values that they learn with this call.
    if (run === undefined && tool?.sensitive === undefined && !this.#sharesRedaction) {
      this.#sharesRedaction = true
      this.redaction = context.redactions.of(this.resultScope)
    }
    const { redaction } = this
    return (
      run?.parent ?? {
        runtime: context.calls,
        runId: options.runId,
        config: options.config,
        agents: agent === undefined ? [] : [agent],
        maxDepth: DEFAULT_MAX_DEPTH,
        tokens: undefined,
        budgets: [],
        events,
        items: undefined,
        nestedItems: undefined,
        deepTracing: options.deepTracing ?? false,
        confirm: options.confirm,
        redaction,
        approvals: options.approvals,
        sources: () => [],
      }
    )
  }

  get confirm(): (() => Promise<void>) | undefined {
    return this.options.confirm ?? this.run?.parent.confirm
  }

  get approvals(): ApprovalMemory | undefined {
    return this.options.approvals ?? this.run?.parent.approvals
  }

  /** Calls with the same value share the results that `read_result` can read, and the pseudonyms of sensitive values. */
  get resultScope(): string | undefined {
    const { sessionId, runId, resultScope } = this.options
    if (sessionId !== undefined) return `session:${sessionId}`
    return runId === undefined ? resultScope : `run:${runId}`
  }

  /** Must run after all layers, because a layer can replace the result. */
  #forModel(outcome: ToolOutcome): ToolOutcome {
    const { tool } = this
    const redaction = this.#hiding
    if (redaction === undefined) return this.#shortened(outcome)
    if (outcome.status === 'completed' && tool?.sensitive !== undefined)
      redaction.learn(outcome.result.data, tool.sensitive.result)
    return this.#shortened(outcomeForModel(redaction, outcome, tool?.sensitive))
  }

  #shortened(outcome: ToolOutcome): ToolOutcome {
    const max = this.tool?.spec.maxResult
    if (max === undefined || outcome.status !== 'completed' || outcome.acknowledgement !== undefined) return outcome
    const { tool, options, context, arguments: sent, resultScope: scope, ref } = this
    if (options.isWhole === true || tool === undefined) return outcome
    const { runId, sessionId } = options
    // The ids in the messages of a durable run must not depend on the other runs of the session in the same process.
    const isShared = context.journal !== undefined && sessionId !== undefined && runId !== undefined
    const id = isShared ? `${runId}/${ref.toolCallId}` : ref.toolCallId
    return shortenedOutcome(outcome, { max, spec: tool.spec, arguments: sent, results: context.results, scope, id })
  }

  get resumption(): CallResumption | undefined {
    return this.run?.resumption ?? this.options.resumption
  }

  get inner(): InnerCallContext {
    const { run, events, parent, context } = this
    return run ?? { events, calls: context.calls, suspended: undefined, limits: {}, parent, innerTarget: this.#target }
  }

  execute(): void {
    this.executions += 1
    this.running += 1
    if (this.detail !== undefined) {
      this.#spent = this.#allDetail
      this.detail = undefined
    }
    if (this.executions === 1) this.options.onExecute?.(this)
  }

  describe(detail: ProvenanceDetail): void {
    const known = this.detail?.()
    const added = provenanceDetail(detail)
    const extra = known?.extra === undefined ? added.extra : { ...known.extra, ...added.extra }
    const described = { ...known, ...added, ...(extra !== undefined && { extra }) }
    const allDetail = (): CallDetail => described
    this.detail = allDetail
  }

  cost(): CallCost {
    const durationMs = Math.max(0, this.context.effects.now() - this.startedAt)
    return {
      durationMs,
      attempts: this.executions,
      detail: this.#allDetail,
      approval: this.approval,
      denial: this.denial,
    }
  }

  get #allDetail(): CallDetail | undefined {
    const detail = this.detail?.()
    return this.#spent === undefined ? detail : withSpent(this.#spent, detail)
  }

  failed(failure: Failure, more: Partial<Pick<FailedCall, 'rejected' | 'example' | 'cause'>> = {}): ToolOutcome {
    const { ref: call, tool } = this
    const failed = { call, rejected: this.arguments, ...(tool !== undefined && { tool }), ...this.cost(), ...more }
    return failedOutcome(this.#withEffects(failure), failed)
  }

  #withEffects(failure: Failure): Failure {
    const { message, reason } = failure
    if (this.effectsText === undefined) return failure
    if (reason !== 'malformed_result' && message !== FIXED_MESSAGES[reason]) return failure
    return { ...failure, message: `${message} ${this.effectsText()}` }
  }

  /**
   * An invalid update makes the call fail.
   *
   * @throws {ToolFailure} if the call has ended or was aborted, if the tool does not stream, or if the update is invalid.
   */
  async emit(update: unknown, limit: Abortable): Promise<void> {
    try {
      await this.#emit(update, limit)
    } finally {
      // Without this, a tool that awaits only `emit` would block the event loop, and so timers and aborts of its call.
      this.#slice ??= new TimeSlice()
      await this.#slice.turn()
    }
  }

  #emit(update: unknown, limit: Abortable): Promise<void> | undefined {
    const { tool, options } = this
    if (this.ended || limit.aborted !== undefined || tool === undefined) throw lateUpdate()
    if (tool.updates === undefined) {
      const message = `The tool '${tool.id}' emitted an update, but the design does not declare it as streaming.`
      throw this.#invalidUpdate(new ToolFailure(message, { reason: 'internal' }))
    }
    const encoded = tool.updates.encodeValue(update)
    if (!encoded.ok) {
      throw this.#invalidUpdate(malformedResult(encoded.issues))
    }
    this.updates += 1
    const { redaction } = this
    if (redaction !== undefined && tool.sensitive !== undefined)
      redaction.learnJson(encoded.json, tool.sensitive.updates)
    const json = redaction?.json(encoded.json, 'model', tool.sensitive?.updates) ?? encoded.json
    const published = redaction?.json(encoded.json, 'events', tool.sensitive?.updates) ?? encoded.json
    const { onUpdate, updates } = options
    if (onUpdate !== undefined) ignoreErrors(() => onUpdate(json))
    this.#publishStart()
    this.events?.publish({ type: 'call_updated', call: this.ref, index: this.updates, update: published })
    const room = this.events?.room()
    const accepted = updates?.update(this.updates, json)
    return room === undefined || accepted === undefined ? (room ?? accepted) : room.then(() => accepted)
  }

  #invalidUpdate(error: ToolFailure): ToolFailure {
    this.updateError ??= error
    return error
  }

  begin(): void {
    const { options, run, context } = this
    const { signal: caller } = options
    if (caller?.aborted) this.abort(caller.reason)
    if (caller !== undefined) this.#whenEnded(context.listeners.add(caller, () => this.abort(caller.reason)))
    if (options.deadline !== undefined) this.#abortAfter(options.deadline - this.startedAt)
    const toolTimeoutMs = run?.limits.toolTimeoutMs
    if (toolTimeoutMs !== undefined) this.#stopToolTimeout = this.#startToolTimeout(toolTimeoutMs)
    this.#inSession = options.calls?.enter(this)
    this.#inGroup = this.#group.enter(this)
  }

  get #group(): CallTracker {
    return this.run?.calls ?? this.context.calls
  }

  /** Code mode calls this method, because programs have time limits of their own. The option `deadline` of the call still applies. */
  endToolTimeout(): void {
    this.#stopToolTimeout?.()
  }

  #startToolTimeout(limitMs: number): () => void {
    const { journal } = this.context
    if (journal === undefined) return this.#abortAfter(limitMs)
    const stop = journal.startCallTimer(this.ref, limitMs, () => this.abort(timeoutError()))
    this.#whenEnded(stop)
    return stop
  }

  #abortAfter(remainingMs: number): () => void {
    const stop = after(remainingMs, () => this.abort(timeoutError()))
    this.#whenEnded(stop)
    return stop
  }

  /**
   * If another event of the call occurs while the arguments are decoded for the hint, `call_started` precedes this event, without the hint.
   *
   * @param decode `undefined` for a rejected call
   */
  publishStart(decode?: () => Decoded<unknown> | Promise<Decoded<unknown>>): void {
    const template = this.tool?.hints.call
    if (this.events === undefined) return
    if (template === undefined || decode === undefined) {
      this.#publishStart(undefined, this.startedAt)
      return
    }
    const publish = (decoded: Decoded<unknown>): void => this.#publishStart(this.#callHint(template, decoded))
    try {
      const decoded = decode()
      if (!(decoded instanceof Promise)) publish(decoded)
      // The events of a durable run have the same order in each attempt.
      else if (this.context.journal !== undefined) this.#publishStart()
      else decoded.then(publish, () => this.#publishStart())
    } catch {
      // The call fails with the same error.
      this.#publishStart()
    }
  }

  #publishStart(hint?: string, at?: number): void {
    if (this.#startPublished || this.events === undefined) return
    this.#startPublished = true
    const sent = this.#hiding?.arguments(this.arguments, 'events', this.tool?.sensitive) ?? this.arguments
    const body: EventBody = { type: 'call_started', call: this.ref, title: this.#title(), arguments: sent }
    this.events.publish(hint === undefined ? body : Object.assign(body, { hint }), at)
  }

  #callHint(template: (value: unknown) => string, decoded: Decoded<unknown>): string | undefined {
    if (!decoded.ok || typeof decoded.value !== 'object' || decoded.value === null) return undefined
    const { serverOwned = [], sensitive } = this.tool ?? {}
    const owned = serverOwned.map(({ field, from }) => [field, metaValue(this.meta, from)])
    const payload =
      serverOwned.length === 0 ? decoded.value : Object.fromEntries([...Object.entries(decoded.value), ...owned])
    const redaction = this.#hiding
    if (redaction?.hides('events', sensitive) !== true) return template(payload)
    return template(redaction.value(payload, 'events', sensitive?.payload))
  }

  /** Never rejects. */
  settle(service: ToolService<any>, request: ToolRequest): Promise<ToolOutcome> {
    const { tracer } = this.context
    if (tracer === undefined) {
      return new Promise((resolve) => {
        const onOutcome = (outcome: ToolOutcome): void => resolve(this.#published(outcome))
        this.#runLayers(service, request, onOutcome, (error) => resolve(this.#failedInternally(error)))
      })
    }
    const work = (): Promise<ToolOutcome> =>
      new Promise((resolve, reject) => this.#runLayers(service, request, resolve, reject))
    return this.#traced(tracer, work).catch((error) => this.#failedInternally(error))
  }

  /** Never rejects. */
  reject(outcome: ToolOutcome): Promise<ToolOutcome> {
    const { tracer } = this.context
    const work = Promise.resolve(outcome)
    if (tracer === undefined) return work.then(() => this.#published(outcome))
    return this.#traced(tracer, () => work).catch((error) => this.#failedInternally(error))
  }

  #published(outcome: ToolOutcome): ToolOutcome {
    try {
      const last = this.#forModel(outcome)
      this.#publishEnd(last)
      return last
    } catch (error) {
      return this.#failedInternally(error)
    }
  }

  #failedInternally(error: unknown): ToolOutcome {
    this.#leave()
    return internalFailure(this.ref, this.arguments, error)
  }

  async #traced(tracer: Tracer, work: () => Promise<ToolOutcome>): Promise<ToolOutcome> {
    const { ref: call, tool, meta, redaction } = this
    const { traceContext: parent, mcp } = this.options
    const sent = redaction?.arguments(this.arguments, 'telemetry', tool?.sensitive) ?? this.arguments
    const span = {
      ...{ call, arguments: sent, meta },
      ...(tool !== undefined && { tool: tool.spec }),
      ...(parent !== undefined && { parent }),
      ...(mcp !== undefined && { mcp }),
    }
    // The tracer may receive a copy without sensitive values.
    let last: ToolOutcome | undefined
    const ended = async (): Promise<TracedOutcome> => {
      const outcome = this.#forModel(await work())
      last = outcome
      const telemetry = this.#telemetry(outcome)
      this.#publishEnd(outcome, telemetry)
      if (redaction === undefined) return { outcome, telemetry }
      const plan = tool?.sensitive
      return {
        outcome: outcomeFor(redaction, outcome, 'telemetry', plan),
        telemetry: telemetryFor(redaction, telemetry, 'telemetry', plan),
      }
    }
    const { outcome } = await traced((inSpan) => tracer.call(span, inSpan), ended)
    return last ?? outcome
  }

  #runLayers(
    service: ToolService<any>,
    request: ToolRequest,
    onOutcome: (outcome: ToolOutcome) => void,
    onError: (error: unknown) => void,
  ): void {
    const { aborted } = this
    this.#onOutcome = onOutcome
    const end = (outcome: ToolOutcome): void => this.#end(outcome)
    const fail = (error: unknown): void => {
      if (!this.ended) request.fail(error).then(end, onError)
    }
    try {
      if (aborted === undefined) service(request).then(end, fail)
      else this.#end(this.#abortedOutcome(aborted.reason))
    } catch (error) {
      fail(error)
    }
  }

  #end(outcome: ToolOutcome): void {
    if (this.ended) return
    if (this.#graceTimer !== undefined) clearTimeout(this.#graceTimer)
    this.#leave()
    this.#onOutcome?.(outcome)
  }

  #abortedOutcome(reason: unknown): ToolOutcome {
    return this.failed(abortFailure(reason), { cause: reason })
  }

  #leave(): void {
    this.ended = true
    const { calls } = this.options
    const onEnd = this.#onEnd
    const [inSession, inGroup] = [this.#inSession, this.#inGroup]
    this.#onEnd = undefined
    this.#inSession = undefined
    this.#inGroup = undefined
    onEnd?.()
    if (inSession !== undefined) calls?.leave(inSession)
    if (inGroup !== undefined) this.#group.leave(inGroup)
  }

  #publishEnd(outcome: ToolOutcome, telemetry?: ToolTelemetry): void {
    const { events, run } = this
    if (events === undefined) return
    // The run publishes the events of suspended calls at the end of the step.
    if (outcome.status === 'suspended' && run?.suspended !== undefined) {
      run.suspended.add(outcome, (last) => this.#publishOutcome(events, last, last === outcome ? telemetry : undefined))
    } else this.#publishOutcome(events, outcome, telemetry)
  }

  #publishOutcome(events: EventScope, outcome: ToolOutcome, telemetry: ToolTelemetry | undefined): void {
    this.#publishStart()
    const { ref: call, tool } = this
    const redaction = this.#hiding
    const hidden = redaction?.hides('events', tool?.sensitive) === true ? redaction : undefined
    const shown = hidden === undefined ? outcome : outcomeFor(hidden, outcome, 'events', tool?.sensitive)
    const result = tool?.hints.result
    const hint = result === undefined || shown.status !== 'completed' ? undefined : result(shown.result.data)
    let facts = telemetry ?? (this.#hasPlainTelemetry(outcome) ? undefined : this.#telemetry(outcome))
    if (hidden !== undefined && facts !== undefined) facts = telemetryFor(hidden, facts, 'events', tool?.sensitive)
    const body: PendingBody = { type: 'call_ended', call, title: this.#title(), outcome: shown, telemetry: facts }
    events.publish(hint === undefined ? body : Object.assign(body, { hint }))
  }

  /** Telemetry can be computed later only if the outcome cannot change. */
  #hasPlainTelemetry(outcome: ToolOutcome): boolean {
    return this.tool?.telemetryBuilder === undefined && Object.isFrozen(outcome) && Object.isFrozen(outcome.provenance)
  }

  #telemetry(outcome: ToolOutcome): ToolTelemetry {
    const { tool, startedAt: start } = this
    const builder = tool?.telemetryBuilder
    if (tool === undefined || builder === undefined) return toolTelemetry(outcome)
    const { meta } = this
    const end = this.context.effects.now()
    return toolTelemetry(outcome, (extras) => builder({ tool: tool.spec, meta, start, end, outcome, extras }))
  }

  #title(): string {
    return this.tool?.spec.title ?? this.ref.tool
  }
}

function newEventScope(
  { sinks, effects }: CallContext,
  { runId, sessionId, turnId, parentToolCallId, onEvent }: ExecutionOptions,
  agent: string | undefined,
): EventScope | undefined {
  if (sinks.length === 0 && onEvent === undefined) return undefined
  const origin = {
    ...(runId !== undefined && { runId }),
    ...(agent !== undefined && { agent }),
    ...(sessionId !== undefined && { sessionId }),
    ...(turnId !== undefined && { turnId }),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  }
  return new EventScope(origin, {
    now: () => effects.now(),
    sinks: onEvent === undefined ? sinks : [...sinks, onEvent],
  })
}

function timeoutError(): DOMException {
  return new DOMException('The deadline of the call has passed.', 'TimeoutError')
}

/** For a call that failed because `effects`, the application's clock and id generator, threw an error. */
export function internalFailure(call: ToolCallRef, rejected: JsonText, cause: unknown): ToolOutcome {
  const failure = { reason: 'internal', message: FIXED_MESSAGES.internal } as const
  return failedOutcome(failure, { call, rejected, durationMs: 0, attempts: 0, cause })
}
