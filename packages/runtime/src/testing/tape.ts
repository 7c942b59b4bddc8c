import { compilingDriver } from '../agents/message-compiler.js'
import type { Effects, IdKind } from '../types/call-options.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ModelDriver, ModelRequest, ModelResponse } from '../types/planner.js'
import type { EventSink, RunEvent } from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'
import type { CassetteErrorCode, CassetteErrorDetails } from './cassette-error.js'
import { CassetteError } from './cassette-error.js'
import type { Redact } from './redaction.js'

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
export abstract class Tape {
  protected readonly file: string
  protected readonly redact: Redact
  /** Number of the last model exchange of each run. */
  protected readonly lastOfRun: Map<string, number> = new Map()
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

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : 'it has no form that can be written'
}
