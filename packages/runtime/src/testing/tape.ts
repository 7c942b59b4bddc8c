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

/** Options of {@link Cassette.toolLayer}: the tools whose calls are recorded and replayed. */
export interface CassetteLayerOptions {
  /**
   * Selects the tools whose calls are recorded and replayed. All other tools also run in a replay. Default: all tools except those that
   * another agent runs. The nested run of that agent can use the cassette for its own models and tools.
   */
  readonly when?: (tool: AgentToolSpec) => boolean
}

/** A recording or a replay of exchanges with models and tools. */
export interface Cassette {
  readonly mode: 'replay' | 'record'
  /**
   * Returns a driver that records or replays. A replay never calls `driver`, so it needs no API key. If `driver` is a
   * function, a recording calls this function at the first request.
   *
   * @throws {TypeError} without a driver, if the cassette records.
   */
  driver(driver?: ModelDriver | (() => ModelDriver)): ModelDriver
  /**
   * Returns a layer that records or replays requests to models, of any agent:
   * `runConfig().modelLayer(cassette.modelLayer())`. Use this layer instead of {@link Cassette.driver} if the agent is
   * already registered. A replay does not call the driver of the agent.
   */
  modelLayer(): ModelLayer
  /**
   * Returns a layer that records or replays tool calls. Add it as the outermost layer. Requests within a recorded call
   * are part of its outcome: they are not recorded separately, and a replay does not make them.
   */
  toolLayer(options?: CassetteLayerOptions): ToolLayer
  /**
   * Returns a clock that starts at the time of the recording, and sequential ids that are the same in each replay. Pass them to the runtime
   * as `effects`.
   */
  effects(): Effects
  /**
   * Event sink that records the updates of streaming tools. Pass it to the runtime. To receive updates of nested agents, start the run with
   * `deepTracing: true`.
   */
  readonly sink: EventSink
  /**
   * Ends a replay or a recording. A recording that is not empty then replaces the file.
   *
   * @throws {CassetteError} with the first error since the cassette was opened, even if the error was caught; after a replay,
   * also if exchanges were not used.
   */
  close(): Promise<void>
  /**
   * Ends a replay or a recording without its checks. A recording then leaves the file unchanged. Has no effect after {@link Cassette.close}.
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

/** Parts of a recorded call that can contain sensitive values. */
interface RecordedParts {
  readonly arguments?: JsonText
  readonly updates?: readonly JsonText[]
  readonly outcome?: RecordedOutcome
}

/** State and methods that recordings and replays share. After the first error, all requests fail. */
export abstract class Tape {
  protected readonly file: string
  protected readonly redact: Redact
  /** Run id → number (`asked`) of the run's last model request. */
  protected readonly lastOfRun: Map<string, number> = new Map()
  readonly #numbers = new Map<string, number>()
  #error: CassetteError | undefined

  constructor(file: string, redact: Redact) {
    this.file = file
    this.redact = redact
  }

  /** Returns the recorded form of a request or response to a model: with numbered pseudonyms instead of sensitive values. */
  protected hiddenModel<Fields>({ meta }: ModelRequest, fields: Fields): Fields {
    const redaction = RedactedRunMeta.redactionOf(meta)?.values
    return redaction === undefined ? fields : this.#numbered(redaction, redaction.structure(fields, 'state'))
  }

  /**
   * Tells the redaction which arguments of the requested calls are sensitive, so that it hides them in the response
   * that is written next.
   */
  protected learnCalls({ meta }: ModelRequest, { calls }: ModelResponse): void {
    const redaction = RedactedRunMeta.redactionOf(meta)
    if (redaction === undefined) return
    const { values, planOf } = redaction
    for (const { tool, arguments: sent } of calls) values.learnArguments(sent, planOf(tool))
  }

  /** Returns the recorded form of a tool call or its outcome: with numbered pseudonyms instead of sensitive values. */
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

  /** Handles a request to the model: records or replays the response. A recording sends the request with `send`. */
  abstract ask(request: ModelRequest, send: ModelDriver['ask']): Promise<ModelResponse>

  /** Handles a tool call, including the layers inside the cassette's layer: records or replays the outcome. */
  abstract call<Env>(request: ToolRequest<Env>, next: ToolService<Env>): Promise<ToolOutcome>

  /** Receives each event of the runtime. */
  abstract receive(event: RunEvent): void

  abstract close(): Promise<void>

  /** Ends the recording or replay without an error. */
  async discard(): Promise<void> {
    this.fail('closed', `The cassette ${this.file} is closed.`)
  }

  /** Throws the first error of the recording or replay, if there is one. */
  protected requireNoError(): void {
    if (this.#error !== undefined) throw this.#error
  }

  /** Creates an error and stores it if it is the first one. Returns the stored error. */
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
