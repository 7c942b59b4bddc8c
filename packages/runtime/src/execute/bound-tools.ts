import type { NeedsOf, ResultOf, ToolCall } from '../contract/call.js'
import type { CallOptions, OptionsFor } from '../contract/call-options.js'
import type { MetaField } from '../contract/meta.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { AgentToolSpec } from '../contract/spec.js'
import { type CallTarget, executeCall } from './call/execute-call.js'

/** Tools that are ready to be called; see {@link BoundToolset} and {@link BoundAgent}. */
export abstract class BoundTools {
  readonly #target: CallTarget

  constructor(target: CallTarget) {
    this.#target = target
  }

  /** What may be called, in the order of the design; deeply frozen. */
  get specs(): readonly AgentToolSpec[] {
    return this.#target.table.specs
  }

  /**
   * Executes one call, made by a generated builder or from what a model sent (`tool` may then be a wire name). Never
   * rejects: an unknown tool, malformed arguments, an error of the service, a cancellation are outcomes. The options
   * are required exactly where the tool has server-owned fields that the caller must give. Calls of several tools may be
   * mixed: the outcome is then one of any of them.
   *
   * @example
   * const outcome = await support.execute(newGetOrderCall({ orderId: 'A-1001' }), { sessionId: 's-1' })
   * if (outcome.status === 'completed') outcome.result.data.total
   */
  execute<Call extends ToolCall<unknown, 'toolCallId'>>(
    call: Call,
    options?: CallOptions,
  ): Promise<ToolOutcome<ResultOf<Call>>>
  execute<Call extends ToolCall<unknown, MetaField>>(
    call: Call,
    options: OptionsFor<NeedsOf<Call>>,
  ): Promise<ToolOutcome<ResultOf<Call>>>
  execute(call: ToolCall<any, MetaField>, options?: CallOptions): Promise<ToolOutcome<any>> {
    // `any`: the result codec of the tool stands behind the type that the call carries.
    return executeCall(this.#target, call, options ?? {})
  }
}
