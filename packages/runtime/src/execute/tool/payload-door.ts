import type { ToolExecutor } from '../../contract/executor.js'
import type { ToolCallMeta } from '../../contract/meta.js'

/** Under which an executor of the runtime's own has the door for tools that need nothing but their payload. */
export const PAYLOAD_DOOR: unique symbol = Symbol('payload')

/** What has the meta of a call, which is made when somebody asks for it. */
export interface MetaSource {
  readonly meta: ToolCallMeta
}

/** One tool that needs nothing but its payload, in the two parts between which it is waited for its service. */
export interface PayloadTool {
  /** What the service answers, or a promise of it. */
  ask(payload: unknown, source: MetaSource): unknown
  /** What the tool answers then, or a promise of it. */
  result(answer: unknown, source: MetaSource): unknown
}

/**
 * An executor whose tools may be run without a request, where their payload is there at once: what `execute` would do
 * with it, for a third of what a call costs.
 */
export interface PayloadExecutor extends ToolExecutor {
  [PAYLOAD_DOOR](name: string): PayloadTool | undefined
}

/** The door of a tool; `undefined` where its executor has none. */
export function payloadTool(executor: ToolExecutor, name: string): PayloadTool | undefined {
  return hasDoor(executor) ? executor[PAYLOAD_DOOR](name) : undefined
}

function hasDoor(executor: ToolExecutor): executor is PayloadExecutor {
  return PAYLOAD_DOOR in executor
}
