import { nearestNames } from '../schema/nearest.js'
import type { ToolCall, ToolCallRef } from '../types/call.js'
import type { Mutable } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { TracedOutcome, Tracer } from '../types/run.js'
import type { MetaField } from '../types/tool.js'
import {
  type CallContext,
  type CallListener,
  type CallTarget,
  type CallTracker,
  type ResolvedOptions,
  type RunCallContext,
  readCall,
  remainingTime,
} from './call-context.js'
import type { AbortListeners, Membership } from './call-group.js'
import { CallEvents, internalFailure, KnownCall, ObservedCall } from './call-record.js'
import { classify } from './classify.js'
import { EventScope } from './events.js'
import { failedOutcome } from './hints.js'
import { metaFault } from './missing-options.js'
import { DEFAULT_MAX_DEPTH, type ParentRun } from './nesting.js'
import { type Ended, RunningCall, type UpdateListener } from './running-call.js'
import { settleCall } from './settle-call.js'
import { ignoreErrors, traced } from './telemetry.js'
import { after } from './timers.js'
import { FIXED_MESSAGES, ToolFailure } from './tool-failure.js'
import { CallRequest } from './tool-request.js'
import type { ServedTool, ToolTable } from './tool-table.js'

type AnyCall = ToolCall<unknown, MetaField>

/** Executes one call outside a run. Never rejects: whatever goes wrong is an outcome. */
export function executeCall(target: CallTarget, asked: AnyCall, options: ResolvedOptions): Promise<ToolOutcome> {
  const call = readCall(asked)
  return new Promise((resolve) => startCall(target, call, options, undefined, resolve))
}

/**
 * Begins one call. Never throws: whatever goes wrong is an outcome.
 *
 * @param run what the run around the call adds; absent for a call outside a run
 */
export function startCall(
  target: CallTarget,
  call: AnyCall,
  options: ResolvedOptions,
  run: RunCallContext | undefined,
  listener: CallListener,
): void {
  try {
    begin(target, call, options, run, listener)
  } catch (error) {
    Promise.resolve(internalFailure(brokenRef(call), call.arguments, error)).then(listener)
  }
}

function brokenRef({ tool, toolCallId = '', parentToolCallId }: AnyCall): ToolCallRef {
  return { tool, toolCallId, ...(parentToolCallId !== undefined && { parentToolCallId }) }
}

function begin(
  given: CallTarget,
  call: AnyCall,
  options: ResolvedOptions,
  run: RunCallContext | undefined,
  listener: CallListener,
): void {
  const { context } = given
  const { effects } = context
  const startedAt = effects.now()
  const toolCallId = call.toolCallId ?? effects.newId('toolCall')
  const target = options.config === undefined ? given : given.under(options.config)
  const served = target.table.find(call.tool)
  const running = new RunningCall(run?.resumption, options.begun)
  const known = new KnownCall({
    call: callRef(call, options, served?.tool.id, toolCallId),
    startedAt,
    tool: served?.tool,
    asked: call,
    options,
    agent: target.agent?.name,
    running,
  })
  const scope = run?.events ?? eventsOf(context, options, target.agent?.name)
  const events = scope && new CallEvents(scope, known)
  running.listener = updateListener(options, events)
  const observed = new ObservedCall(known, effects, events, run?.waiting)
  const refusal = refusalOf(target, known, options, run)
  if (served === undefined || refusal !== undefined) {
    events?.start(undefined)
    endRefused(context, observed, refusal, listener)
    return
  }
  const above = run?.above ?? aboveLater(target, scope, options)
  const request = new CallRequest({ tool: served.tool, running, context, above }, known)
  const remainingMs = remainingTime(options, startedAt, run?.toolTimeoutMs)
  const limits = limitCall(running, { caller: options.signal, remainingMs }, context.listeners)
  const release = inSession(running, options.calls, limits)
  running.whenEnded(new CallPlace(running, run?.calls ?? context.calls, run?.open, release))
  events?.start(request)
  settle(context, served, request, observed, listener)
}

/** @returns `release`, which lets the call leave its session too where it is in one */
function inSession(
  running: RunningCall,
  calls: CallTracker | undefined,
  release: (() => void) | undefined,
): (() => void) | undefined {
  return calls === undefined ? release : leaving(calls, calls.enter(running), release)
}

function leaving(calls: CallTracker, entered: Membership, release: (() => void) | undefined): () => void {
  return () => {
    calls.leave(entered)
    release?.()
  }
}

function settle(
  { tracer }: CallContext,
  served: ServedTool,
  request: CallRequest,
  observed: ObservedCall,
  listener: CallListener,
): void {
  if (tracer === undefined) settleCall(served, request, observed, listener)
  else traceCall(tracer, observed, listener, () => settledCall(served, request))
}

function endRefused(context: CallContext, observed: ObservedCall, refusal: unknown, listener: CallListener): void {
  const { tracer } = context
  if (tracer === undefined)
    Promise.resolve(observed.ended(refused(observed.known, context, refusal), true)).then(listener)
  else traceCall(tracer, observed, listener, async () => refused(observed.known, context, refusal))
}

function settledCall(served: ServedTool, request: CallRequest): Promise<ToolOutcome> {
  return new Promise((resolve) => settleCall(served, request, undefined, resolve))
}

function traceCall(
  tracer: Tracer,
  observed: ObservedCall,
  listener: CallListener,
  work: () => Promise<ToolOutcome>,
): void {
  const { call, arguments: sent } = observed.known
  tracedCall(tracer, observed, work).then(listener, (error) => listener(internalFailure(call, sent, error)))
}

/** What a run beneath a call outside a run takes over. */
function aboveLater(
  { agent, context }: CallTarget,
  events: EventScope | undefined,
  { config, deepTracing }: ResolvedOptions,
): () => ParentRun {
  return () => ({
    runtime: context,
    config,
    agents: agent === undefined ? [] : [agent],
    maxDepth: DEFAULT_MAX_DEPTH,
    tokens: undefined,
    events,
    items: undefined,
    deepTracing: deepTracing ?? false,
  })
}

/** The outcome of a call that is not to be begun at all: nobody is told of it but who reads the outcome. */
export function rejectCall({ context, table }: CallTarget, asked: AnyCall, refusal: ToolFailure): ToolOutcome {
  const call = readCall(asked)
  const served = table.find(call.tool)
  const ref = callRef(call, {}, served?.tool.id, call.toolCallId ?? context.effects.newId('toolCall'))
  const known = { call: ref, arguments: call.arguments, startedAt: context.effects.now(), tool: served?.tool }
  return refused(known, context, refusal)
}

/** Why a call is not begun; `undefined` where it may be. */
function refusalOf(
  { context, table }: CallTarget,
  known: KnownCall,
  { fault }: ResolvedOptions,
  run: RunCallContext | undefined,
): unknown {
  if (fault !== undefined) return fault
  // A run that is under way may come to its end.
  if (context.calls.closed && run === undefined) return context.calls.refusal()
  return known.tool === undefined ? unknownTool(known.call.tool, table) : metaFault(known.tool, known)
}

function refused(
  { call, arguments: rejected, startedAt, tool }: Pick<KnownCall, 'call' | 'arguments' | 'startedAt' | 'tool'>,
  { effects, classify: application }: CallContext,
  refusal: unknown,
): ToolOutcome {
  const now = effects.now()
  return failedOutcome(classify(refusal, now, application), {
    call,
    ...(tool !== undefined && { tool }),
    rejected,
    durationMs: Math.max(0, now - startedAt),
    attempts: 0,
    cause: refusal,
  })
}

/** A call as outcomes name it. */
export function callRef(
  call: AnyCall,
  options: Pick<ResolvedOptions, 'parentToolCallId'>,
  id: string | undefined,
  toolCallId: string,
): ToolCallRef {
  const parentToolCallId = call.parentToolCallId ?? options.parentToolCallId
  const ref: Mutable<ToolCallRef> = { tool: id ?? call.tool, toolCallId }
  if (parentToolCallId !== undefined) ref.parentToolCallId = parentToolCallId
  return Object.freeze(ref)
}

/** The events of a call outside a run; `undefined` where nobody listens. */
function eventsOf(
  { sinks, effects }: CallContext,
  { runId, sessionId, turnId, parentToolCallId, onEvent }: ResolvedOptions,
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

function updateListener(
  { onUpdate, intake }: ResolvedOptions,
  events: CallEvents | undefined,
): UpdateListener | undefined {
  const told = onUpdate === undefined ? events : toldUpdates(onUpdate, events)
  return intake === undefined || told === undefined ? (intake ?? told) : bothTold(told, intake)
}

function bothTold(one: UpdateListener, other: UpdateListener): UpdateListener {
  return {
    update: (index, update) => {
      const room = one.update(index, update)
      const accepted = other.update(index, update)
      return room === undefined || accepted === undefined ? (room ?? accepted) : room.then(() => accepted)
    },
  }
}

function toldUpdates(
  onUpdate: NonNullable<ResolvedOptions['onUpdate']>,
  events: CallEvents | undefined,
): UpdateListener {
  return {
    update: (index, update) => {
      ignoreErrors(() => onUpdate(update))
      return events?.update(index, update)
    },
  }
}

/**
 * The place of a call under way: among those of its runtime, or among those of its step and of its run, which is one of
 * its runtime for all of them.
 */
class CallPlace implements Ended {
  readonly #calls: CallTracker
  readonly #open: RunCallContext['open'] | undefined
  readonly #membership: Membership
  readonly #release: (() => void) | undefined

  /** @param release done when the call has its outcome */
  constructor(
    running: RunningCall,
    calls: CallTracker,
    open: RunCallContext['open'] | undefined,
    release?: () => void,
  ) {
    this.#calls = calls
    this.#open = open
    this.#membership = calls.enter(running)
    this.#release = release
    open?.begin()
  }

  ended(): void {
    this.#calls.leave(this.#membership)
    this.#open?.end()
    this.#release?.()
  }
}

/** What may end a call early. */
interface CallLimits {
  /** The caller's signal. */
  readonly caller: AbortSignal | undefined
  /** How long the call may still take, in milliseconds; absent: for ever. */
  readonly remainingMs: number | undefined
}

/**
 * Lets the caller's signal and the deadline abort a call. The reason of the abort is the caller's own, or a
 * `TimeoutError`. Not `AbortSignal.any`, which on Node 20 holds on to signals of ended calls.
 *
 * @returns `undefined` where nothing limits the call; else lets go of the caller's signal and of the timer, when the call has ended
 */
function limitCall(running: RunningCall, limits: CallLimits, listeners: AbortListeners): (() => void) | undefined {
  return limits.caller === undefined && limits.remainingMs === undefined
    ? undefined
    : limited(running, limits, listeners)
}

function limited(running: RunningCall, { caller, remainingMs }: CallLimits, listeners: AbortListeners): () => void {
  if (caller?.aborted) running.abort(caller.reason)
  const stopListening = caller && listeners.add(caller, () => running.abort(caller.reason))
  const stopTimer = remainingMs === undefined ? undefined : after(remainingMs, () => running.abort(timeoutError()))
  return () => {
    stopListening?.()
    stopTimer?.()
  }
}

function timeoutError(): DOMException {
  return new DOMException('the deadline of the call has passed', 'TimeoutError')
}

/** How many near names a hint offers. */
export const MAX_NEAR = 3

/** The failure of a call for a tool that is not there, with near names in the form in which the tool was asked for. */
function unknownTool(name: string, table: ToolTable): ToolFailure {
  const candidates = name.includes('.') ? table.ids : table.toolNames
  return new ToolFailure(FIXED_MESSAGES.unknown_tool, {
    reason: 'unknown_tool',
    near: [...new Set([...sameTool(name, table), ...nearestNames(name, candidates, MAX_NEAR)])].slice(0, MAX_NEAR),
  })
}

/** The tool of this name in toolsets that go by another name: the agent may use one `as` something else. */
function sameTool(name: string, { ids }: ToolTable): readonly string[] {
  const dot = name.indexOf('.')
  return dot < 0 ? [] : ids.filter((id) => id.slice(id.indexOf('.')) === name.slice(dot))
}

/** Runs a call within a span of the tracer. Rejects only where `work` or the clock does. */
async function tracedCall(
  tracer: Tracer,
  observed: ObservedCall,
  work: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { call, arguments: sent, tool, meta } = observed.known
  const span = { call, arguments: sent, ...(tool !== undefined && { tool: tool.spec }), meta }
  const told = async (): Promise<TracedOutcome> => {
    const outcome = await work()
    const telemetry = observed.telemetry(outcome)
    observed.endedAs(outcome, telemetry)
    return { outcome, telemetry }
  }
  return (await traced((inSpan) => tracer.call(span, inSpan), told)).outcome
}
