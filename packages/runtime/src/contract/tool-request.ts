import type { ToolCallRef } from './call.js'
import type { Decoded } from './codec.js'
import type { JsonText } from './json.js'
import type { ToolCallMeta } from './meta.js'
import type { AgentToolSpec } from './spec.js'

/** One call on its way to its tool. */
export interface ToolRequest {
  readonly tool: AgentToolSpec
  readonly call: ToolCallRef
  readonly meta: ToolCallMeta
  /** The arguments as they were sent, before the payload adapter. */
  readonly arguments: JsonText
  /** When the call began, in milliseconds since the epoch. */
  readonly startedAt: number
  /** The arguments after the payload adapter, which runs once however many ask. Rejects when the adapter fails. */
  json(): Promise<JsonText>
  /**
   * Payload adapter and codec. The first to ask causes the one decode; all copies of a request share its answer.
   * Server-owned fields are not in it yet. Rejects when the adapter fails.
   */
  decode(): Promise<Decoded<unknown>>
  /** A copy with other meta, which shares the decode. */
  withMeta(meta: ToolCallMeta): ToolRequest
  /** A copy with other arguments, to be adapted and decoded anew. */
  withArguments(json: JsonText): ToolRequest
}
