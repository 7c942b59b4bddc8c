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
import type { Redact } from './redaction.js'
import { redacted } from './redaction.js'
import type { Cassette } from './tape.js'
import { cassetteOf, reasonOf, Tape } from './tape.js'

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
