import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PlaceAddress } from './place.js'

/** Maximum time in milliseconds to open the sessions. A process that needs longer hangs. */
const START_LIMIT_MS = 300_000

const script = fileURLToPath(new URL('child/child.mjs', import.meta.url))

/** Options of a process. */
export interface LifeOptions {
  readonly place: PlaceAddress
  /** Number of the process in its place, for unique keys. */
  readonly life: number
  readonly seed: number
  readonly sessions: number
  /** Path of the file for its records. */
  readonly log: string
  /** The process consumes all entries and ends. */
  readonly drains?: true
  /** The process does not close its sessions, so that another process can open them. */
  readonly stays?: true
  /** The process kills itself at this statement, counted from 1: before the statement is sent, or after it is done. */
  readonly death?: { readonly statement: number; readonly isAfter: boolean }
}

/** A process that works with sessions. */
export class ProcessLife {
  /** Resolves when all sessions are open, with the elapsed milliseconds. Resolves with `undefined` if the process ended before. */
  readonly ready: Promise<number | undefined>
  readonly #child: ChildProcess
  readonly #ended: Promise<unknown>
  #errors = ''

  constructor(options: LifeOptions) {
    const began = performance.now()
    // Disables the optimizing compiler of V8: optimization of the embedded database takes longer than the process lives.
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

  /** Kills the process. @returns errors of a process that had already ended, unless it was killed then too */
  async kill(): Promise<readonly string[]> {
    this.#child.kill('SIGKILL')
    await this.#ended
    return this.#child.signalCode === 'SIGKILL' ? [] : [this.#howItEnded()]
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<unknown> {
    return this.#ended
  }

  /** Waits for a process that ends by itself. @returns its errors if it failed */
  async end(): Promise<readonly string[]> {
    await this.#ended
    return this.#child.exitCode === 0 ? [] : [this.#howItEnded()]
  }

  #howItEnded(): string {
    const { exitCode, signalCode } = this.#child
    return `ENDED: the process ended with ${exitCode ?? signalCode}: ${this.#errors}`
  }
}
