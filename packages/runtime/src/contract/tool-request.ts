import type { ToolCallRef } from './call.js'
import type { Decoded } from './codec.js'
import type { Issue } from './issue.js'
import type { JsonText } from './json.js'
import type { ToolCallMeta } from './meta.js'
import type { ToolOutcome } from './outcome.js'
import type { PendingAnswer } from './resume.js'
import type { AgentToolSpec } from './spec.js'

/** One call on its way to its tool. Layers pass it on, or a copy made by one of its methods. */
export interface ToolRequest<out Env = unknown> {
  readonly tool: AgentToolSpec
  readonly call: ToolCallRef
  readonly meta: ToolCallMeta
  /** The capabilities that the caller gave. An empty object where untyped code gave none. */
  readonly env: Env
  /** The arguments as they were sent, before the payload adapter. */
  readonly arguments: JsonText
  /** When the call began, in milliseconds since the epoch. */
  readonly startedAt: number
  /** Whether an update has been emitted: from then on the call is not retried. */
  readonly emitted: boolean
  /**
   * The answer to a call that was suspended, in a resumed run; else absent. `approve` only with the arguments that were
   * approved. Where a nested run continues, `approve` for the first attempt with the arguments that started that run.
   * Whatever layers do, a call that was denied, or whose result came from elsewhere, never reaches its tool.
   */
  readonly answer?: PendingAnswer | undefined
  /** The arguments after the payload adapter, which runs once however many ask. Rejects when the adapter fails. */
  json(): Promise<JsonText>
  /**
   * Payload adapter and codec. The first to ask causes the one decode; all copies of a request share its answer.
   * Server-owned fields are not in it yet. The value is frozen: `withArguments` changes what the tool runs with. Rejects
   * when the adapter fails.
   */
  decode(): Promise<Decoded<unknown>>
  /**
   * Reports an update of a streaming tool. Resolves when listeners have room for more; rejects, and fails the call,
   * when the tool does not stream or the update breaks its schema, and after the call has ended.
   */
  emit(update: unknown): Promise<void>
  /** A copy for another attempt, which counts in `provenance.attempts` and shares the decode. */
  again(): ToolRequest<Env>
  /** A copy with other meta, which shares the decode. */
  withMeta(meta: ToolCallMeta): ToolRequest<Env>
  /** A copy with other arguments, which are adapted and decoded again. No earlier approval covers them. */
  withArguments(json: JsonText): ToolRequest<Env>
  /**
   * A completed outcome with a result that the executor was not asked for: through the result codec and the result
   * adapter. Never rejects: a value that breaks the declared result makes a failed outcome.
   */
  complete(value: unknown): Promise<ToolOutcome>
  /**
   * A failed outcome. Never rejects. The error is classified as if the executor had thrown it: a `ToolFailure` speaks
   * for itself.
   */
  fail(error: unknown): Promise<ToolOutcome>
  /**
   * A failed outcome for arguments with these issues. Never rejects. Where the payload adapter is to blame, the model is
   * not.
   */
  failInvalid(issues: readonly Issue[]): Promise<ToolOutcome>
  /**
   * A suspended outcome: somebody will approve, or the result will come from elsewhere. Never rejects. Of a call that was
   * resumed with a denial, a result or a failure the outcome that follows from that.
   */
  suspend(kind: 'approval' | 'external', prompt?: string): Promise<ToolOutcome>
}
