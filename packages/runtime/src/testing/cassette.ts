import type { Effects } from '../contract/effects.js'
import type { EventSink } from '../contract/event.js'
import type { ToolLayer } from '../contract/layer.js'
import type { ModelDriver } from '../contract/model-driver.js'
import type { AgentToolSpec } from '../contract/spec.js'
import { cassetteEffects } from './cassette-effects.js'
import { exists, readCassette } from './cassette-file.js'
import { Recording } from './recording.js'
import { RecordingFile } from './recording-file.js'
import type { Redact } from './redact.js'
import { Replay } from './replay.js'
import { takingCompiler } from './taking-compiler.js'
import type { Tape } from './tape.js'

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
