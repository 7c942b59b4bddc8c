import type { ToolCall, ToolCallRef } from '../../contract/call.js'
import type { MetaField } from '../../contract/meta.js'
import type { Mutable } from '../../contract/mutable.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { Tracer } from '../../contract/telemetry.js'
import { EventScope } from '../../event/event-scope.js'
import { unheard } from '../../event/unheard.js'
import { classify } from '../failure/classify.js'
import type { ToolFailure } from '../failure/tool-failure.js'
import { failedOutcome } from '../hint/failed-outcome.js'
import { DEFAULT_MAX_DEPTH, type RunAbove } from '../nest/run-above.js'
import { CallRequest } from '../pipeline/call-request.js'
import { RunningCall, type UpdateListener } from '../tool/running-call.js'
import { brokenCall } from './broken-call.js'
import { CallEvents } from './call-events.js'
import type { Membership } from './call-group.js'
import { metaFault } from './call-meta.js'
import { CallPlace } from './call-place.js'
import type { CallContext, CallTarget, CountedCalls, RunFrame } from './call-target.js'
import { type GivenOptions, givenCall, remainingTime } from './given-call.js'
import { KnownCall } from './known-call.js'
import { limitCall } from './limit-call.js'
import { ObservedCall } from './observed-call.js'
import { settleCall } from './settled-call.js'
import type { ServedTool } from './tool-table.js'
import { tracedCall } from './traced-call.js'
import { unknownTool } from './unknown-tool.js'

type AnyCall = ToolCall<unknown, MetaField>

/** Told of the outcome of a call, once, and not before what begins the call has returned. Never throws. */
export type CallListener = (outcome: ToolOutcome) => void

/** Executes one call outside a run. Never rejects: whatever goes wrong is an outcome. */
export function executeCall(target: CallTarget, asked: AnyCall, options: GivenOptions): Promise<ToolOutcome> {
  const call = givenCall(asked)
  return new Promise((resolve) => beginCall(target, call, options, undefined, resolve))
}

/**
 * Begins one call. Never throws: whatever goes wrong is an outcome.
 *
 * @param run what the run around the call adds; absent for a call outside a run
 */
export function beginCall(
  target: CallTarget,
  call: AnyCall,
  options: GivenOptions,
  run: RunFrame | undefined,
  listener: CallListener,
): void {
  try {
    begin(target, call, options, run, listener)
  } catch (error) {
    Promise.resolve(brokenCall(brokenRef(call), call.arguments, error)).then(listener)
  }
}

function brokenRef({ tool, toolCallId = '', parentToolCallId }: AnyCall): ToolCallRef {
  return { tool, toolCallId, ...(parentToolCallId !== undefined && { parentToolCallId }) }
}

function begin(
  given: CallTarget,
  call: AnyCall,
  options: GivenOptions,
  run: RunFrame | undefined,
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
  calls: CountedCalls | undefined,
  release: (() => void) | undefined,
): (() => void) | undefined {
  return calls === undefined ? release : leaving(calls, calls.enter(running), release)
}

function leaving(calls: CountedCalls, entered: Membership, release: (() => void) | undefined): () => void {
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
  tracedCall(tracer, observed, work).then(listener, (error) => listener(brokenCall(call, sent, error)))
}

/** What a run beneath a call outside a run takes over. */
function aboveLater(
  { agent, context }: CallTarget,
  events: EventScope | undefined,
  { config, deepTracing }: GivenOptions,
): () => RunAbove {
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
export function refuseCall({ context, table }: CallTarget, asked: AnyCall, refusal: ToolFailure): ToolOutcome {
  const call = givenCall(asked)
  const served = table.find(call.tool)
  const ref = callRef(call, {}, served?.tool.id, call.toolCallId ?? context.effects.newId('toolCall'))
  const known = { call: ref, arguments: call.arguments, startedAt: context.effects.now(), tool: served?.tool }
  return refused(known, context, refusal)
}

/** Why a call is not begun; `undefined` where it may be. */
function refusalOf(
  { context, table }: CallTarget,
  known: KnownCall,
  { fault }: GivenOptions,
  run: RunFrame | undefined,
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
  options: Pick<GivenOptions, 'parentToolCallId'>,
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
  { runId, sessionId, turnId, parentToolCallId, onEvent }: GivenOptions,
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
  { onUpdate, intake }: GivenOptions,
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

function toldUpdates(onUpdate: NonNullable<GivenOptions['onUpdate']>, events: CallEvents | undefined): UpdateListener {
  return {
    update: (index, update) => {
      unheard(() => onUpdate(update))
      return events?.update(index, update)
    },
  }
}
