import type { ToolCall, ToolCallRef } from '../../contract/call.js'
import type { CallOptions } from '../../contract/call-options.js'
import type { JsonText } from '../../contract/json.js'
import type { MetaField, ToolCallMeta } from '../../contract/meta.js'
import type { RequestParts } from '../pipeline/call-request.js'
import type { BoundTool } from '../tool/bound-tool.js'
import type { RunningCall } from '../tool/running-call.js'
import { callMeta } from './call-meta.js'

/** What a call begins with. */
export interface CallBeginning {
  readonly call: ToolCallRef
  readonly startedAt: number
  /** Absent for an unknown tool. */
  readonly tool: BoundTool | undefined
  /** As it was asked for. */
  readonly asked: ToolCall<unknown, MetaField>
  readonly options: CallOptions & { readonly env: unknown }
  /** The name of the agent that calls. */
  readonly agent: string | undefined
  readonly running: RunningCall
}

/** What is known of a call before anything becomes of it. */
export class KnownCall implements RequestParts {
  readonly isFirst = true
  readonly call: ToolCallRef
  readonly arguments: JsonText
  readonly startedAt: number
  /** Absent for an unknown tool. */
  readonly tool: BoundTool | undefined
  readonly #asked: ToolCall<unknown, MetaField>
  readonly #options: CallBeginning['options']
  readonly #agent: string | undefined
  readonly #running: RunningCall
  #meta: ToolCallMeta | undefined = undefined

  constructor({ call, startedAt, tool, asked, options, agent, running }: CallBeginning) {
    this.call = call
    this.arguments = asked.arguments
    this.startedAt = startedAt
    this.tool = tool
    this.#asked = asked
    this.#options = options
    this.#agent = agent
    this.#running = running
  }

  /** What the caller gave. */
  get env(): unknown {
    return this.#options.env
  }

  /** Made when somebody asks for it, which most calls do not: that costs a tenth of a call. */
  get meta(): ToolCallMeta {
    if (this.#meta === undefined) {
      const known = { toolCallId: this.call.toolCallId, agent: this.#agent, running: this.#running }
      this.#meta = callMeta(this.#asked, this.#options, known)
    }
    return this.#meta
  }
}
