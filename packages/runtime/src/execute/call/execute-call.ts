import type { ToolCall, ToolCallRef } from '../../contract/call.js'
import type { MetaField, ToolCallMeta } from '../../contract/meta.js'
import type { Mutable } from '../../contract/mutable.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { EventScope } from '../../event/event-scope.js'
import { unheard } from '../../event/unheard.js'
import { classify } from '../failure/classify.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import type { ToolFailure } from '../failure/tool-failure.js'
import { failedOutcome } from '../hint/failed-outcome.js'
import { DEFAULT_MAX_DEPTH, type RunAbove } from '../nest/run-above.js'
import { CallRequest } from '../pipeline/call-request.js'
import { RunningCall, type UpdateListener } from '../tool/running-call.js'
import { CallEvents } from './call-events.js'
import { callMeta, metaFault } from './call-meta.js'
import type { CallContext, CallTarget, RunFrame } from './call-target.js'
import { type GivenOptions, givenCall, remainingTime } from './given-call.js'
import { limitCall } from './limit-call.js'
import { type ObservedCall, observedCall } from './observed-call.js'
import { settledCall } from './settled-call.js'
import type { ServedTool } from './tool-table.js'
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
  const broken = (error: unknown): ToolOutcome => brokenCall(call, error)
  try {
    return beginCall(target, call, options, run).catch(broken)
  } catch (error) {
    return Promise.resolve(broken(error))
  }
}

/** The clock or the source of ids has failed: nothing is known of the call but what its caller gave. */
function brokenCall(
  { tool, toolCallId = '', parentToolCallId, arguments: rejected }: AnyCall,
  cause: unknown,
): ToolOutcome {
  const ref = { tool, toolCallId, ...(parentToolCallId !== undefined && { parentToolCallId }) }
  const failure = { reason: 'internal', message: FIXED_MESSAGES.internal } as const
  return failedOutcome(failure, { call: ref, rejected, durationMs: 0, attempts: 0, cause })
}

function beginCall(
  given: CallTarget,
  call: AnyCall,
  options: GivenOptions,
  run: RunFrame | undefined,
): Promise<ToolOutcome> {
  const { context } = given
  const { effects, tracer } = context
  const startedAt = effects.now()
  const toolCallId = call.toolCallId ?? effects.newId('toolCall')
  const target = options.config === undefined ? given : given.under(options.config)
  const served = target.table.find(call.tool)
  const ref = callRef(call, options, served, toolCallId)
  const scope = run?.events ?? eventsOf(context, options, target.agent?.name)
  const title = served?.tool.spec.title ?? call.tool
  const events = scope && new CallEvents(scope, ref, { arguments: call.arguments, title })
  const running = new RunningCall(updateListener(options, events), run?.resumption)
  const meta = callMeta(call, options, { toolCallId, agent: target.agent?.name, running })
  const observed = { call: ref, arguments: call.arguments, startedAt, tool: served?.tool, meta, effects }
  const refusal = refusalOf(target, served, { meta, options, name: call.tool, run })
  if (served === undefined || refusal !== undefined) {
    return observedCall(observed, undefined, { events, tracer }, (ended) =>
      Promise.resolve(ended(refused(observed, context, refusal))),
    )
  }
  const parts = { call: ref, meta, env: options.env, arguments: call.arguments, startedAt }
  const above = (): RunAbove => run?.above ?? aboveOf(target, scope, options)
  const request = new CallRequest({ tool: served.tool, running, context, above }, parts)
  const remainingMs = remainingTime(options, startedAt, run?.toolTimeoutMs)
  const release = limitCall(running, { caller: options.signal, remainingMs }, context.listeners)
  const inRuntime = context.calls.enter(running)
  const inStep = run?.calls.enter(running)
  running.whenEnded(() => {
    context.calls.leave(inRuntime)
    if (inStep !== undefined) run?.calls.leave(inStep)
    release?.()
  })
  return observedCall(observed, request, { events, tracer }, (ended) => settledCall(served.service, request, ended))
}

/** What a run beneath a call outside a run takes over. */
function aboveOf(
  { agent, context }: CallTarget,
  events: EventScope | undefined,
  { config, deepTracing }: GivenOptions,
): RunAbove {
  return {
    runtime: context,
    config,
    agents: agent === undefined ? [] : [agent],
    maxDepth: DEFAULT_MAX_DEPTH,
    tokens: undefined,
    events,
    deepTracing: deepTracing ?? false,
  }
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
  { call, arguments: rejected, startedAt }: Pick<ObservedCall, 'call' | 'arguments' | 'startedAt'>,
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
  if (onUpdate === undefined && events === undefined) return undefined
  return (index, update) => {
    if (onUpdate !== undefined) unheard(() => onUpdate(update))
    return events?.update(index, update)
  }
}
