import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PlaceAddress } from './place.js'

/** A process that has neither opened its sessions nor ended by then, in milliseconds, hangs. */
const START_LIMIT_MS = 300_000

const script = fileURLToPath(new URL('child/child.mjs', import.meta.url))

/** What a process is told. */
export interface LifeOptions {
  readonly place: PlaceAddress
  /** Its number among the processes of the place, for unique keys. */
  readonly life: number
  readonly seed: number
  readonly sessions: number
  /** The file that it writes its records to. */
  readonly log: string
  /** It takes what there is and ends. */
  readonly drains?: true
  /** It does not close its sessions; another process may take them over. */
  readonly stays?: true
  /** It kills itself at this statement, counted from 1: before that is sent, or when it is done. */
  readonly death?: { readonly statement: number; readonly isAfter: boolean }
}

/** One process that works with sessions. */
export class ProcessLife {
  /** Resolves when all sessions are open, with how many milliseconds that took; with `undefined` where it ended before. */
  readonly ready: Promise<number | undefined>
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #errors = ''

  constructor(options: LifeOptions) {
    const began = performance.now()
    // V8 does not optimize the embedded database: it would take longer than the process lives.
    const args = ['--liftoff-only', script, JSON.stringify(options)]
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.#ended = once(this.#child, 'close')
    this.#child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.#errors = (this.#errors + text).slice(-4_000)
    })
    const limit = setTimeout(() => this.#child.kill('SIGTERM'), START_LIMIT_MS)
    const said = new Promise<number>((resolve) => {
      this.#child.stdout?.once('data', () => {
        clearTimeout(limit)
        resolve(performance.now() - began)
      })
    })
    void this.#ended.then(() => clearTimeout(limit))
    this.ready = Promise.race([said, this.#ended.then(() => undefined)])
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Ends the process as a crash would. @returns what it said where it had ended before, unless it was killed then too */
  async kill(): Promise<readonly string[]> {
    this.#child.kill('SIGKILL')
    await this.#ended
    return this.#child.signalCode === 'SIGKILL' ? [] : [this.#howItEnded()]
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<unknown> {
    return this.#ended
  }

  /** Waits for a process that ends by itself. @returns what it said where it failed */
  async end(): Promise<readonly string[]> {
    await this.#ended
    return this.#child.exitCode === 0 ? [] : [this.#howItEnded()]
  }

  #howItEnded(): string {
    const { exitCode, signalCode } = this.#child
    return `ENDED: the process ended with ${exitCode ?? signalCode}: ${this.#errors}`
  }
}
