import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { peek } from '../../packages/runtime/src/call/tool-failure.js'
import { Runtime, tool, toolset } from '../../packages/runtime/src/index.js'
import { listenWith, postgresStore, type Query } from '../../packages/runtime/src/postgres.js'
import { SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { startServer } from './databases.js'

const script = fileURLToPath(new URL('server-process.mjs', import.meta.url))

const readOnly = tool({ name: 'unused', description: 'Is never called.', parameters: {}, run: async () => null })

/** Response of a process. A `status` of 409 is a `SessionError`. */
export interface Answer {
  readonly status: number
  /** `any`: each request has its own response. */
  readonly body: any
}

/** A process that serves sessions. */
export interface ServerProcess {
  readonly address: string
  readonly child: ChildProcess
  ask(request: object): Promise<Answer>
}

/** Sends a request to the process at an address. Rejects if the process has ended. */
export async function ask(address: string, request: object): Promise<Answer> {
  const response = await fetch(address, { method: 'POST', body: JSON.stringify(request) })
  return { status: response.status, body: await response.json() }
}

/** Address of the process that has the session open, if a request was refused because of it. */
export function ownerOf({ status, body }: Answer): string | undefined {
  if (status !== 409 || peek(body, 'code') !== 'open_elsewhere') return undefined
  return String(peek(peek(body, 'owner'), 'address'))
}

/** Processes that serve the sessions of one database. */
export class ServerProcesses {
  readonly pool: pg.Pool
  readonly #url: string
  readonly #schema: string
  readonly #stop: () => Promise<void>
  readonly #children: ChildProcess[] = []

  private constructor(url: string, schema: string, stop: () => Promise<void>) {
    this.#url = url
    this.#schema = schema
    this.#stop = stop
    this.pool = new pg.Pool({ connectionString: url, options: `-c search_path=${schema}` })
    this.pool.on('error', () => undefined)
  }

  /** Uses the server at `DATABASE_URL`, otherwise starts one. Returns `undefined` if no server can be started. */
  static async create(): Promise<ServerProcesses | undefined> {
    const { DATABASE_URL } = process.env
    const server = DATABASE_URL === undefined ? await startServer() : undefined
    const url = DATABASE_URL ?? server?.url
    if (url === undefined) return undefined
    const schema = `toolgen_${randomBytes(6).toString('hex')}`
    const processes = new ServerProcesses(url, schema, async () => server?.stop())
    await processes.pool.query(`create schema ${schema}`)
    await processes.pool.query('create table effects (call text not null, process text not null)')
    return processes
  }

  async start(options: { readonly leaseMs?: number } = {}): Promise<ServerProcess> {
    const settings = JSON.stringify({ url: this.#url, schema: this.#schema, ...options })
    const child = spawn(process.execPath, [script, settings], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#children.push(child)
    const [line] = await once(child.stdout, 'data')
    const address = String(line).trim()
    return { address, child, ask: (request) => ask(address, request) }
  }

  /** Number of effects by call. */
  async effects(): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.pool.query('select call, count(*)::int as count from effects group by call')
    return new Map(rows.map(({ call, count }) => [String(call), Number(count)]))
  }

  /** True if the lease of the process at this address has expired by the clock of the database. */
  async isExpired(address: string): Promise<boolean> {
    const { rows } = await this.pool.query(
      'select from session_tool_state_owners where address = $1 and expires_at > clock_timestamp()',
      [address],
    )
    return rows.length === 0
  }

  async expire(address: string): Promise<void> {
    await this.pool.query('update session_tool_state_owners set expires_at = clock_timestamp() where address = $1', [
      address,
    ])
  }

  /** Creates a registry that only subscribes, as on another machine. */
  subscriber(): Pick<SessionRegistry, 'subscribe'> {
    const connectionString = this.#url
    const listen = listenWith(() => new pg.Client({ connectionString }))
    const query: Query = (text, values) => this.pool.query(text, values)
    return new SessionRegistry({
      agents: { works: new Runtime().registerToolset(toolset('works', readOnly)) },
      store: postgresStore({ query, subscriptions: { listen } }),
    })
  }

  async endAll(): Promise<void> {
    for (const child of this.#children.splice(0)) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'close') : undefined
      child.kill('SIGKILL')
      await ended
    }
  }

  async close(): Promise<void> {
    await this.endAll()
    await this.pool.query(`drop schema ${this.#schema} cascade`)
    await this.pool.end()
    await this.#stop()
  }
}
