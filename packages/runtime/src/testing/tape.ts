import { compilingDriver } from '../agents/message-compiler.js'
import { callRedaction } from '../call/call-request.js'
import { RedactedRunMeta, type Redaction } from '../call/redaction.js'
import type { Effects, IdKind } from '../types/call-options.js'
import type { JsonText } from '../types/json.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ModelDriver, ModelLayer, ModelRequest, ModelResponse } from '../types/planner.js'
import type { EventSink, RunEvent } from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'
import { CassetteError, type CassetteErrorCode, type CassetteErrorDetails } from './cassette-error.js'
import type { RecordedOutcome } from './exchanges.js'
import type { Redact } from './redaction.js'

/** Options of {@link Cassette.toolLayer}: the selection of the recorded tools. */
export interface CassetteLayerOptions {
  /**
   * Returns `true` for tools whose calls the cassette records and replays. A replay executes all other tools. Default: all tools except
   * agents used as tools. The run of such an agent can record its own models and tools in the same cassette.
   */
  readonly when?: (tool: AgentToolSpec) => boolean
}

/** Recording or replay of requests to models and tools. Created by {@link openCassette}. */
export interface Cassette {
  readonly mode: 'replay' | 'record'
  /**
   * Returns a driver that records or replays. A replay never uses the argument `driver`, and therefore needs no API key. If `driver` is a
   * function, a recording calls this function at the first request.
   *
   * @throws {TypeError} if the cassette records and `driver` is missing.
   */
  driver(driver?: ModelDriver | (() => ModelDriver)): ModelDriver
  /**
   * Returns a layer that records or replays the model requests of an agent: `runConfig().modelLayer(cassette.modelLayer())`. Use this layer instead
   * of {@link Cassette.driver} if the agent is already registered. A replay does not call the driver of the agent.
   */
  modelLayer(): ModelLayer
  /**
   * Returns a layer that records or replays tool calls. Add this layer last, so that it is the outermost layer. The layer does not record requests
   * inside a recorded call, because a replay returns the recorded outcome without running the tool.
   */
  toolLayer(options?: CassetteLayerOptions): ToolLayer
  /**
   * Returns a clock that starts at the time of the recording, and a generator of sequential ids. Ids are equal in each replay. Pass the
   * result to the runtime as `effects`.
   */
  effects(): Effects
  /**
   * Event sink that records the updates of streaming tools: `new Runtime({ sinks: [cassette.sink] })`. To also record updates of nested
   * agents, start the run with `deepTracing: true`.
   */
  readonly sink: EventSink
  /**
   * Ends a replay or a recording. A complete recording replaces the file.
   *
   * @throws {CassetteError} if an earlier request to the cassette failed, if a recording is empty or unfinished, or if a replay did not make
   * all recorded requests.
   */
  close(): Promise<void>
  /**
   * Ends a replay or a recording without the checks of {@link Cassette.close}. A recording leaves the file unchanged. Has no effect after
   * `close`.
   */
  discard(): Promise<void>
}

export function cassetteOf(mode: Cassette['mode'], tape: Tape, recordedAt: number): Cassette {
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
        throw new TypeError('cassette.driver: a recording needs a driver, or a function that returns one.')
      }
      let original = typeof driver === 'function' ? undefined : driver
      const get = (): ModelDriver => {
        original ??= typeof driver === 'function' ? driver() : undefined
        if (original === undefined) throw new TypeError('cassette.driver: the function must return a driver.')
        return original
      }
      return compilingDriver(original ?? { name: 'cassette' }, (request) =>
        tape.ask(request, (sent) => get().ask(sent)),
      )
    },
    modelLayer: () => (next) => async (request) => tape.ask(request, next),
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
    discard: async () => {
      if (closed !== undefined) return
      closed = tape.discard()
      await closed
    },
  }
}

interface RecordedParts {
  readonly arguments?: JsonText
  readonly updates?: readonly JsonText[]
  readonly outcome?: RecordedOutcome
}

export abstract class Tape {
  protected readonly file: string
  protected readonly redact: Redact
  /** Run id → number (`asked`) of the last model request of the run. */
  protected readonly lastOfRun: Map<string, number> = new Map()
  readonly #numbers = new Map<string, number>()
  #error: CassetteError | undefined

  constructor(file: string, redact: Redact) {
    this.file = file
    this.redact = redact
  }

  protected hiddenModel<Fields>({ meta }: ModelRequest, fields: Fields): Fields {
    const redaction = RedactedRunMeta.redactionOf(meta)?.values
    return redaction === undefined ? fields : this.#numbered(redaction, redaction.structure(fields, 'state'))
  }

  protected learnCalls({ meta }: ModelRequest, { calls }: ModelResponse): void {
    const redaction = RedactedRunMeta.redactionOf(meta)
    if (redaction === undefined) return
    const { values, planOf } = redaction
    for (const { tool, arguments: sent } of calls) values.learnArguments(sent, planOf(tool))
  }

  protected hiddenCall<Fields extends RecordedParts>(request: ToolRequest<any>, fields: Fields): Fields {
    const { redaction, plan } = callRedaction(request)
    if (redaction === undefined) return fields
    const { arguments: sent, outcome, updates } = fields
    const hidden: Fields = {
      ...redaction.structure(fields, 'state'),
      ...(sent !== undefined && { arguments: redaction.arguments(sent, 'state', plan) }),
      ...(updates !== undefined && { updates: updates.map((each) => redaction.json(each, 'state', plan?.updates)) }),
    }
    if (outcome?.status !== 'completed') return this.#numbered(redaction, hidden)
    redaction.learnJson(outcome.data ?? outcome.json, plan?.result ?? [])
    const { json, data } = outcome
    const texts = {
      json: redaction.json(json, 'state', plan?.result),
      ...(data !== undefined && { data: redaction.json(data, 'state', plan?.result) }),
    }
    return this.#numbered(redaction, { ...hidden, outcome: { ...redaction.structure(outcome, 'state'), ...texts } })
  }

  #numbered<Value>(redaction: Redaction, value: Value): Value {
    return redaction.numbered(value, this.#numbers)
  }

  abstract ask(request: ModelRequest, send: ModelDriver['ask']): Promise<ModelResponse>

  abstract call<Env>(request: ToolRequest<Env>, next: ToolService<Env>): Promise<ToolOutcome>

  abstract receive(event: RunEvent): void

  abstract close(): Promise<void>

  async discard(): Promise<void> {
    this.fail('closed', `The cassette ${this.file} is closed.`)
  }

  protected requireNoError(): void {
    if (this.#error !== undefined) throw this.#error
  }

  protected fail(
    code: CassetteErrorCode,
    message: string,
    details: Omit<CassetteErrorDetails, 'file'> = {},
  ): CassetteError {
    this.#error ??= new CassetteError(code, message, { file: this.file, ...details })
    return this.#error
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : 'it cannot be written as JSON'
}
