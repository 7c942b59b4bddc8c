import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { fileURLToPath } from 'node:url'
import { after } from '../call/timers.js'

export const CANNOT_LOAD = 78

/** Value of `signal` in the event `exit` after the time limit has ended the process. */
export const LATE = 'late'

/** Time that V8 has to stop a program after the program's time limit. After this time, the watchdog kills the process. */
const GRACE_MS = 1_000

/** A crash of the child process does not end this process, unlike a crash of a worker thread. */
export class ProgramProcess extends EventEmitter<{ message: [unknown]; error: [Error]; exit: [unknown, unknown] }> {
  readonly #child: ChildProcess
  readonly #ended: Promise<number>
  #computeMs = 0
  #stopWatchdog: (() => void) | undefined
  #isLate = false

  constructor(module: URL, memoryMiB: number) {
    super()
    const child = fork(fileURLToPath(module), [String(memoryMiB)], {
      // Uses the same time zone everywhere, so that a suspended program can continue on another machine.
      env: { TZ: 'UTC' },
      // isolated-vm cannot create isolates from the startup snapshot of Node 20 and later.
      execArgv: ['--no-node-snapshot'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.#child = child
    this.#ended = new Promise((resolve) => {
      child.once('exit', (code) => resolve(code ?? 1))
      // A process that did not start emits no event `exit`.
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
    // Ignores errors of `send`, because the event `exit` reports the end of the process.
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
