import type { ChildProcess } from 'node:child_process'
import { after } from '../call/timers.js'
export function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

export function endsWithin(child: ChildProcess, limitMs: number): Promise<boolean> {
  if (hasEnded(child)) return Promise.resolve(true)
  return new Promise((resolve) => {
    const exited = (): void => {
      stopTimer()
      resolve(true)
    }
    const stopTimer = after(limitMs, () => {
      child.off('exit', exited)
      resolve(false)
    })
    child.once('exit', exited)
  })
}

export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // The group has no more processes.
  }
}

const ENDING_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** The property of `process` with this key counts the loaded copies of this module that listen for signals. */
const COPIES = Symbol.for('toolgen.mcp.ending')

const running = new Set<ChildProcess>()

/** A SIGKILL that ends this process does not kill the child process. */
export function endWithThisProcess(child: ChildProcess): void {
  if (running.size === 0) {
    process.on('exit', killAll)
    // Prepended, because `once` listeners that run before are no longer counted in `endBySignal`.
    for (const signal of ENDING_SIGNALS) process.prependListener(signal, endBySignal)
    changeCopies(1)
  }
  running.add(child)
  child.once('close', () => {
    running.delete(child)
    if (running.size === 0) stopListening()
  })
}

function killAll(): void {
  for (const child of running) signalGroup(child, 'SIGKILL')
}

function stopListening(): void {
  // A signal has already removed the listeners.
  if (!process.listeners('SIGTERM').includes(endBySignal)) return
  process.off('exit', killAll)
  for (const signal of ENDING_SIGNALS) process.off(signal, endBySignal)
  changeCopies(-1)
}

function endBySignal(signal: NodeJS.Signals): void {
  // Copies of this module and of `signal-exit` do the same, so they do not count as listeners of the application.
  const waiting =
    countIn(process, COPIES) +
    countIn(globalThis, Symbol.for('signal-exit emitter')) +
    countIn(process, '__signal_exit_emitter__')
  // If the application listens for the signal, the application decides when this process ends.
  if (process.listenerCount(signal) > waiting) return
  killAll()
  stopListening()
  process.kill(process.pid, signal)
}

function changeCopies(change: number): void {
  Reflect.set(process, COPIES, { count: countIn(process, COPIES) + change })
}

function countIn(owner: object, key: PropertyKey): number {
  const counted: { readonly count?: unknown } | undefined = Reflect.get(owner, key)
  return typeof counted?.count === 'number' ? counted.count : 0
}

const QUOTED_LINES = 3

const LONGEST_QUOTE = 500

/** Empty lines, lines of a stack trace, and the version line of Node. */
const BACKGROUND = /^(?:at .*|\^+|Node\.js v[\d.]+)?$/

const NAMES_ERROR = /^(?:Uncaught |npm )?[\w.$]*(?:error|exception)\b/i

export class ServerEnd extends Error {
  override readonly name = 'ServerEnd'
  readonly unanswered: string

  constructor(status: number | string | null, stderr: string) {
    const end = `the server ended with ${typeof status === 'number' ? `code ${status}` : status}`
    const quote = quotedError(stderr)
    super(`${end}${quote}`)
    this.unanswered = `${end} before it responded${quote}`
  }
}

function quotedError(stderr: string): string {
  const lines = stderr
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => !BACKGROUND.test(line))
  const error = lines.findIndex((line) => NAMES_ERROR.test(line))
  const text = (error < 0 ? lines.slice(-QUOTED_LINES) : lines.slice(error, error + QUOTED_LINES)).join(' / ')
  if (text === '') return ''
  return `: ${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text}`
}
