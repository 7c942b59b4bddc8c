import { ToolFailure } from '../call/tool-failure.js'
import type { Decoded } from '../types/codec.js'
import type { ToolRequest } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ModelRequest, ModelResponse } from '../types/planner.js'
import { CassetteError } from './cassette-error.js'
import { exists, type RecordedExchange, RecordingFile, readCassette } from './cassette-file.js'
import {
  type Exchange,
  isSameRequest,
  type ModelExchange,
  type RecordedRequest,
  recordedModelRequest,
  recordedToolCall,
  requestDifferences,
  requestKey,
  type ToolExchange,
} from './exchanges.js'
import { dataCodec, replayedOutcome } from './recorded-outcome.js'
import { Recording } from './recording.js'
import { type Redact, redacted } from './redaction.js'
import { sendDeltas } from './scripted-model.js'
import { type Cassette, cassetteOf, reasonOf, Tape } from './tape.js'

/**
 * Mode of a cassette:
 *
 * - `replay` returns the responses in the file
 * - `record` calls models and tools, and writes a new file
 * - `auto` replays if the file exists, and records otherwise
 */
export type CassetteMode = 'replay' | 'record' | 'auto'

/** Options of {@link openCassette}: the mode, and a function that changes strings before the recording stores them. */
export interface CassetteOptions {
  /** Mode of the cassette. Default: `replay`. */
  readonly mode?: CassetteMode
  /**
   * Changes each string of a request or response before the recording stores the string, for example to remove API keys. The function does
   * not receive fixed words, such as roles, call ids and names of tools. A replay also applies the function to the strings of each request.
   * `redact(redact(text))` must therefore equal `redact(text)`. The run itself uses the original strings.
   */
  readonly redact?: Redact
}

const MODES: readonly unknown[] = ['replay', 'record', 'auto']

/**
 * Opens a cassette: a file that contains recorded requests to models and tools with their responses, one JSON object per line. Store the file next to
 * the tests.
 *
 * A recording first writes to `<file>.recording`. `close` then replaces the cassette with this file. A replay calls neither models nor tools: each
 * request receives a recorded response. This is the response of the first equal request of the same agent that was not used before. The run fails if
 * the cassette contains no equal request.
 *
 * Two model requests are equal if their messages, tools, response format and other request fields are equal. Two tool calls are equal if their tools
 * and arguments are equal. Two tools are equal if their names, ids and hashes (property `hash` of the spec) are equal. A replay ignores other
 * differences, for example of run ids, sessions, `env` or the order of JSON keys.
 *
 * @throws {CassetteError} if the file cannot be replayed or replaced. The property `code` contains the reason.
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
    throw new TypeError(`openCassette: unknown mode '${String(mode)}'. Expected ${MODES.join(', ')}.`)
  }
  if (mode === 'replay' || (mode === 'auto' && (await exists(file)))) {
    const { recordedAt, exchanges } = await readCassette(file)
    return cassetteOf('replay', new Replay(file, redact, exchanges), recordedAt)
  }
  const recordedAt = Date.now()
  const output = await RecordingFile.begin(file, recordedAt)
  return cassetteOf('record', new FileRecording(file, redact, output), recordedAt)
}

class FileRecording extends Recording {
  readonly #output: RecordingFile

  constructor(file: string, redact: Redact, output: RecordingFile) {
    super(file, redact, output)
    this.#output = output
  }

  async close(): Promise<void> {
    try {
      this.requireNoError()
      const { gap } = this
      if (gap !== undefined) throw this.notWritten(`${gap}. The file is not replaced`)
    } catch (error) {
      await this.#output.end(false)
      throw error
    }
    this.fail('closed', `The recording ${this.file} is closed.`)
    await this.#output.end(true)
  }

  override async discard(): Promise<void> {
    await super.discard()
    await this.#output.end(false)
  }

  protected override failed(error: CassetteError): void {
    throw error
  }
}

const MAX_LISTED = 8

const MAX_COMPARED = 100

class Replay extends Tape {
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
    const { exchange } = this.#use<ModelExchange>(() => this.hiddenModel(request, recordedModelRequest(request)))
    this.lastOfRun.set(request.meta.runId, exchange.asked)
    if ('answer' in exchange) {
      sendDeltas(exchange.answer, request)
      return exchange.answer
    }
    const { reason, message } = exchange.error
    throw new ToolFailure(message, { reason })
  }

  async call<Env>(request: ToolRequest<Env>): Promise<ToolOutcome> {
    const last = this.lastOfRun.get(request.meta.runId ?? '')
    const { line, exchange } = this.#use<ToolExchange>(
      () => this.hiddenCall(request, recordedToolCall(request)),
      ({ after }) => after === last,
    )
    const { tool } = request
    const { updates = [], outcome } = exchange
    for (const update of updates) await request.emit(this.#value(dataCodec(tool.updates ?? true).decode(update), line))
    if (outcome.status !== 'completed') return replayedOutcome(outcome, request, undefined)
    const { json, data = json } = outcome
    return replayedOutcome(outcome, request, this.#value(dataCodec(tool.result).decode(data), line))
  }

  // A replay ignores events, because `call` emits the recorded updates.
  receive(): void {}

  async close(): Promise<void> {
    this.requireNoError()
    const { file } = this
    this.fail('closed', `The replay of ${file} is closed.`)
    const unused = [...this.#unused].sort((a, b) => a.line - b.line)
    const [first] = unused
    if (first === undefined) return
    const message = [
      `${unused.length} of the exchanges in ${file} were not requested:`,
      ...unused.slice(0, MAX_LISTED).map(({ line, exchange }) => `- line ${line}: ${described(exchange)}`),
      ...(unused.length > MAX_LISTED ? [`- and ${unused.length - MAX_LISTED} more`] : []),
      'The replay made fewer requests than the recording. Fix the test, or record again.',
    ].join('\n')
    throw new CassetteError('unused', message, { file, line: first.line })
  }

  #use<Kind extends Exchange>(
    request: () => RecordedRequest,
    isPreferred: (exchange: Kind) => boolean = () => true,
  ): RecordedExchange<Kind> {
    this.requireNoError()
    const now = this.#redacted(request)
    // Exchanges with the same key have the same type.
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
      const message = `The request cannot be compared with ${this.file}: ${reasonOf(cause)}.`
      throw this.fail('not_recorded', message, { cause })
    }
  }

  #notRecorded(now: RecordedRequest): CassetteError {
    const { file } = this
    const [nearest] = [...this.#unused]
      .filter(({ exchange }) => exchange.type === now.type && exchange.agent === now.agent)
      .slice(0, MAX_COMPARED)
      .map(({ line, exchange }) => ({ line, found: requestDifferences(exchange, now) }))
      .sort((a, b) => a.found.length - b.found.length)
    if (nearest === undefined) {
      const message = `${file} has no more exchanges for ${described(now)}. The replay makes more requests than the recording.\nFix the test, or record again.`
      return this.fail('not_recorded', message)
    }
    const { line, found } = nearest
    const message = [
      `${file} does not contain ${described(now)} in its current form. The most similar unused exchange is line ${line}:`,
      ...found.slice(0, MAX_LISTED).map(({ text }) => `- ${text}`),
      ...(found.length > MAX_LISTED ? [`- and ${found.length - MAX_LISTED} more differences`] : []),
      'Undo the change, or record again.',
    ].join('\n')
    return this.fail('not_recorded', message, { line, differences: found.map(({ difference }) => difference) })
  }

  #value(decoded: Decoded<unknown>, line: number): unknown {
    if (decoded.ok) return decoded.value
    const message = [
      `${this.file}, line ${line}: the recorded value does not match the schema of the tool. Record again.`,
      ...decoded.issues
        .slice(0, MAX_LISTED)
        .map(({ path, message }) => `- ${path === '' ? '' : `${path}: `}${message}`),
    ].join('\n')
    throw this.fail('corrupt_line', message, { line })
  }
}

function described(request: RecordedRequest): string {
  const { agent } = request
  if (request.type === 'model') return `a request of agent '${agent}'`
  return agent === undefined ? `a call of ${request.tool}` : `a call of ${request.tool} by agent '${agent}'`
}
