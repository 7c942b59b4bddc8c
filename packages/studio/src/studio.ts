import type { StoredSessionReader } from '@toolgen/runtime/sessions'
import { Catalogue, type StudioTools } from './catalogue.js'
import type { ContextOptions } from './own-run.js'
import type { RunEvent } from './run-record.js'
import { Runs } from './runs.js'
import { type ServedProject, studioServer } from './server.js'

/** Options of {@link Studio}: limits of the stored runs, and the time between heartbeats. */
export interface StudioOptions {
  /** Maximum number of stored runs. The studio discards the oldest runs. Default: 200. */
  readonly maxRuns?: number
  /** Maximum number of stored parts of a run: events, messages and deltas. The studio discards the oldest parts. Default: 20,000. */
  readonly maxParts?: number
  /**
   * Maximum size of the stored parts of a run, in bytes of JSON, plus 200 bytes for each part. The studio discards the oldest parts. If a single
   * part exceeds the limit, the studio discards its texts of more than 1,000 characters. The studio also discards a result that exceeds the
   * limit. Default: 8 MiB.
   */
  readonly maxRunBytes?: number
  /**
   * Maximum memory for all stored runs with their conversations, results and cassettes, in bytes. The studio discards the oldest ended runs. If
   * unfinished runs exceed the limit, the studio rejects new runs. The limit does not include running calls, responses to clients, and memory
   * that JavaScript has not freed yet. Default: 64 MiB.
   */
  readonly maxBytes?: number
  /** Time between two heartbeats in milliseconds. A heartbeat keeps a stream of server-sent events open. Default: 15,000. */
  readonly heartbeatMs?: number
}

/** Options of {@link Studio.handler}: tools, access control, and permissions of people. */
export interface StudioHandlerOptions {
  /** Registered agents and toolsets that the studio shows. */
  readonly tools: readonly StudioTools[]
  /**
   * Returns `true` to allow a request, and `false` to reject a request. A returned `Response`, for example a redirect to a login page, replaces
   * the response of the studio. For an open stream of events, the studio calls this function again after every four heartbeats (by default one
   * minute), and ends the stream for any result except `true`.
   */
  readonly authorize: (request: Request) => boolean | Response | Promise<boolean | Response>
  /** Display name of the application. Default: `toolgen`. */
  readonly name?: string
  /** Path of the studio in the URLs of requests, such as `/studio`. Default: the root path. */
  readonly basePath?: string
  /** `true` allows people to call tools, run agents and answer pending calls of these runs. Default: `false`. */
  readonly canCall?: boolean
  /**
   * Returns options for calls and runs that the studio starts, such as `env`, `sessionId` and `labels`. `tool` is the name of the called tool
   * for models, such as `orders_getOrder`, or `undefined` for a run. The returned options and labels have precedence over the input of a
   * person on the page. Default: no options.
   */
  readonly context?: (tool: string | undefined) => ContextOptions | Promise<ContextOptions>
  /**
   * Session store, such as a `postgresStore`. The studio shows the stored sessions of all users, without ids of sessions and users. Default: no
   * sessions.
   */
  readonly sessions?: StoredSessionReader
}

export interface ProjectHandlerOptions extends Pick<StudioHandlerOptions, 'authorize' | 'basePath'> {
  /** Called for each request. */
  readonly project: () => ServedProject
}

/**
 * Web interface that shows tools, observes runs, calls tools and runs agents. Stores the latest runs in memory.
 *
 * @example
 * const studio = new Studio()
 * const runtime = new Runtime({ sinks: [studio.sink] })
 * const support = registerSupport(runtime, { planner, toolsets })
 * const handler = studio.handler({ tools: [support], authorize: (request) => isAdmin(request), basePath: '/studio' })
 */
export class Studio {
  /** Event sink, with which the studio observes runs that the application starts: `new Runtime({ sinks: [studio.sink] })`. */
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
   * Returns a function that responds to the HTTP requests of the studio. Without `canCall`, people can only read tools and runs.
   *
   * @throws {TypeError} if `authorize` is missing, or if `basePath` is not a path such as `/studio`
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

  /** Internal: cancels all running runs and calls that the studio started. Called before a new load of the module. */
  cancelRuns(): void {
    this.#runs.cancelOwn('The module was loaded again.')
  }

  /** Internal: sends the changed project to all connected clients. */
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
