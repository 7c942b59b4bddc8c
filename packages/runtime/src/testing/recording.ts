import { AsyncLocalStorage } from 'node:async_hooks'
import { untilSignal } from '../agent/until-signal.js'
import type { ToolCallRef } from '../contract/call.js'
import type { RunEvent } from '../contract/event.js'
import type { JsonText } from '../contract/json.js'
import type { ToolService } from '../contract/layer.js'
import type { ModelAnswer, ModelDriver, ModelRequest } from '../contract/model-driver.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { ToolRequest } from '../contract/tool-request.js'
import { classify } from '../execute/failure/classify.js'
import { askedModel, calledTool } from './asked.js'
import { CassetteError } from './cassette-error.js'
import type { Asked, Exchange, RecordedError } from './exchange.js'
import { ANSWER, ERROR, type FormatWords, OUTCOME } from './format-words.js'
import { readableCall, readableExchange } from './readable-exchange.js'
import { recordedOutcome } from './recorded-outcome.js'
import type { RecordingFile } from './recording-file.js'
import { type Redact, redactedAsked, redactedTexts } from './redact.js'
import type { Tape } from './tape.js'
import { whyOf } from './why-of.js'

/** A recorded call: what it asks for in turn is part of its outcome, and no replay asks for it. */
interface RecordedCall {
  readonly tape: Tape
  readonly outer: RecordedCall | undefined
}

/** One for all recordings: each that has been used makes every promise of the process dearer, until it is disabled. */
const recordedCalls = new AsyncLocalStorage<RecordedCall>()

function isWithin(tape: Tape): boolean {
  let call = recordedCalls.getStore()
  while (call !== undefined && call.tape !== tape) call = call.outer
  return call !== undefined
}

/** What a recording is made of. */
export interface RecordingParts {
  /** As the application names it. */
  readonly file: string
  readonly recordedAt: number
  readonly lines: RecordingFile
  readonly redact: Redact
}

/** A cassette that is being recorded: models and tools are asked, and what they answer is written. */
export class Recording implements Tape {
  readonly #parts: RecordingParts
  readonly #updates = new WeakMap<ToolCallRef, JsonText[]>()
  /** The number of the last model's exchange of each run. */
  readonly #lastOfRun = new Map<string, number>()
  #asked = 0
  #underWay = 0
  #fault: CassetteError | undefined

  constructor(parts: RecordingParts) {
    this.#parts = parts
  }

  get recordedAt(): number {
    return this.#parts.recordedAt
  }

  async ask(request: ModelRequest, driver: () => ModelDriver): Promise<ModelAnswer> {
    if (isWithin(this)) return driver().ask(request)
    const asked = this.#begin(() => askedModel(request))
    this.#lastOfRun.set(request.meta.runId, asked.asked)
    const [said] = await Promise.allSettled([untilSignal(request.meta.signal, async () => driver().ask(request))])
    this.#underWay -= 1
    if (said.status === 'rejected') {
      await this.#write(() => readableExchange({ ...asked, error: this.#redacted(recordedError(said.reason), ERROR) }))
      throw said.reason
    }
    await this.#write(() => readableExchange({ ...asked, answer: this.#redacted(said.value, ANSWER) }))
    return said.value
  }

  async call<Env>(request: ToolRequest<Env>, next: ToolService<Env>): Promise<ToolOutcome> {
    if (isWithin(this)) return next(request)
    const after = this.#lastOfRun.get(request.meta.runId ?? '')
    const called = { ...this.#begin(() => calledTool(request)), ...(after !== undefined && { after }) }
    const [ended] = await Promise.allSettled([
      recordedCalls.run({ tape: this, outer: recordedCalls.getStore() }, () => next(request)),
    ])
    this.#underWay -= 1
    if (ended.status === 'rejected') throw ended.reason
    await this.#write(() => {
      const updates = this.#updatesOf(request)
      const outcome = this.#redacted(recordedOutcome(ended.value, request.tool), OUTCOME)
      const exchange = { ...called, ...(updates !== undefined && { updates: this.#redacted(updates, {}) }), outcome }
      return readableCall(exchange, request.tool)
    })
    return ended.value
  }

  hear(event: RunEvent): void {
    if (event.type !== 'call_updated') return
    const updates = this.#updates.get(event.call) ?? []
    // By its number: a sink of the runtime and of the agent hears it twice.
    updates[event.index - 1] = event.update
    this.#updates.set(event.call, updates)
  }

  async close(): Promise<void> {
    const { file, lines } = this.#parts
    if (this.#fault === undefined && this.#underWay > 0) {
      this.#fail(`${this.#underWay} of its exchanges are under way: close it when all runs have ended`)
    }
    if (this.#fault === undefined && this.#asked === 0) {
      this.#fail('no model and no tool was asked: nothing takes the place of the file')
    }
    if (this.#fault !== undefined) {
      await lines.abandon()
      throw this.#fault
    }
    this.#fault = new CassetteError('closed', `The recording ${file} is closed.`, { file })
    await lines.finish()
  }

  /** What is asked for, as it is written; its place among all of them is fixed now. */
  #begin<Given extends Asked>(asking: () => Given): Given & { readonly asked: number } {
    if (this.#fault !== undefined) throw this.#fault
    try {
      const asked = redactedAsked(asking(), this.#parts.redact)
      this.#asked += 1
      this.#underWay += 1
      return { ...asked, asked: this.#asked }
    } catch (error) {
      throw this.#broken(error)
    }
  }

  #redacted<Json>(json: Json, words: FormatWords): Json {
    return redactedTexts(json, words, this.#parts.redact)
  }

  #updatesOf({ call, emitted, tool }: Pick<ToolRequest, 'call' | 'emitted' | 'tool'>): readonly JsonText[] | undefined {
    const updates = this.#updates.get(call)
    if (!emitted || updates !== undefined) return updates
    throw new TypeError(
      `the updates of ${tool.id} were not heard: give its runtime \`sinks: [cassette.sink]\`, and to a run whose tools are agents \`deepTracing: true\` beside it`,
    )
  }

  async #write(exchange: () => Exchange): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault
    try {
      await this.#parts.lines.append(exchange())
    } catch (error) {
      throw this.#broken(error)
    }
  }

  /** What cannot be recorded spoils the recording: nothing more is recorded, and `close` tells. */
  #broken(error: unknown): CassetteError {
    return this.#fail(whyOf(error), error)
  }

  #fail(why: string, cause?: unknown): CassetteError {
    const { file } = this.#parts
    this.#fault ??= new CassetteError('not_written', `The recording ${file} failed: ${why}.`, { file, cause })
    return this.#fault
  }
}

function recordedError(error: unknown): RecordedError {
  const { reason, message } = classify(error, 0)
  return { reason, message }
}
