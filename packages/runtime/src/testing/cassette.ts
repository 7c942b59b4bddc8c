import { compiledRequest } from '../agents/agent-builder.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { Effects, IdKind } from '../types/call-options.js'
import type { Decoded } from '../types/codec.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ModelDriver, ModelRequest, ModelResponse } from '../types/planner.js'
import type { EventSink } from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'
import { CassetteError } from './cassette-error.js'
import { type CassetteContent, exists, type Recorded, readCassette, UnusedExchanges } from './cassette-file.js'
import { askedText, whyOf } from './differences.js'
import {
  type Asked,
  askedModel,
  calledTool,
  type Exchange,
  type ModelExchange,
  recordedData,
  replayedOutcome,
  type Tape,
  type ToolExchange,
} from './exchanges.js'
import { Recording, RecordingFile } from './recording.js'
import { type Redact, redactedAsked } from './redact.js'

/** Whether a cassette answers from its file, writes a new one, or the one where there is a file and else the other. */
export type CassetteMode = 'replay' | 'record' | 'auto'

/** How a cassette is opened. */
export interface CassetteOptions {
  /**
   * `replay`, the default, answers from the file; `record` asks models and tools and writes a new file; `auto` replays
   * where the file exists, and records elsewhere.
   */
  readonly mode?: CassetteMode
  /**
   * Changes every text of an exchange before it is written, e.g. to take out keys or names; not the names of agents and
   * tools, ids of calls, roles, reasons and other words of the format. In a replay it is applied to what is asked for, before that is compared, so that it must not change what it has
   * made. What runs while it is recorded is not changed.
   */
  readonly redact?: Redact
}

const MODES: readonly unknown[] = ['replay', 'record', 'auto']

/** Which calls a cassette stands in for. */
export interface CassetteLayerOptions {
  /**
   * Default: all but those that another agent serves. The others run in a replay too; so does the run of such an agent, whose
   * own models and tools are answered by the cassette.
   */
  readonly when?: (tool: AgentToolSpec) => boolean
}

/** Exchanges with models and tools, on the way into a file or out of it. */
export interface Cassette {
  readonly mode: 'replay' | 'record'
  /**
   * Stands in for a driver. A function that makes one is called when a recording first asks it, so that a replay needs no
   * key; the driver itself may be absent in a replay.
   *
   * @throws {TypeError} without a driver, where a recording is made.
   */
  driver(driver?: ModelDriver | (() => ModelDriver)): ModelDriver
  /**
   * Stands in for tools, with all layers inside it: attach it outermost. What a recorded call asks for in turn is part of
   * its outcome: that is not recorded by itself, and does not happen in a replay.
   */
  toolLayer(options?: CassetteLayerOptions): ToolLayer
  /** Ids that are counted, and a clock that begins when the recording began: the same in each replay. */
  effects(): Effects
  /**
   * Hears the updates of streaming tools, for a recording; a sink of the runtime. It hears those of agents that serve as
   * tools where the run is given `deepTracing: true`.
   */
  readonly sink: EventSink
  /**
   * Ends a recording: the file is replaced at once by the complete one, unless that is empty. Ends a replay.
   *
   * @throws {CassetteError} for whatever went wrong since the cassette was opened, also where nobody noticed; and after a
   * replay, when nobody asked for some of the exchanges.
   */
  close(): Promise<void>
}

/**
 * Opens a recording of models and tools: JSON lines, to be kept with the tests.
 *
 * While it is recorded each exchange is written to `<file>.recording` as it ends, and `close` puts that in the place of the
 * file. In a replay each request of a model and each call of a tool is answered by the first unused exchange of the same
 * agent that is equal to it, whatever the order in which they come; a run that asks for anything else fails.
 *
 * @throws {CassetteError} when a file to be replayed is missing, cut off, corrupt, or of a newer version; when another
 * recording of the file is under way.
 * @throws {TypeError} for a mode that is none.
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
    return cassetteOf('replay', new Replay({ file, content: await readCassette(file), redact }))
  }
  const recordedAt = Date.now()
  const lines = await RecordingFile.begin(file, recordedAt)
  return cassetteOf('record', new Recording({ file, recordedAt, lines, redact }))
}

function cassetteOf(mode: Cassette['mode'], tape: Tape): Cassette {
  const effects = cassetteEffects(tape.recordedAt)
  let closed: Promise<void> | undefined
  return {
    mode,
    driver: (driver) => {
      if (driver === undefined && mode === 'record') {
        throw new TypeError('cassette.driver: a recording needs a driver, give it or a function that makes it')
      }
      return standIn(tape, driver)
    },
    toolLayer:
      ({ when = isNoAgent } = {}) =>
      (next) =>
      async (request) =>
        when(request.tool) ? tape.call(request, next) : next(request),
    effects: () => effects,
    sink: (event) => tape.hear(event),
    close: () => {
      closed ??= tape.close()
      return closed
    },
  }
}

function isNoAgent({ provider }: AgentToolSpec): boolean {
  return provider !== 'agent'
}

function standIn(tape: Tape, given: ModelDriver | (() => ModelDriver) | undefined): ModelDriver {
  let made: ModelDriver | undefined = typeof given === 'function' ? undefined : given
  const driver = (): ModelDriver => {
    made ??= typeof given === 'function' ? given() : undefined
    if (made === undefined) throw new TypeError('cassette.driver: the function made no driver')
    return made
  }
  return takingCompiler({ name: made?.name ?? 'cassette', ask: (request) => tape.ask(request, driver) })
}

/** Ids that are counted, and a clock that begins when the recording began. */
function cassetteEffects(recordedAt: number): Effects {
  const openedAt = Date.now()
  const counts = new Map<IdKind, number>()
  return Object.freeze({
    now: () => recordedAt + Date.now() - openedAt,
    newId: (kind: IdKind) => {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return `${kind}_${count}`
    },
  })
}

/** A driver that takes a message compiler: it asks with the messages as the compiler makes them. */
export function takingCompiler({ name, ask }: Pick<ModelDriver, 'name' | 'ask'>): ModelDriver {
  return {
    name,
    ask,
    withMessageCompiler: (compiler) => ({
      name,
      ask: async (request) => ask(await compiledRequest(request, compiler)),
    }),
  }
}

/** How many differences, and how many unused exchanges, a message lists. */
const MAX_TOLD = 8

/** What a replay is made of. */
interface ReplayParts {
  /** As the application names it. */
  readonly file: string
  readonly content: CassetteContent
  readonly redact: Redact
}

/**
 * A cassette that answers in place of models and tools. After the first thing that it cannot answer it answers nothing
 * more, so that no run goes on past it.
 */
class Replay implements Tape {
  readonly #parts: ReplayParts
  readonly #models: UnusedExchanges<ModelExchange>
  readonly #tools: UnusedExchanges<ToolExchange>
  /** The number of the last model's exchange that each run was answered with. */
  readonly #lastOfRun = new Map<string, number>()
  #fault: CassetteError | undefined

  constructor(parts: ReplayParts) {
    const { exchanges } = parts.content
    this.#parts = parts
    this.#models = new UnusedExchanges(exchanges.filter(isModel))
    this.#tools = new UnusedExchanges(exchanges.filter(isTool))
  }

  get recordedAt(): number {
    return this.#parts.content.recordedAt
  }

  async ask(request: ModelRequest): Promise<ModelResponse> {
    const { exchange } = this.#take(this.#models, () => askedModel(request))
    this.#lastOfRun.set(request.meta.runId, exchange.asked)
    if ('answer' in exchange) return exchange.answer
    const { reason, message } = exchange.error
    throw new ToolFailure(message, { reason })
  }

  async call<Env>(request: ToolRequest<Env>, _next: ToolService<Env>): Promise<ToolOutcome> {
    const last = this.#lastOfRun.get(request.meta.runId ?? '')
    const { line, exchange } = this.#take(
      this.#tools,
      () => calledTool(request),
      ({ after }) => after === last,
    )
    const { tool } = request
    const { updates = [], outcome } = exchange
    for (const update of updates) await request.emit(this.#value(recordedData(update, tool.updates ?? true), line))
    if (outcome.status !== 'completed') return replayedOutcome(outcome, request, undefined)
    const { json, data = json } = outcome
    return replayedOutcome(outcome, request, this.#value(recordedData(data, tool.result), line))
  }

  /** Updates are replayed by the calls themselves. */
  hear(): void {}

  async close(): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault
    const { file } = this.#parts
    const unused = [...this.#models.all(), ...this.#tools.all()].sort((a, b) => a.line - b.line)
    this.#fault = new CassetteError('closed', `The replay of ${file} is closed.`, { file })
    const [first] = unused
    if (first !== undefined) throw new CassetteError('unused', unusedText(file, unused), { file, line: first.line })
  }

  #take<Kind extends Exchange>(
    unused: UnusedExchanges<Kind>,
    asking: () => Asked,
    isPreferred?: (exchange: Kind) => boolean,
  ): Recorded<Kind> {
    if (this.#fault !== undefined) throw this.#fault
    const asked = this.#asked(asking)
    const found = unused.take(asked, isPreferred)
    if (found !== undefined) return found
    const { file } = this.#parts
    const nearest = unused.nearest(asked)
    if (nearest === undefined) {
      const message = `${file} has no exchange left for ${askedText(asked)}: the replay asks for more than was recorded. Mend that, or record again.`
      throw this.#fail(new CassetteError('not_recorded', message, { file }))
    }
    const { line, told } = nearest
    const message = [
      `${file} does not hold ${askedText(asked)} as it is now. The nearest unused exchange is line ${line}:`,
      ...told.slice(0, MAX_TOLD).map(({ text }) => `- ${text}`),
      ...(told.length > MAX_TOLD ? [`- and ${told.length - MAX_TOLD} more differences`] : []),
      'Mend what has changed, or record again.',
    ].join('\n')
    const differences = told.map(({ difference }) => difference)
    throw this.#fail(new CassetteError('not_recorded', message, { file, line, differences }))
  }

  /** What is asked for, as it would have been written. */
  #asked(asking: () => Asked): Asked {
    try {
      return redactedAsked(asking(), this.#parts.redact)
    } catch (cause) {
      const { file } = this.#parts
      const message = `${file} cannot be searched for what is asked for now: ${whyOf(cause)}.`
      throw this.#fail(new CassetteError('not_recorded', message, { file, cause }))
    }
  }

  #value(decoded: Decoded<unknown>, line: number): unknown {
    if (decoded.ok) return decoded.value
    const { file } = this.#parts
    const issues = decoded.issues
      .slice(0, MAX_TOLD)
      .map(({ path, message }) => `- ${path === '' ? '' : `${path}: `}${message}`)
    const text = [
      `${file}, line ${line}: what was recorded does not fit the schema of the tool. Record again.`,
      ...issues,
    ]
    throw this.#fail(new CassetteError('corrupt_line', text.join('\n'), { file, line }))
  }

  #fail(fault: CassetteError): CassetteError {
    this.#fault ??= fault
    return this.#fault
  }
}

function unusedText(file: string, unused: readonly Recorded<Exchange>[]): string {
  return [
    `Nobody asked for ${unused.length} of the exchanges in ${file}:`,
    ...unused.slice(0, MAX_TOLD).map(({ line, exchange }) => `- line ${line}: ${askedText(exchange)}`),
    ...(unused.length > MAX_TOLD ? [`- and ${unused.length - MAX_TOLD} more`] : []),
    'The replay did less than the recording: mend that, or record again.',
  ].join('\n')
}

function isModel(recorded: Recorded<Exchange>): recorded is Recorded<ModelExchange> {
  return recorded.exchange.type === 'model'
}

function isTool(recorded: Recorded<Exchange>): recorded is Recorded<ToolExchange> {
  return recorded.exchange.type === 'tool'
}
