import { freezeJson } from '../../codec/json/freeze.js'
import type { Decoded } from '../../contract/codec.js'
import type { JsonText } from '../../contract/json.js'
import type { ToolCallMeta } from '../../contract/meta.js'
import { adaptPayload } from '../tool/adapt.js'
import type { BoundTool } from '../tool/bound-tool.js'

/** The arguments of a call, adapted and decoded once, whoever asks first and however many ask. */
export class DecodeCell {
  readonly #tool: BoundTool
  readonly #sent: { readonly arguments: JsonText; readonly meta: ToolCallMeta }
  #json: Promise<JsonText> | undefined = undefined
  #decoded: Promise<Decoded<unknown>> | undefined = undefined
  #present: Decoded<unknown> | undefined = undefined
  #frozen = false

  constructor(tool: BoundTool, sent: { readonly arguments: JsonText; readonly meta: ToolCallMeta }) {
    this.#tool = tool
    this.#sent = sent
  }

  json(): Promise<JsonText> {
    this.#json ??= heard(adaptPayload(this.#tool, this.#sent.arguments, this.#sent.meta))
    return this.#json
  }

  decode(): Promise<Decoded<unknown>> {
    this.#decoded ??= heard(this.#decode())
    return this.#decoded
  }

  /** The decoded arguments, frozen with all their parts: who reads them does not change what the tool runs with. */
  async read(): Promise<Decoded<unknown>> {
    const decoded = await this.decode()
    if (decoded.ok && !this.#frozen) freezeJson(decoded.value)
    this.#frozen = true
    return decoded
  }

  /** The decoded arguments at once; `undefined` where an adapter has to be waited for. */
  now(): Decoded<unknown> | undefined {
    if (this.#tool.payloadAdapter !== undefined) return undefined
    this.#present ??= this.#tool.payload.decode(this.#sent.arguments)
    return this.#present
  }

  async #decode(): Promise<Decoded<unknown>> {
    return this.now() ?? this.#tool.payload.decode(await this.json())
  }
}

/** Who asks hears of a failure; one who asked and no longer waits must not bring the process down. */
function heard<Value>(answer: Promise<Value>): Promise<Value> {
  answer.catch(() => undefined)
  return answer
}
