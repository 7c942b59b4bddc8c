import type { ChildProcess } from 'node:child_process'

/** The signals by which a process is usually ended from outside. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

const running = new Set<ChildProcess>()

/** Where the copies of this module in a process count those of them that listen. */
const COPIES = Symbol.for('toolgen.mcp.ending')

/** Has a child, the leader of a group of its own, ended with this process, however this process ends but by SIGKILL. */
export function endWithThisProcess(child: ChildProcess): void {
  if (running.size === 0) listen()
  running.add(child)
  child.once('close', () => {
    running.delete(child)
    if (running.size === 0) stopListening()
  })
}

/** Sends a signal to a child and all that it started. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nothing of the group is left.
  }
}

function killAll(): void {
  for (const child of running) signalGroup(child, 'SIGKILL')
}

function listen(): void {
  process.on('exit', killAll)
  // Before those that listen once: by their turn they are no listeners any more, and would not be counted.
  for (const signal of ENDING) process.prependListener(signal, endBySignal)
  Reflect.set(process, COPIES, { count: countIn(process, COPIES) + 1 })
}

function stopListening(): void {
  // A signal has done it before.
  if (!process.listeners('SIGTERM').includes(endBySignal)) return
  process.off('exit', killAll)
  for (const signal of ENDING) process.off(signal, endBySignal)
  Reflect.set(process, COPIES, { count: countIn(process, COPIES) - 1 })
}

/** Without this listener the signal would end this process, and so it does: unless the application listens too. */
function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > waiting()) return
  killAll()
  stopListening()
  process.kill(process.pid, signal)
}

/** How many only wait for whoever else listens, as this one does: copies of this module, and those of `signal-exit`. */
function waiting(): number {
  const ofSignalExit = countIn(globalThis, Symbol.for('signal-exit emitter'))
  return countIn(process, COPIES) + ofSignalExit + countIn(process, '__signal_exit_emitter__')
}

function countIn(owner: object, key: PropertyKey): number {
  const counted: unknown = Reflect.get(owner, key)
  const count: unknown = typeof counted === 'object' && counted !== null ? Reflect.get(counted, 'count') : 0
  return typeof count === 'number' ? count : 0
}
