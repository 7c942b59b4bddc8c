import type { ToolCallRef } from '../../contract/call.js'
import type { JsonText } from '../../contract/json.js'
import type { ToolCallMeta } from '../../contract/meta.js'
import type { BoundTool } from '../tool/bound-tool.js'

/** What is known of a call before anything becomes of it. */
export interface KnownCall {
  readonly call: ToolCallRef
  readonly arguments: JsonText
  readonly startedAt: number
  /** Absent for an unknown tool. */
  readonly tool: BoundTool | undefined
  readonly meta: ToolCallMeta
  /** What the caller gave. */
  readonly env: unknown
}
