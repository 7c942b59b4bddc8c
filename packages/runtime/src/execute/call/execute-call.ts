import type { ToolCall, ToolCallRef } from '../../contract/call.js'
import type { CallOptions } from '../../contract/call-options.js'
import type { MetaField, ToolCallMeta } from '../../contract/meta.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { classify } from '../failure/classify.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { failedOutcome } from '../hint/failed-outcome.js'
import type { ServiceContext } from '../pipeline/tool-service.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { missingMeta } from '../tool/meta-value.js'
import { toolRequest } from '../tool/tool-request.js'
import { callMeta } from './call-meta.js'
import { type CallSignal, callSignal } from './call-signal.js'
import { allowedTime, givenCall } from './given-call.js'
import type { ServedTool, ToolTable } from './tool-table.js'
import { unknownTool } from './unknown-tool.js'

/** Where calls are executed. */
export interface CallTarget {
  readonly table: ToolTable
  readonly context: ServiceContext
  /** The agent's name; absent for a toolset without an agent. */
  readonly agent: string | undefined
}

/** Executes one call. Never rejects: whatever goes wrong is an outcome. */
export async function executeCall(
  target: CallTarget,
  asked: ToolCall<unknown, MetaField>,
  options: CallOptions,
): Promise<ToolOutcome> {
  const { effects, classify: application } = target.context
  const startedAt = effects.now()
  const call = givenCall(asked)
  const served = target.table.find(call.tool)
  const ref = callRef(target, call, options, served)
  let limits: CallSignal | undefined
  try {
    if (served === undefined) throw unknownTool(call.tool, target.table)
    limits = callSignal(options.signal, allowedTime(options, startedAt))
    const { signal } = limits
    const meta = callMeta(call, options, { toolCallId: ref.toolCallId, agent: target.agent, signal })
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
  { context }: CallTarget,
  call: ToolCall<unknown, MetaField>,
  options: CallOptions,
  served: ServedTool | undefined,
): ToolCallRef {
  const parentToolCallId = call.parentToolCallId ?? options.parentToolCallId
  return {
    tool: served?.tool.id ?? call.tool,
    toolCallId: call.toolCallId ?? context.effects.newId('toolCall'),
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  }
}

/** A tool whose server-owned fields nobody can fill is not started. */
function requireMeta(tool: BoundTool, meta: ToolCallMeta): void {
  const missing = missingMeta(tool.spec.serverOwned, meta)
  if (missing.length === 0) return
  const names = missing.map((field) => `options.${field}`).join(', ')
  throw new ToolFailure(`The caller of '${tool.id}' must give ${names} to execute.`, { reason: 'internal' })
}
