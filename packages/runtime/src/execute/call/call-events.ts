import type { Decoded } from '../../contract/codec.js'
import type { EventBody } from '../../contract/event.js'
import type { JsonText } from '../../contract/json.js'
import type { ToolCallMeta } from '../../contract/meta.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { ToolTelemetry } from '../../contract/telemetry.js'
import type { NotedBody } from '../../event/event-note.js'
import type { EventScope } from '../../event/event-scope.js'
import type { HintTemplate } from '../../event/hint-text.js'
import type { CallRequest } from '../pipeline/call-request.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { metaValue } from '../tool/meta-value.js'
import type { KnownCall } from './known-call.js'

/** The events of one call, in their order: one start, its updates, one end. */
export class CallEvents {
  readonly #scope: EventScope
  readonly #known: KnownCall
  #started = false

  constructor(scope: EventScope, known: KnownCall) {
    this.#scope = scope
    this.#known = known
  }

  /**
   * Tells of the start, with the call hint over the payload where there is one and the arguments are valid. A payload
   * adapter is the application's own and may take its time: the call goes on, and the start is told when the payload is
   * known, before anything else of the call is.
   *
   * @param request absent for a call that is refused
   */
  start(request: CallRequest | undefined): void {
    const { tool, startedAt } = this.#known
    if (tool?.hints.call === undefined || request === undefined) this.#start(undefined, startedAt)
    else this.#startHinted(tool, tool.hints.call, request)
  }

  /** Tells of an update. */
  update(index: number, update: JsonText): Promise<void> | undefined {
    this.#start()
    this.#scope.publish({ type: 'call_updated', call: this.#known.call, index, update })
    return this.#scope.room()
  }

  /**
   * Tells of the end, with the result hint where there is one and the call completed.
   *
   * @param telemetry absent where it follows from the outcome, whenever it is asked for
   * @param at when the call ended, where the clock was read just now
   */
  end(outcome: ToolOutcome, telemetry: ToolTelemetry | undefined, at?: number): void {
    this.#start()
    const { call, tool } = this.#known
    const hint =
      tool?.hints.result === undefined || outcome.status !== 'completed'
        ? undefined
        : tool.hints.result(outcome.result.data)
    const body: NotedBody = { type: 'call_ended', call, title: this.#title(), outcome, telemetry }
    this.#scope.publish(hint === undefined ? body : Object.assign(body, { hint }), at)
  }

  #startHinted(tool: BoundTool, template: HintTemplate, request: CallRequest): void {
    const tell = (decoded?: Decoded<unknown>): void => {
      this.#start(decoded && callHint(tool, template, request.meta, decoded))
    }
    const now = request.decodedNow()
    // Where the adapter fails, the call itself will tell.
    if (now === undefined) request.decoded().then(tell, () => tell())
    else tell(now)
  }

  /** @param at when the call began, where that is now */
  #start(hint?: string, at?: number): void {
    if (this.#started) return
    this.#started = true
    const { call, arguments: sent } = this.#known
    const body: EventBody = { type: 'call_started', call, title: this.#title(), arguments: sent }
    this.#scope.publish(hint === undefined ? body : Object.assign(body, { hint }), at)
  }

  #title(): string {
    const { tool, call } = this.#known
    return tool?.spec.title ?? call.tool
  }
}

/** The call hint over the payload; `undefined` where the arguments are invalid. */
function callHint(
  tool: BoundTool,
  template: HintTemplate,
  meta: ToolCallMeta,
  decoded: Decoded<unknown>,
): string | undefined {
  if (!decoded.ok || typeof decoded.value !== 'object' || decoded.value === null) return undefined
  if (tool.serverOwned.length === 0) return template(decoded.value)
  const owned = tool.serverOwned.map(({ field, from }) => [field, metaValue(meta, from)])
  return template(Object.fromEntries([...Object.entries(decoded.value), ...owned]))
}
