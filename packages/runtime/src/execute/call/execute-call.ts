import type { ToolCall, ToolCallRef } from '../../contract/call.js'
import type { MetaField, ToolCallMeta } from '../../contract/meta.js'
import type { Mutable } from '../../contract/mutable.js'
import type { ToolOutcome } from '../../contract/outcome.js'
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
import { callMeta, metaFault } from './call-meta.js'
import type { CallContext, CallTarget, RunFrame } from './call-target.js'
import { type GivenOptions, givenCall, remainingTime } from './given-call.js'
import { limitCall } from './limit-call.js'
import { type KnownCall, ObservedCall } from './observed-call.js'
import { settledCall } from './settled-call.js'
import type { ServedTool } from './tool-table.js'
import { tracedCall } from './traced-call.js'
import { unknownTool } from './unknown-tool.js'

type AnyCall = ToolCall<unknown, MetaField>

/**
 * Executes one call. Never rejects: whatever goes wrong is an outcome.
 *
 * @param run what the run around the call adds; absent for a call outside a run
 */
export function executeCall(
  target: CallTarget,
  asked: AnyCall,
  options: GivenOptions,
  run?: RunFrame,
): Promise<ToolOutcome> {
  const call = run === undefined ? givenCall(asked) : asked
  try {
    return beginCall(target, call, options, run)
  } catch (error) {
    return Promise.resolve(brokenCall(brokenRef(call), call.arguments, error))
  }
}

function brokenRef({ tool, toolCallId = '', parentToolCallId }: AnyCall): ToolCallRef {
  return { tool, toolCallId, ...(parentToolCallId !== undefined && { parentToolCallId }) }
}

function beginCall(
  given: CallTarget,
  call: AnyCall,
  options: GivenOptions,
  run: RunFrame | undefined,
): Promise<ToolOutcome> {
  const { context } = given
  const { effects } = context
  const startedAt = effects.now()
  const toolCallId = call.toolCallId ?? effects.newId('toolCall')
  const target = options.config === undefined ? given : given.under(options.config)
  const served = target.table.find(call.tool)
  const ref = callRef(call, options, served, toolCallId)
  const scope = run?.events ?? eventsOf(context, options, target.agent?.name)
  const events = scope && new CallEvents(scope, ref, call.arguments, served?.tool.spec.title ?? call.tool)
  const running = new RunningCall(updateListener(options, events), run?.resumption)
  const meta = callMeta(call, options, { toolCallId, agent: target.agent?.name, running })
  const known = { call: ref, arguments: call.arguments, startedAt, tool: served?.tool, meta }
  const observed = new ObservedCall(known, effects, events)
  const refusal = refusalOf(target, served, { meta, options, name: call.tool, run })
  if (served === undefined || refusal !== undefined) {
    events?.start(known.tool, undefined)
    return refusedCall(context, observed, refusal)
  }
  const parts = { call: ref, meta, env: options.env, arguments: call.arguments, startedAt }
  const above = run?.above ?? aboveLater(target, scope, options)
  const request = new CallRequest({ tool: served.tool, running, context, above }, parts)
  const remainingMs = remainingTime(options, startedAt, run?.toolTimeoutMs)
  const limits = limitCall(running, { caller: options.signal, remainingMs }, context.listeners)
  running.whenEnded(underWay(running, context, run, limits))
  events?.start(known.tool, request)
  return finishedCall(context, served, request, observed)
}

/** The call is counted among those of its runtime and of its step until what is given back is called. */
function underWay(
  running: RunningCall,
  { calls }: CallContext,
  run: RunFrame | undefined,
  release: (() => void) | undefined,
): () => void {
  const inRuntime = calls.enter(running)
  if (run === undefined) {
    return () => {
      calls.leave(inRuntime)
      release?.()
    }
  }
  const inStep = run.calls.enter(running)
  run.open.begin()
  return () => {
    calls.leave(inRuntime)
    run.calls.leave(inStep)
    run.open.end()
    release?.()
  }
}

function finishedCall(
  { tracer }: CallContext,
  served: ServedTool,
  request: CallRequest,
  observed: ObservedCall,
): Promise<ToolOutcome> {
  if (tracer === undefined) return settledCall(served, request, observed)
  return unbroken(
    tracedCall(tracer, observed, () => settledCall(served, request, undefined)),
    observed,
  )
}

function refusedCall(context: CallContext, observed: ObservedCall, refusal: unknown): Promise<ToolOutcome> {
  const { tracer } = context
  if (tracer === undefined) return Promise.resolve(observed.ended(refused(observed.known, context, refusal)))
  return unbroken(
    tracedCall(tracer, observed, async () => refused(observed.known, context, refusal)),
    observed,
  )
}

function unbroken(outcome: Promise<ToolOutcome>, { known }: ObservedCall): Promise<ToolOutcome> {
  return outcome.catch((error) => brokenCall(known.call, known.arguments, error))
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
    deepTracing: deepTracing ?? false,
  })
}

/** The outcome of a call that is not to be begun at all: nobody is told of it but who reads the outcome. */
export function refuseCall({ context, table }: CallTarget, asked: AnyCall, refusal: ToolFailure): ToolOutcome {
  const call = givenCall(asked)
  const ref = callRef(call, {}, table.find(call.tool), call.toolCallId ?? context.effects.newId('toolCall'))
  return refused({ call: ref, arguments: call.arguments, startedAt: context.effects.now() }, context, refusal)
}

/** What is asked of a target. */
interface AskedCall {
  readonly meta: ToolCallMeta
  readonly options: GivenOptions
  readonly name: string
  readonly run: RunFrame | undefined
}

/** Why a call is not begun; `undefined` where it may be. */
function refusalOf(
  { context, table }: CallTarget,
  served: ServedTool | undefined,
  { meta, options, name, run }: AskedCall,
): unknown {
  if (options.fault !== undefined) return options.fault
  // A run that is under way may come to its end.
  if (context.calls.closed && run === undefined) return context.calls.refusal()
  if (served === undefined) return unknownTool(name, table)
  return metaFault(served.tool, meta)
}

function refused(
  { call, arguments: rejected, startedAt }: Pick<KnownCall, 'call' | 'arguments' | 'startedAt'>,
  { effects, classify: application }: CallContext,
  refusal: unknown,
): ToolOutcome {
  const now = effects.now()
  return failedOutcome(classify(refusal, now, application), {
    call,
    rejected,
    durationMs: Math.max(0, now - startedAt),
    attempts: 0,
    cause: refusal,
  })
}

function callRef(
  call: AnyCall,
  options: Pick<GivenOptions, 'parentToolCallId'>,
  served: ServedTool | undefined,
  toolCallId: string,
): ToolCallRef {
  const parentToolCallId = call.parentToolCallId ?? options.parentToolCallId
  const ref: Mutable<ToolCallRef> = { tool: served?.tool.id ?? call.tool, toolCallId }
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

function updateListener({ onUpdate }: GivenOptions, events: CallEvents | undefined): UpdateListener | undefined {
  return onUpdate === undefined ? events : toldUpdates(onUpdate, events)
}

function toldUpdates(onUpdate: NonNullable<GivenOptions['onUpdate']>, events: CallEvents | undefined): UpdateListener {
  return {
    update: (index, update) => {
      unheard(() => onUpdate(update))
      return events?.update(index, update)
    },
  }
}
