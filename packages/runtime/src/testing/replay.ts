import type { Decoded } from '../contract/codec.js'
import type { ToolService } from '../contract/layer.js'
import type { ModelAnswer, ModelRequest } from '../contract/model-driver.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { ToolRequest } from '../contract/tool-request.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { askedModel, calledTool } from './asked.js'
import { CassetteError } from './cassette-error.js'
import type { CassetteContent } from './cassette-file.js'
import type { Asked, Exchange, ModelExchange, ToolExchange } from './exchange.js'
import { askedText } from './mismatch.js'
import { recordedData, replayedOutcome } from './recorded-outcome.js'
import { type Redact, redactedAsked } from './redact.js'
import type { Tape } from './tape.js'
import { type Recorded, UnusedExchanges } from './unused-exchanges.js'
import { whyOf } from './why-of.js'

/** How many differences, and how many unused exchanges, a message lists. */
const MAX_TOLD = 8

/** What a replay is made of. */
export interface ReplayParts {
  /** As the application names it. */
  readonly file: string
  readonly content: CassetteContent
  readonly redact: Redact
}

/**
 * A cassette that answers in place of models and tools. After the first thing that it cannot answer it answers nothing
 * more, so that no run goes on past it.
 */
export class Replay implements Tape {
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

  async ask(request: ModelRequest): Promise<ModelAnswer> {
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
