import type { ToolCall, ToolCallRef } from '../../contract/call.js'
import type { CallOptions } from '../../contract/call-options.js'
import type { MetaField, ToolCallMeta } from '../../contract/meta.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { classify } from '../failure/classify.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { failedOutcome } from '../hint/failed-outcome.js'
import type { ServiceContext } from '../pipeline/tool-service.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { missingMeta } from '../tool/meta-value.js'
import { toolRequest } from '../tool/tool-request.js'
import type { AbortListeners } from './abort-listeners.js'
import { callMeta } from './call-meta.js'
import { type CallSignal, callSignal } from './call-signal.js'
import { allowedTime, givenCall, givenOptions } from './given-call.js'
import type { ServedTool, ToolTable } from './tool-table.js'
import { unknownTool } from './unknown-tool.js'

/** What calls need of their runtime. */
export interface CallContext extends ServiceContext {
  readonly listeners: AbortListeners
}

/** Where calls are executed. */
export interface CallTarget {
  readonly table: ToolTable
  readonly context: CallContext
  /** The agent's name; absent for a toolset without an agent. */
  readonly agent: string | undefined
}

/** Executes one call. Never rejects: whatever goes wrong is an outcome. */
export async function executeCall(
  target: CallTarget,
  asked: ToolCall<unknown, MetaField>,
  options: CallOptions,
): Promise<ToolOutcome> {
  const call = givenCall(asked)
  try {
    return await startedCall(target, call, options)
  } catch (error) {
    // The clock or the source of ids has failed: nothing is known of the call but what its caller gave.
    const { tool, toolCallId = '', parentToolCallId } = call
    const ref = { tool, toolCallId, ...(parentToolCallId !== undefined && { parentToolCallId }) }
    const failure = { reason: 'internal', message: FIXED_MESSAGES.internal } as const
    return failedOutcome(failure, { call: ref, rejected: call.arguments, durationMs: 0, attempts: 0, cause: error })
  }
}

async function startedCall(
  target: CallTarget,
  call: ToolCall<unknown, MetaField>,
  asked: CallOptions,
): Promise<ToolOutcome> {
  const { effects, listeners, classify: application } = target.context
  const startedAt = effects.now()
  const served = target.table.find(call.tool)
  const toolCallId = call.toolCallId ?? effects.newId('toolCall')
  let ref = callRef(call, served, toolCallId)
  let limits: CallSignal | undefined
  try {
    const options = givenOptions(asked)
    ref = callRef({ ...options, ...call }, served, toolCallId)
    if (served === undefined) throw unknownTool(call.tool, target.table)
    limits = callSignal({ caller: options.signal, remainingMs: allowedTime(options, startedAt) }, listeners)
    const { signal } = limits
    const meta = callMeta(call, options, { toolCallId, agent: target.agent, signal })
    requireMeta(served.tool, meta)
    return await served.service(toolRequest(served.tool, { call: ref, meta, arguments: call.arguments, startedAt }))
  } catch (error) {
    const now = effects.now()
    return failedOutcome(classify(error, now, application), {
      call: ref,
      rejected: call.arguments,
      durationMs: Math.max(0, now - startedAt),
      attempts: 0,
      cause: error,
    })
  } finally {
    limits?.release()
  }
}

function callRef(
  call: Pick<CallOptions, 'parentToolCallId'> & Pick<ToolCall, 'tool'>,
  served: ServedTool | undefined,
  toolCallId: string,
): ToolCallRef {
  const { parentToolCallId } = call
  return {
    tool: served?.tool.id ?? call.tool,
    toolCallId,
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  }
}

/** A tool whose server-owned fields nobody can fill is not started. */
function requireMeta(tool: BoundTool, meta: ToolCallMeta): void {
  const missing = missingMeta(tool.spec.serverOwned, meta)
  if (missing.length === 0) return
  const names = missing.map((field) => `options.${field}`).join(', ')
  throw new ToolFailure(`The caller of '${tool.id}' must give ${names} to execute.`, {
    reason: 'internal',
    action: 'finish',
  })
}
