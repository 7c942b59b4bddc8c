import type { JsonText } from './json.js'
import type { ToolCallMeta } from './meta.js'
import type { Provenance } from './outcome.js'
import type { AgentToolSpec } from './spec.js'

/** What an executor sees of a call. */
export interface ExecutorRequest {
  readonly tool: AgentToolSpec
  readonly meta: ToolCallMeta
  /** The arguments as JSON text, after the payload adapter. */
  json(): Promise<JsonText>
  /**
   * The payload: decoded once however often it is asked for, server-owned fields filled, checks passed.
   * Rejects with an error that the runtime turns into a hint when the arguments are invalid; let it pass.
   */
  payload(): Promise<unknown>
  /**
   * Reports an update of a streaming tool. Resolves when listeners have room for more; rejects, and fails the call,
   * when the tool does not stream or the update breaks its schema, and after the call has ended.
   */
  emit(update: unknown): Promise<void>
}

/** Runs tools. Returns the bare result or what `provenanced(...)` made of it. */
export interface ToolExecutor {
  execute(request: ExecutorRequest): Promise<unknown>
}

/** What an executor may add to the provenance of a result. */
export type ProvenanceDetail = Pick<Provenance, 'model' | 'service' | 'extra'>
