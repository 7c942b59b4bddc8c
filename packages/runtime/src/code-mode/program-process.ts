import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import { after } from '../call/timers.js'

/** Exit code of a process that could not load the package of its engine. */
export const CANNOT_LOAD = 78

/** Value of `signal` in the event `exit` if the process computed for too long. */
export const LATE = 'late'

/** Time in milliseconds that V8 has to stop a program after its limit. */
const GRACE_MS = 1_000

/**
 * A child process with those methods and events of a `Worker` that a sandbox needs. If the child process crashes, the host process
 * continues, unlike after a crash of a thread.
 */
export class ProgramProcess extends EventEmitter<{ message: [unknown]; error: [Error]; exit: [unknown, unknown] }> {
  readonly #child: ChildProcess
  readonly #ended: Promise<number>
  #computeMs = 0
  /** Stops the timer that ends the process if V8 cannot interrupt a function in time. */
  #stopWatchdog: (() => void) | undefined
  #isLate = false

  constructor(module: URL, memoryMiB: number) {
    super()
    const child = fork(fileURLToPath(module), [String(memoryMiB)], {
      // Without the time zone of the host, a suspended program continues in every process.
      env: { TZ: 'UTC' },
      // Node 20 and later create realms from a snapshot, with which isolated-vm cannot create isolates.
      execArgv: ['--no-node-snapshot'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child = child
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code) => resolve(code ?? 1))
      // A process that could not be started does not exit.
      if (child.pid === undefined) resolve(1)
    })
    child.on('message', (message) => {
      if (message === 'busy') this.#stopWatchdog = after(this.#computeMs + GRACE_MS, () => this.#endLate())
      else if (message === 'idle') this.#stopWatchdog?.()
      else this.emit('message', message)
    })
    child.on('error', (error) => this.emit('error', error))
    child.on('exit', (code, signal) => {
      this.#stopWatchdog?.()
      if (code === CANNOT_LOAD) this.emit('error', Object.assign(new Error(), { code: 'ERR_MODULE_NOT_FOUND' }))
      this.emit('exit', code, this.#isLate ? LATE : signal)
    })
  }

  postMessage(message: { readonly limits?: { readonly computeMs: number } }): void {
    this.#computeMs = message.limits?.computeMs ?? this.#computeMs
    // If the process has already ended, the event `exit` reports this.
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  ref(): void {
    this.#child.ref()
    this.#child.channel?.ref()
  }

  unref(): void {
    this.#child.unref()
    this.#child.channel?.unref()
  }

  terminate(): Promise<number> {
    this.ref()
    this.#child.kill('SIGKILL')
    return this.#ended
  }

  #endLate(): void {
    this.#isLate = true
    this.#child.kill('SIGKILL')
  }
}
