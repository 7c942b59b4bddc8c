import { AsyncLocalStorage } from 'node:async_hooks'
import { classify } from '../call/classify.js'
import { untilAborted } from '../call/timers.js'
import type { JsonText } from '../types/json.js'
import type { ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ModelDriver, ModelRequest, ModelResponse } from '../types/planner.js'
import type { RunEvent } from '../types/run.js'
import type { AgentToolSpec, ToolCallRef } from '../types/tool.js'
import type { CassetteError } from './cassette-error.js'
import {
  type Exchange,
  isExchange,
  type RecordedRequest,
  recordedModelRequest,
  recordedToolCall,
  type ToolExchange,
} from './exchanges.js'
import { dataCodec, recordedOutcome } from './recorded-outcome.js'
import { type Redact, redacted } from './redaction.js'
import { reasonOf, Tape } from './tape.js'

/**
 * The recording ignores requests that this tool call makes, for example in a nested run, because a replay returns the recorded outcome without
 * running the tool.
 */
interface RecordedCall {
  readonly tape: Tape
  readonly parent: RecordedCall | undefined
}

/** All recordings share one `AsyncLocalStorage`, because each additional instance slows down every promise. */
const recordedCalls = new AsyncLocalStorage<RecordedCall>()

export interface RecordingOutput {
  append(exchange: Exchange): Promise<void>
}

export abstract class Recording extends Tape {
  readonly #output: RecordingOutput
  readonly #updates = new WeakMap<ToolCallRef, JsonText[]>()
  #started = 0
  #running = 0

  constructor(file: string, redact: Redact, output: RecordingOutput) {
    super(file, redact)
    this.#output = output
  }

  async ask(request: ModelRequest, send: ModelDriver['ask']): Promise<ModelResponse> {
    if (this.#isInCall()) return send(request)
    const started = this.#start(() => this.hiddenModel(request, recordedModelRequest(request)))
    if (started === undefined) return send(request)
    this.lastOfRun.set(request.meta.runId, started.asked)
    const [ended] = await Promise.allSettled([untilAborted(request.meta.signal, async () => send(request))])
    this.#running -= 1
    if (ended.status === 'fulfilled') this.learnCalls(request, ended.value)
    await this.#write(() => {
      if (ended.status === 'fulfilled') {
        // Omits the measured time, so that two recordings of the same run are equal.
        const { timeToFirstChunkMs: _, ...answer } = ended.value
        return { ...started, ...redacted(this.hiddenModel(request, { answer }), this.redact) }
      }
      const { reason, message } = classify(ended.reason, 0)
      return { ...started, ...redacted(this.hiddenModel(request, { error: { reason, message } }), this.redact) }
    })
    if (ended.status === 'rejected') throw ended.reason
    return ended.value
  }

  async call<Env>(request: ToolRequest<Env>, next: ToolService<Env>): Promise<ToolOutcome> {
    if (this.#isInCall()) return next(request)
    const { call, tool, meta } = request
    const after = this.lastOfRun.get(meta.runId ?? '')
    const asked = this.#start(() => this.hiddenCall(request, recordedToolCall(request)))
    if (asked === undefined) return next(request)
    const started = { ...asked, ...(after !== undefined && { after }) }
    const [ended] = await Promise.allSettled([
      recordedCalls.run({ tape: this, parent: recordedCalls.getStore() }, () => next(request)),
    ])
    this.#running -= 1
    if (ended.status === 'rejected') throw ended.reason
    await this.#write(() => {
      const updates = this.#updates.get(call)
      if (request.emitted && updates === undefined) {
        throw new TypeError(
          `the updates of ${tool.id} were not received. Pass \`sinks: [cassette.sink]\` to the runtime. If an agent serves the tool, also start the run with \`deepTracing: true\``,
        )
      }
      const response = { ...(updates !== undefined && { updates }), outcome: recordedOutcome(ended.value, tool) }
      return requireValues({ ...started, ...redacted(this.hiddenCall(request, response), this.redact) }, tool)
    })
    return ended.value
  }

  receive(event: RunEvent): void {
    if (event.type !== 'call_updated') return
    const updates = this.#updates.get(event.call) ?? []
    // Stores updates by index, because each update arrives twice if both the runtime and the agent have the sink.
    updates[event.index - 1] = event.update
    this.#updates.set(event.call, updates)
  }

  protected get gap(): string | undefined {
    if (this.#running > 0) return `${this.#running} exchanges are not finished. Wait until all runs have ended`
    return this.#started === 0 ? 'no model and no tool was called' : undefined
  }

  /**
   * Called when a request cannot be recorded, and again with the same error for each later request. An implementation throws the error if the run
   * must fail.
   */
  protected abstract failed(error: CassetteError): void

  #isInCall(): boolean {
    let call = recordedCalls.getStore()
    while (call !== undefined && call.tape !== this) call = call.parent
    return call !== undefined
  }

  #start<Request extends RecordedRequest>(request: () => Request): (Request & { readonly asked: number }) | undefined {
    try {
      this.requireNoError()
      const copy = redacted(request(), this.redact)
      this.#started += 1
      this.#running += 1
      return { ...copy, asked: this.#started }
    } catch (error) {
      this.failed(this.notWritten(reasonOf(error), error))
      return undefined
    }
  }

  async #write(exchange: () => Exchange): Promise<void> {
    try {
      this.requireNoError()
      await this.#output.append(requireExchange(exchange()))
    } catch (error) {
      this.failed(this.notWritten(reasonOf(error), error))
    }
  }

  protected notWritten(reason: string, cause?: unknown): CassetteError {
    return this.fail('not_written', `The recording ${this.file} failed: ${reason}.`, { cause })
  }
}

function requireExchange<Kind extends Exchange>(exchange: Kind): Kind {
  if (isExchange(exchange)) return exchange
  throw new TypeError('a replay could not read this exchange. Check its values and the function `redact`')
}

function requireValues(exchange: ToolExchange, { id, result, updates = true }: AgentToolSpec): ToolExchange {
  const { outcome } = requireExchange(exchange)
  const values = (exchange.updates ?? []).map((update) => dataCodec(updates).decode(update))
  if (outcome.status === 'completed') values.push(dataCodec(result).decode(outcome.data ?? outcome.json))
  const [issue] = values.flatMap((decoded) => (decoded.ok ? [] : decoded.issues))
  if (issue === undefined) return exchange
  const location = issue.path === '' ? '' : `${issue.path}: `
  throw new TypeError(
    `\`redact\` changed a value of ${id} so that it no longer matches its schema: ${location}${issue.message}`,
  )
}
