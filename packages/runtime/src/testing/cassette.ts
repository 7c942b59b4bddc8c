import { AsyncLocalStorage } from 'node:async_hooks'
import { compilingDriver } from '../agents/message-compiler.js'
import { classify } from '../call/classify.js'
import { untilAborted } from '../call/timers.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { Effects, IdKind } from '../types/call-options.js'
import type { Decoded } from '../types/codec.js'
import type { JsonText } from '../types/json.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ModelDriver, ModelRequest, ModelResponse } from '../types/planner.js'
import type { EventSink, RunEvent } from '../types/run.js'
import type { AgentToolSpec, ToolCallRef } from '../types/tool.js'
import { CassetteError, type CassetteErrorCode, type CassetteErrorDetails } from './cassette-error.js'
import { exists, type RecordedExchange, RecordingFile, readCassette } from './cassette-file.js'
import {
  dataCodec,
  type Exchange,
  isExchange,
  isSameRequest,
  type ModelExchange,
  type RecordedRequest,
  type Redact,
  recordedModelRequest,
  recordedOutcome,
  recordedToolCall,
  redacted,
  replayedOutcome,
  requestDifferences,
  requestKey,
  type ToolExchange,
} from './exchanges.js'

/** Mode of a cassette: answer from its file, write a new file, or replay if the file exists and record otherwise. */
export type CassetteMode = 'replay' | 'record' | 'auto'

/** Options of {@link openCassette}. */
export interface CassetteOptions {
  /**
   * `replay`, the default, answers from the file; `record` asks models and tools and writes a new file; `auto` replays
   * if the file exists, and records otherwise.
   */
  readonly mode?: CassetteMode
  /**
   * Changes every string of an exchange before it is written, for example to remove keys or names; not the names of agents
   * and tools, ids of calls, roles, reasons and other words of the format. A replay applies it to each request before it is
   * compared, so it must not change its own output. The recorded run itself is not changed.
   */
  readonly redact?: Redact
}

const MODES: readonly unknown[] = ['replay', 'record', 'auto']

/** Options of {@link Cassette.toolLayer}. */
export interface CassetteLayerOptions {
  /**
   * Selects the tools whose calls the cassette replaces. Default: all but those that another agent serves. The others run in
   * a replay too; so does the run of such an agent, whose own models and tools are answered by the cassette.
   */
  readonly when?: (tool: AgentToolSpec) => boolean
}

/** A recording or a replay of exchanges with models and tools. */
export interface Cassette {
  readonly mode: 'replay' | 'record'
  /**
   * Replaces a driver. A function that creates one is called when a recording first asks it, so that a replay needs no
   * key; the driver itself may be absent in a replay.
   *
   * @throws {TypeError} without a driver, if a recording is made.
   */
  driver(driver?: ModelDriver | (() => ModelDriver)): ModelDriver
  /**
   * Replaces tools, with all layers inside it: attach it outermost. Everything that a recorded call requests in turn is part
   * of its outcome: it is not recorded by itself, and does not happen in a replay.
   */
  toolLayer(options?: CassetteLayerOptions): ToolLayer
  /** Returns counted ids, and a clock that starts at the time of the recording: the same in each replay. */
  effects(): Effects
  /**
   * Receives the updates of streaming tools, for a recording; a sink of the runtime. It receives those of agents that serve
   * as tools if the run has `deepTracing: true`.
   */
  readonly sink: EventSink
  /**
   * Ends a recording: the file is replaced at once by the complete one, unless that is empty. Ends a replay.
   *
   * @throws {CassetteError} the first error since the cassette was opened, even if it was ignored; and after a replay that
   * did not use all exchanges.
   */
  close(): Promise<void>
}

/**
 * Opens a recording of models and tools: JSON lines, to be kept with the tests.
 *
 * While it is recorded each exchange is written to `<file>.recording` as it ends, and `close` replaces the file by that. In a
 * replay each request of a model and each call of a tool is answered by the first unused exchange of the same agent that is
 * equal to it, in any order; a run that requests anything else fails.
 *
 * @throws {CassetteError} if a file to be replayed is missing, cut off, corrupt, or of a newer version; if another
 * recording of the file is in progress.
 * @throws {TypeError} for an unknown mode.
 *
 * @example
 * const cassette = await openCassette('research.jsonl', { mode: 'auto' })
 * const planner = modelPlanner(cassette.driver(() => openAiDriver({ client: new OpenAI(), model: 'gpt-5.2' })))
 * const support = registerSupport(new Runtime(), { planner, toolsets: { orders: { client } } })
 * const run = await support.run('Where is A-1001?', { config: runConfig().layer(cassette.toolLayer()) })
 * await cassette.close()
 */
export async function openCassette(file: string, options: CassetteOptions = {}): Promise<Cassette> {
  const { mode = 'replay', redact = (text: string) => text } = options
  if (!MODES.includes(mode)) {
    throw new TypeError(`openCassette: there is no mode '${String(mode)}': give ${MODES.join(', ')}`)
  }
  if (mode === 'replay' || (mode === 'auto' && (await exists(file)))) {
    const { recordedAt, exchanges } = await readCassette(file)
    return cassetteOf('replay', new Replay(file, redact, exchanges), recordedAt)
  }
  const recordedAt = Date.now()
  const output = await RecordingFile.begin(file, recordedAt)
  return cassetteOf('record', new Recording(file, redact, output), recordedAt)
}

function cassetteOf(mode: Cassette['mode'], tape: Tape, recordedAt: number): Cassette {
  const openedAt = Date.now()
  const counts = new Map<IdKind, number>()
  const effects: Effects = Object.freeze({
    now: () => recordedAt + Date.now() - openedAt,
    newId: (kind: IdKind) => {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return `${kind}_${count}`
    },
  })
  let closed: Promise<void> | undefined
  return {
    mode,
    driver: (driver) => {
      if (driver === undefined && mode === 'record') {
        throw new TypeError('cassette.driver: a recording needs a driver, give it or a function that makes it')
      }
      let original = typeof driver === 'function' ? undefined : driver
      const get = (): ModelDriver => {
        original ??= typeof driver === 'function' ? driver() : undefined
        if (original === undefined) throw new TypeError('cassette.driver: the function made no driver')
        return original
      }
      return compilingDriver(original?.name ?? 'cassette', (request) => tape.ask(request, get))
    },
    toolLayer:
      ({ when = ({ provider }: AgentToolSpec) => provider !== 'agent' } = {}) =>
      (next) =>
      async (request) =>
        when(request.tool) ? tape.call(request, next) : next(request),
    effects: () => effects,
    sink: (event) => tape.receive(event),
    close: () => {
      closed ??= tape.close()
      return closed
    },
  }
}

/** Common state of recordings and replays. After its first error a tape answers nothing more. */
abstract class Tape {
  protected readonly file: string
  protected readonly redact: Redact
  /** Number of the last model exchange of each run. */
  protected readonly lastOfRun = new Map<string, number>()
  #error: CassetteError | undefined

  constructor(file: string, redact: Redact) {
    this.file = file
    this.redact = redact
  }

  /** Replaces a driver. */
  abstract ask(request: ModelRequest, driver: () => ModelDriver): Promise<ModelResponse>

  /** Replaces the layered call of a tool. */
  abstract call<Env>(request: ToolRequest<Env>, next: ToolService<Env>): Promise<ToolOutcome>

  /** Receives each event. */
  abstract receive(event: RunEvent): void

  abstract close(): Promise<void>

  /** @throws the first error. */
  protected requireNoError(): void {
    if (this.#error !== undefined) throw this.#error
  }

  /** Records an error unless there is one, and returns the first. */
  protected fail(
    code: CassetteErrorCode,
    message: string,
    details: Omit<CassetteErrorDetails, 'file'> = {},
  ): CassetteError {
    this.#error ??= new CassetteError(code, message, { file: this.file, ...details })
    return this.#error
  }
}

/** A recorded call: everything that it requests is part of its outcome, and no replay requests it. */
interface RecordedCall {
  readonly tape: Tape
  readonly parent: RecordedCall | undefined
}

/** One for all recordings: each that has been used makes every promise of the process dearer, until it is disabled. */
const recordedCalls = new AsyncLocalStorage<RecordedCall>()

/** A cassette that is being recorded: models and tools are asked, and their responses are written. */
class Recording extends Tape {
  readonly #output: RecordingFile
  readonly #updates = new WeakMap<ToolCallRef, JsonText[]>()
  #started = 0
  #running = 0

  constructor(file: string, redact: Redact, output: RecordingFile) {
    super(file, redact)
    this.#output = output
  }

  async ask(request: ModelRequest, driver: () => ModelDriver): Promise<ModelResponse> {
    if (this.#isInCall()) return driver().ask(request)
    const started = this.#start(() => recordedModelRequest(request))
    this.lastOfRun.set(request.meta.runId, started.asked)
    const [ended] = await Promise.allSettled([untilAborted(request.meta.signal, async () => driver().ask(request))])
    this.#running -= 1
    await this.#write(() => {
      if (ended.status === 'fulfilled') return { ...started, ...redacted({ answer: ended.value }, this.redact) }
      const { reason, message } = classify(ended.reason, 0)
      return { ...started, ...redacted({ error: { reason, message } }, this.redact) }
    })
    if (ended.status === 'rejected') throw ended.reason
    return ended.value
  }

  async call<Env>(request: ToolRequest<Env>, next: ToolService<Env>): Promise<ToolOutcome> {
    if (this.#isInCall()) return next(request)
    const { call, tool, meta } = request
    const after = this.lastOfRun.get(meta.runId ?? '')
    const started = { ...this.#start(() => recordedToolCall(request)), ...(after !== undefined && { after }) }
    const [ended] = await Promise.allSettled([
      recordedCalls.run({ tape: this, parent: recordedCalls.getStore() }, () => next(request)),
    ])
    this.#running -= 1
    if (ended.status === 'rejected') throw ended.reason
    await this.#write(() => {
      const updates = this.#updates.get(call)
      if (request.emitted && updates === undefined) {
        throw new TypeError(
          `the updates of ${tool.id} were not heard: give its runtime \`sinks: [cassette.sink]\`, and to a run whose tools are agents \`deepTracing: true\` beside it`,
        )
      }
      const response = { ...(updates !== undefined && { updates }), outcome: recordedOutcome(ended.value, tool) }
      return requireValues({ ...started, ...redacted(response, this.redact) }, tool)
    })
    return ended.value
  }

  receive(event: RunEvent): void {
    if (event.type !== 'call_updated') return
    const updates = this.#updates.get(event.call) ?? []
    // By its number: a sink of the runtime and of the agent receives it twice.
    updates[event.index - 1] = event.update
    this.#updates.set(event.call, updates)
  }

  async close(): Promise<void> {
    try {
      this.requireNoError()
      if (this.#running > 0) {
        throw this.#notWritten(`${this.#running} of its exchanges are under way: close it when all runs have ended`)
      }
      if (this.#started === 0) {
        throw this.#notWritten('no model and no tool was asked: nothing takes the place of the file')
      }
    } catch (error) {
      await this.#output.end(false)
      throw error
    }
    this.fail('closed', `The recording ${this.file} is closed.`)
    await this.#output.end(true)
  }

  /** Returns `true` in a call that this cassette records. */
  #isInCall(): boolean {
    let call = recordedCalls.getStore()
    while (call !== undefined && call.tape !== this) call = call.parent
    return call !== undefined
  }

  #start<Request extends RecordedRequest>(request: () => Request): Request & { readonly asked: number } {
    this.requireNoError()
    try {
      const copy = redacted(request(), this.redact)
      this.#started += 1
      this.#running += 1
      return { ...copy, asked: this.#started }
    } catch (error) {
      throw this.#notWritten(reasonOf(error), error)
    }
  }

  /** Writes an exchange that a replay can read; any other ends the recording. */
  async #write(exchange: () => Exchange): Promise<void> {
    this.requireNoError()
    try {
      await this.#output.append(requireExchange(exchange()))
    } catch (error) {
      throw this.#notWritten(reasonOf(error), error)
    }
  }

  #notWritten(reason: string, cause?: unknown): CassetteError {
    return this.fail('not_written', `The recording ${this.file} failed: ${reason}.`, { cause })
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : 'it has no form that can be written'
}

function requireExchange<Kind extends Exchange>(exchange: Kind): Kind {
  if (isExchange(exchange)) return exchange
  throw new TypeError(
    'an exchange could not be replayed as it would be written: what it holds, or `redact`, broke its form',
  )
}

/** @throws {TypeError} if a value of a tool does not fit its schema, since `redact` has changed it. */
function requireValues(exchange: ToolExchange, { id, result, updates = true }: AgentToolSpec): ToolExchange {
  const { outcome } = requireExchange(exchange)
  const values = (exchange.updates ?? []).map((update) => dataCodec(updates).decode(update))
  if (outcome.status === 'completed') values.push(dataCodec(result).decode(outcome.data ?? outcome.json))
  const [issue] = values.flatMap((decoded) => (decoded.ok ? [] : decoded.issues))
  if (issue === undefined) return exchange
  const location = issue.path === '' ? '' : `${issue.path}: `
  throw new TypeError(
    `a value of ${id} would not fit its schema any more as \`redact\` made it: ${location}${issue.message}`,
  )
}

/** Maximum number of differences, and of unused exchanges, that a message lists. */
const MAX_LISTED = 8

/** Maximum number of exchanges that are compared to find the nearest one. */
const MAX_COMPARED = 100

/** A cassette that answers in place of models and tools. */
class Replay extends Tape {
  /** In the order in which they were requested. */
  readonly #unused: Set<RecordedExchange>
  readonly #byKey = new Map<string, RecordedExchange[]>()

  constructor(file: string, redact: Redact, exchanges: readonly RecordedExchange[]) {
    super(file, redact)
    this.#unused = new Set([...exchanges].sort((a, b) => a.exchange.asked - b.exchange.asked))
    for (const recorded of this.#unused) {
      const key = requestKey(recorded.exchange)
      const others = this.#byKey.get(key)
      if (others === undefined) this.#byKey.set(key, [recorded])
      else others.push(recorded)
    }
  }

  async ask(request: ModelRequest): Promise<ModelResponse> {
    const { exchange } = this.#use<ModelExchange>(() => recordedModelRequest(request))
    this.lastOfRun.set(request.meta.runId, exchange.asked)
    if ('answer' in exchange) return exchange.answer
    const { reason, message } = exchange.error
    throw new ToolFailure(message, { reason })
  }

  async call<Env>(request: ToolRequest<Env>): Promise<ToolOutcome> {
    const last = this.lastOfRun.get(request.meta.runId ?? '')
    const { line, exchange } = this.#use<ToolExchange>(
      () => recordedToolCall(request),
      ({ after }) => after === last,
    )
    const { tool } = request
    const { updates = [], outcome } = exchange
    for (const update of updates) await request.emit(this.#value(dataCodec(tool.updates ?? true).decode(update), line))
    if (outcome.status !== 'completed') return replayedOutcome(outcome, request, undefined)
    const { json, data = json } = outcome
    return replayedOutcome(outcome, request, this.#value(dataCodec(tool.result).decode(data), line))
  }

  // Updates are replayed by the calls themselves.
  receive(): void {}

  async close(): Promise<void> {
    this.requireNoError()
    const { file } = this
    this.fail('closed', `The replay of ${file} is closed.`)
    const unused = [...this.#unused].sort((a, b) => a.line - b.line)
    const [first] = unused
    if (first === undefined) return
    const message = [
      `Nobody asked for ${unused.length} of the exchanges in ${file}:`,
      ...unused.slice(0, MAX_LISTED).map(({ line, exchange }) => `- line ${line}: ${described(exchange)}`),
      ...(unused.length > MAX_LISTED ? [`- and ${unused.length - MAX_LISTED} more`] : []),
      'The replay did less than the recording: mend that, or record again.',
    ].join('\n')
    throw new CassetteError('unused', message, { file, line: first.line })
  }

  /** Returns the first unused exchange with an equal request, if possible one that is preferred. */
  #use<Kind extends Exchange>(
    request: () => RecordedRequest,
    isPreferred: (exchange: Kind) => boolean = () => true,
  ): RecordedExchange<Kind> {
    this.requireNoError()
    const now = this.#redacted(request)
    // Exchanges with one key are of one kind.
    const candidates = (this.#byKey.get(requestKey(now)) ?? []) as RecordedExchange<Kind>[]
    const isSame = ({ exchange }: RecordedExchange<Kind>): boolean => isSameRequest(exchange, now)
    const found = candidates.find((each) => isPreferred(each.exchange) && isSame(each)) ?? candidates.find(isSame)
    if (found === undefined) throw this.#notRecorded(now)
    candidates.splice(candidates.indexOf(found), 1)
    this.#unused.delete(found)
    return found
  }

  #redacted(request: () => RecordedRequest): RecordedRequest {
    try {
      return redacted(request(), this.redact)
    } catch (cause) {
      const message = `${this.file} cannot be searched for what is asked for now: ${reasonOf(cause)}.`
      throw this.fail('not_recorded', message, { cause })
    }
  }

  /** Compares a request with the unused exchanges of the same agent: the one with the fewest differences is the nearest. */
  #notRecorded(now: RecordedRequest): CassetteError {
    const { file } = this
    const [nearest] = [...this.#unused]
      .filter(({ exchange }) => exchange.type === now.type && exchange.agent === now.agent)
      .slice(0, MAX_COMPARED)
      .map(({ line, exchange }) => ({ line, found: requestDifferences(exchange, now) }))
      .sort((a, b) => a.found.length - b.found.length)
    if (nearest === undefined) {
      const message = `${file} has no exchange left for ${described(now)}: the replay asks for more than was recorded. Mend that, or record again.`
      return this.fail('not_recorded', message)
    }
    const { line, found } = nearest
    const message = [
      `${file} does not hold ${described(now)} as it is now. The nearest unused exchange is line ${line}:`,
      ...found.slice(0, MAX_LISTED).map(({ text }) => `- ${text}`),
      ...(found.length > MAX_LISTED ? [`- and ${found.length - MAX_LISTED} more differences`] : []),
      'Mend what has changed, or record again.',
    ].join('\n')
    return this.fail('not_recorded', message, { line, differences: found.map(({ difference }) => difference) })
  }

  #value(decoded: Decoded<unknown>, line: number): unknown {
    if (decoded.ok) return decoded.value
    const message = [
      `${this.file}, line ${line}: what was recorded does not fit the schema of the tool. Record again.`,
      ...decoded.issues
        .slice(0, MAX_LISTED)
        .map(({ path, message }) => `- ${path === '' ? '' : `${path}: `}${message}`),
    ].join('\n')
    throw this.fail('corrupt_line', message, { line })
  }
}

/** Names a request for people: `a request of agent 'support'`. */
function described(request: RecordedRequest): string {
  const { agent } = request
  if (request.type === 'model') return `a request of agent '${agent}'`
  return agent === undefined ? `a call of ${request.tool}` : `a call of ${request.tool} by agent '${agent}'`
}
