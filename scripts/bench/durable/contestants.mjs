import { fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { NoPostgresError, startPostgres } from '../../lib/postgres.mjs'
import { NoRestateError, startRestate } from '../../lib/restate.mjs'
import { testModule } from '../../lib/test-module.mjs'
import { installPeers } from '../install-peers.mjs'

const program = fileURLToPath(new URL('contestant-process.mjs', import.meta.url))
const own = new URL('toolgen.mjs', import.meta.url).href

/** Error of a request to a process that has ended. */
export class ProcessEnded extends Error {
  name = 'ProcessEnded'
}

/** A process of a contestant. Emits `call` when a tool starts. */
class ContestantProcess extends EventEmitter {
  #child
  #requests = new Map()
  #errors = ''

  static async start(url, settings) {
    const started = new ContestantProcess()
    const child = fork(program, [url, JSON.stringify(settings)], {
      ...{ execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] },
      env: { ...process.env, NODE_ENV: 'production' },
    })
    started.#child = child
    child.stderr.on('data', (chunk) => {
      started.#errors = (started.#errors + chunk).slice(-4_000)
    })
    child.on('message', (message) => started.#receive(message))
    child.once('close', () => started.#end())
    await Promise.race([once(started, 'loaded'), once(started, 'end')])
    return started
  }

  /** Sends a request to the process; see `answers` in `contestant-process.mjs`. */
  request(type, ...args) {
    return new Promise((resolve, reject) => {
      if (!this.#child.connected) return reject(this.#ended())
      const id = this.#requests.size + 1
      this.#requests.set(id, { resolve, reject })
      // An error means that the process has ended. The event `close` follows.
      this.#child.send({ id, type, args }, () => undefined)
    })
  }

  async kill() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const closed = once(this, 'end')
    this.#child.kill('SIGKILL')
    await closed
  }

  #receive({ event, id, result, error }) {
    if (event !== undefined) return void this.emit(event)
    const { resolve, reject } = this.#requests.get(id)
    if (error === undefined) resolve(result)
    else reject(new Error(error))
  }

  #end() {
    for (const { reject } of this.#requests.values()) reject(this.#ended())
    this.emit('end')
  }

  #ended() {
    return new ProcessEnded(`The process of a contestant has ended:\n${this.#errors}`)
  }
}

/**
 * Starts PostgreSQL and Restate, and prepares all contestants. Resolves with `{ contestants, query, stop }`. If they cannot run on this machine,
 * resolves with `{ missing }`, the reason. Each contestant has
 *
 * - `name`;
 * - `open(settings, count)`: starts `count` processes that share the work, and resolves with them. Replaces the processes of an earlier call.
 *
 * @param without names of peers that are left out
 */
export async function startContestants(without) {
  const stops = []
  const stop = async () => {
    for (const each of stops.toReversed()) await each()
  }
  try {
    const postgres = await startPostgres()
    stops.push(postgres.stop)
    const restate = await startRestate()
    stops.push(restate.stop)
    const pool = new pg.Pool({ connectionString: postgres.url, max: 2 })
    stops.push(() => pool.end())
    await pool.query('create table effects (contestant text not null, effect text not null)')
    const { contestants: peers } = await installPeers('durable')
    const isLeftOut = (url) => without.some((name) => url.endsWith(`/${name}.mjs`))
    const base = { database: postgres.url, restate: { url: restate.url, adminUrl: restate.adminUrl } }
    const contestants = []
    for (const url of [own, ...peers].filter((each) => !isLeftOut(each))) {
      const preparing = await ContestantProcess.start(url, base)
      const name = await preparing.request('name')
      await preparing.request('prepare')
      await preparing.kill()
      contestants.push(new Contestant(name, url, base, restate))
      stops.push(() => contestants.find((each) => each.url === url).close())
    }
    return { contestants, query: (text, values) => pool.query(text, values), stop }
  } catch (error) {
    await stop()
    if (error instanceof NoPostgresError || error instanceof NoRestateError) return { missing: error.message }
    throw error
  }
}

class Contestant {
  #base
  #restate
  #processes = []
  #ports = []
  #balancer

  constructor(name, url, base, restate) {
    this.name = name
    this.url = url
    this.#base = base
    this.#restate = restate
  }

  /**
   * Starts `count` processes that replace the current ones.
   *
   * @param settings `callMs`: maximum milliseconds before and after an effect. Default: effects take no time and are not counted
   */
  async open(settings, count = 1) {
    await Promise.all(this.#processes.map((each) => each.kill()))
    this.#processes = []
    const opened = []
    for (let index = 0; index < count; index += 1) {
      const started = await ContestantProcess.start(this.url, {
        ...{ ...this.#base, ...settings, port: this.#ports[index] ?? 0 },
      })
      this.#processes.push(started)
      opened.push(await started.request('open'))
    }
    if (this.url === own) await this.#register(opened.map(({ port }) => port))
    return { processes: this.#processes, hasPlain: opened[0].hasPlain }
  }

  /** Registers the workers in Restate. Needed only if the number of workers changes, because workers keep their ports. */
  async #register(ports) {
    if (ports.join() === this.#ports.join()) return
    this.#ports = ports
    this.#balancer?.close()
    const { balance } = await testModule('../examples/durable/src/workers.ts')
    const { address, server } = await balance(ports.map((port) => ({ port })))
    this.#balancer = server
    await this.#restate.register(address)
  }

  async close() {
    this.#balancer?.close()
    await Promise.all(this.#processes.map((each) => each.kill()))
  }
}
