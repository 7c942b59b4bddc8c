import type { StoredSessionReader } from '@toolgen/runtime/sessions'
import { Catalogue, type StudioTools } from './catalogue.js'
import type { ContextOptions } from './own-run.js'
import type { RunEvent } from './run-record.js'
import { Runs } from './runs.js'
import { type ServedProject, studioServer } from './server.js'

/** Limits of the memory of a studio. */
export interface StudioOptions {
  /** Maximum number of stored runs. The oldest are discarded. Default: 200. */
  readonly maxRuns?: number
  /** Maximum number of stored parts of a run: events, messages and deltas. The oldest are discarded. Default: 20,000. */
  readonly maxParts?: number
  /**
   * Maximum size of the stored parts of a run, in bytes of JSON, with 200 bytes for each part. The oldest are discarded. Texts of more than 1,000
   * characters in a part that alone is larger, and a result that is larger, are not stored. Default: 8 MiB.
   */
  readonly maxRunBytes?: number
  /**
   * Maximum memory for all runs with their conversations, results and cassettes, in bytes. The oldest ended runs are discarded. New runs are
   * rejected while those that have not ended need more. Calls in progress, responses that are sent, and memory that JavaScript has not freed yet
   * are not counted. Default: 64 MiB.
   */
  readonly maxBytes?: number
  /** Time between two comments that keep a stream of server-sent events open, in milliseconds. Default: 15,000. */
  readonly heartbeatMs?: number
}

/** Options of a studio that is mounted in an application. */
export interface StudioHandlerOptions {
  /** Registered agents and toolsets that the studio shows. */
  readonly tools: readonly StudioTools[]
  /**
   * Checks whether a request may use the studio. A `Response`, for example a redirect to a login page, is sent instead of that of the studio. A
   * stream of server-sent events checks its request again after four heartbeats, by default every minute, and ends if the result is not `true`.
   */
  readonly authorize: (request: Request) => boolean | Response | Promise<boolean | Response>
  /** Name of the application. Default: `toolgen`. */
  readonly name?: string
  /** Path below which the studio is mounted, such as `/studio`, if requests contain it. Default: none. */
  readonly basePath?: string
  /** If `true`, people can call tools, run agents and answer the calls of these runs. Default: `false`. */
  readonly canCall?: boolean
  /**
   * Returns the options of calls and runs that the studio starts: `env`, `sessionId`, `labels` and others. `tool` is the tool name, absent for
   * a run. They have precedence over those that a person enters on the page, also label by label. Default: none.
   */
  readonly context?: (tool: string | undefined) => ContextOptions | Promise<ContextOptions>
  /**
   * Store whose sessions of all users the studio shows, such as a `postgresStore`. Ids of sessions and users stay on the server. Default: none.
   */
  readonly sessions?: StoredSessionReader
}

/** Options of a handler whose project can change. */
export interface ProjectHandlerOptions extends Pick<StudioHandlerOptions, 'authorize' | 'basePath'> {
  /** Returns the project at the time of a request. */
  readonly project: () => ServedProject
}

/**
 * Web interface that shows tools, observes runs and starts them. Stores the latest runs in memory.
 *
 * @example
 * const studio = new Studio()
 * const runtime = new Runtime({ sinks: [studio.sink] })
 * const support = registerSupport(runtime, { planner, toolsets })
 * const handler = studio.handler({ tools: [support], authorize: (request) => isAdmin(request), basePath: '/studio' })
 */
export class Studio {
  /** Receives the events of runs that the application starts. Pass it to `new Runtime({ sinks: [studio.sink] })`. */
  readonly sink: (event: RunEvent) => void
  readonly #runs: Runs
  readonly #heartbeatMs: number

  /** @throws {RangeError} if a limit is not a positive integer */
  constructor(options: StudioOptions = {}) {
    const {
      maxRuns = 200,
      maxParts = 20_000,
      maxRunBytes = 8 * MIB,
      maxBytes = 64 * MIB,
      heartbeatMs = 15_000,
    } = options
    const limits = { maxRuns, maxParts, maxRunBytes, maxBytes, heartbeatMs }
    for (const [name, value] of Object.entries(limits)) {
      if (!Number.isSafeInteger(value) || value < 1) {
        throw new RangeError(`new Studio: ${name} is ${String(value)}. Expected a positive integer.`)
      }
    }
    this.#heartbeatMs = heartbeatMs
    this.#runs = new Runs({ maxRuns, maxParts, maxBytes: maxRunBytes, maxTotalBytes: maxBytes })
    this.sink = (event) => this.#runs.observe(event)
  }

  /**
   * Returns the HTTP server of the studio, as a function from a request to a response. Without `canCall`, it only shows tools and runs.
   *
   * @throws {TypeError} if `authorize` is missing
   * @example
   * app.all('/studio/*', (c) => handler(c.req.raw)) // Hono
   */
  handler(options: StudioHandlerOptions | ProjectHandlerOptions): (request: Request) => Promise<Response> {
    const { authorize, basePath = '' } = options
    if (typeof authorize !== 'function') {
      throw new TypeError('studio.handler: `authorize` must be a function that returns true for allowed requests.')
    }
    if (!/^(\/[^/?#:*]+)*$/.test(basePath)) {
      throw new TypeError(`studio.handler: basePath is '${basePath}'. Expected a path such as '/studio'.`)
    }
    const project = 'project' in options ? options.project : fixedProject(options)
    return studioServer({ runs: this.#runs, heartbeatMs: this.#heartbeatMs, project, authorize, basePath })
  }

  /** Internal: cancels the runs and calls that the studio started and that have not ended, because the module is loaded again. */
  cancelRuns(): void {
    this.#runs.cancelOwn('The module was loaded again.')
  }

  /** Internal: sends the changed project to the clients. */
  announce(): void {
    this.#runs.changes.call()
  }
}

const MIB = 1024 * 1024

function fixedProject({
  tools,
  name = 'toolgen',
  canCall = false,
  context,
  sessions,
}: StudioHandlerOptions): () => ServedProject {
  const catalogue = new Catalogue(tools)
  const project: ServedProject = {
    info: {
      ...{ name, generation: 1, canCall, reports: [], problems: [] },
      ...(!canCall && { reason: 'The studio is read-only. Set `canCall: true` in `studio.handler` to call tools.' }),
    },
    catalogue,
    context,
    sessions,
  }
  return () => project
}
