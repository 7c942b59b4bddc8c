import type { ToolCall } from '../../contract/call.js'
import type { CallOptions } from '../../contract/call-options.js'
import type { MetaField, ToolCallMeta } from '../../contract/meta.js'
import { ToolFailure } from '../failure/tool-failure.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { closedMeta, openMeta } from '../tool/call-signal.js'
import type { MetaSource } from '../tool/payload-door.js'
import type { RunningCall } from '../tool/running-call.js'
import { missingOfCall } from './missing-options.js'

/** What the runtime itself knows of a call. */
export interface KnownMeta {
  readonly toolCallId: string
  readonly agent: string | undefined
  readonly running: RunningCall
}

/**
 * The meta of a call's first attempt, frozen: adapters and executors see it too. What the call says of its parent goes
 * before what the options say.
 */
export function callMeta(call: ToolCall<unknown, MetaField>, options: CallOptions, known: KnownMeta): ToolCallMeta {
  const { runId, sessionId, turnId, deadline, labels } = options
  const parentToolCallId = call.parentToolCallId ?? options.parentToolCallId
  const meta = openMeta(known.running, known.toolCallId, labels ?? NO_LABELS)
  if (known.agent !== undefined) meta.agent = known.agent
  if (runId !== undefined) meta.runId = runId
  if (sessionId !== undefined) meta.sessionId = sessionId
  if (turnId !== undefined) meta.turnId = turnId
  if (parentToolCallId !== undefined) meta.parentToolCallId = parentToolCallId
  if (deadline !== undefined) meta.deadline = deadline
  return closedMeta(meta)
}

const NO_LABELS: ToolCallMeta['labels'] = Object.freeze({})

/**
 * Why a tool is not started whose server-owned fields nobody can fill, or those of the tools of the agent that serves it;
 * `undefined` where all can be filled.
 */
export function metaFault(tool: BoundTool, source: MetaSource): ToolFailure | undefined {
  const missing = missingOfCall(tool, source)
  if (missing.length === 0) return undefined
  return new ToolFailure(`The caller of '${tool.id}' must give ${missing.join(', ')} to execute.`, {
    reason: 'internal',
    action: 'finish',
  })
}
