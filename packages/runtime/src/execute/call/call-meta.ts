import type { ToolCall } from '../../contract/call.js'
import type { CallOptions } from '../../contract/call-options.js'
import type { MetaField, ToolCallMeta } from '../../contract/meta.js'
import { withIdleSignal } from '../tool/idle-signal.js'

/** What the runtime itself knows of a call. */
export interface KnownMeta {
  readonly toolCallId: string
  readonly agent: string | undefined
  /** Absent where nobody can end the call early. */
  readonly signal: AbortSignal | undefined
}

/** The meta of a call's first attempt, frozen: adapters and executors see it too. What the call says of its parent goes before what the options say. */
export function callMeta(call: ToolCall<unknown, MetaField>, options: CallOptions, known: KnownMeta): ToolCallMeta {
  const { runId, sessionId, turnId, deadline } = options
  const parentToolCallId = call.parentToolCallId ?? options.parentToolCallId
  const meta = {
    ...(runId !== undefined && { runId }),
    ...(sessionId !== undefined && { sessionId }),
    ...(turnId !== undefined && { turnId }),
    toolCallId: known.toolCallId,
    ...(parentToolCallId !== undefined && { parentToolCallId }),
    ...(known.agent !== undefined && { agent: known.agent }),
    labels: Object.freeze({ ...options.labels }),
    ...(deadline !== undefined && { deadline }),
    attempt: 1,
  }
  return known.signal === undefined ? withIdleSignal(meta) : Object.freeze({ ...meta, signal: known.signal })
}
