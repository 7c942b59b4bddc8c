import type { ChildProcess } from 'node:child_process'

/** The signals by which a process is usually ended from outside. */
const ENDING: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

const running = new Set<ChildProcess>()

/** Has a child, the leader of a group of its own, ended with this process, however this process ends but by SIGKILL. */
export function endWithThisProcess(child: ChildProcess): void {
  if (running.size === 0) {
    process.on('exit', killAll)
    // Before those that listen once: by their turn they are no listeners any more, and would not be counted.
    for (const signal of ENDING) process.prependListener(signal, endBySignal)
  }
  running.add(child)
  child.once('close', () => {
    running.delete(child)
    if (running.size > 0) return
    process.off('exit', killAll)
    for (const signal of ENDING) process.off(signal, endBySignal)
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

/** Without this listener the signal would end this process, and so it does: unless somebody else listens too. */
function endBySignal(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  process.off(signal, endBySignal)
  process.kill(process.pid, signal)
}
