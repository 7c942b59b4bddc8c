import type { ToolCallRef } from '../../contract/call.js'
import type { Decoded } from '../../contract/codec.js'
import type { EventBody } from '../../contract/event.js'
import type { JsonText } from '../../contract/json.js'
import type { ToolCallMeta } from '../../contract/meta.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { ToolTelemetry } from '../../contract/telemetry.js'
import type { EventScope } from '../../event/event-scope.js'
import type { HintTemplate } from '../../event/hint-text.js'
import type { CallRequest } from '../pipeline/call-request.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { metaValue } from '../tool/meta-value.js'

/** The events of one call, in their order: one start, its updates, one end. */
export class CallEvents {
  readonly #scope: EventScope
  readonly #call: ToolCallRef
  readonly #arguments: JsonText
  readonly #title: string
  #started = false

  constructor(scope: EventScope, call: ToolCallRef, sent: JsonText, title: string) {
    this.#scope = scope
    this.#call = call
    this.#arguments = sent
    this.#title = title
  }

  /**
   * Tells of the start, with the call hint over the payload where there is one and the arguments are valid. A payload
   * adapter is the application's own and may take its time: the call goes on, and the start is told when the payload is
   * known, before anything else of the call is.
   */
  start(tool: BoundTool | undefined, request: CallRequest | undefined): void {
    const template = tool?.hints.call
    if (tool === undefined || template === undefined || request === undefined) {
      this.#start()
      return
    }
    const tell = (decoded?: Decoded<unknown>): void => {
      this.#start(decoded && callHint(tool, template, request.meta, decoded))
    }
    const now = request.decodedNow()
    // Where the adapter fails, the call itself will tell.
    if (now === undefined) request.decoded().then(tell, () => tell())
    else tell(now)
  }

  /** Tells of an update. */
  update(index: number, update: JsonText): Promise<void> | undefined {
    this.#start()
    this.#scope.publish({ type: 'call_updated', call: this.#call, index, update })
    return this.#scope.room()
  }

  /** Tells of the end, with the result hint where there is one and the call completed. */
  end(tool: BoundTool | undefined, outcome: ToolOutcome, telemetry: ToolTelemetry): void {
    this.#start()
    const hint =
      tool?.hints.result === undefined || outcome.status !== 'completed'
        ? undefined
        : tool.hints.result(outcome.result.data)
    const body: EventBody = { type: 'call_ended', call: this.#call, title: this.#title, outcome, telemetry }
    this.#scope.publish(hint === undefined ? body : Object.assign(body, { hint }))
  }

  #start(hint?: string): void {
    if (this.#started) return
    this.#started = true
    const body: EventBody = { type: 'call_started', call: this.#call, title: this.#title, arguments: this.#arguments }
    this.#scope.publish(hint === undefined ? body : Object.assign(body, { hint }))
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
