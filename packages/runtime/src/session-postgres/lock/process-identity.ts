import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Which process: a pid alone comes back, with another process behind it. */
export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** When the process began, in clock ticks since the system did; where the system tells (Linux). */
  readonly startTime?: string
  /** Which start of the system; where it tells. */
  readonly boot?: string
  /** The namespace that the pid is one of, so that those of containers are not mixed up; where there are such. */
  readonly pids?: string
}

/** What became of a process; `unknown` where it cannot be seen from here: on another machine, or in another container. */
export type ProcessFate = 'running' | 'gone' | 'unknown'

/** This process. */
export function thisProcess(): ProcessIdentity {
  const startTime = startTimeOf(process.pid)
  const [boot, pids] = [bootId(), pidNamespace()]
  return {
    pid: process.pid,
    host: hostname(),
    ...(startTime !== undefined && { startTime }),
    ...(boot !== undefined && { boot }),
    ...(pids !== undefined && { pids }),
  }
}

export function fateOf({ pid, host, startTime, boot, pids }: ProcessIdentity): ProcessFate {
  if (host !== hostname()) return 'unknown'
  if (boot !== bootId()) return 'gone'
  if (pids !== pidNamespace()) return 'unknown'
  if (startTime !== undefined) return startTimeOf(pid) === startTime ? 'running' : 'gone'
  return isRunning(pid) ? 'running' : 'gone'
}

/** Absent where there is no such process, or one that has ended and waits to be buried, or the system does not tell. */
function startTimeOf(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  // The second field, the program's name in brackets, may hold blanks and brackets itself.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return state === 'Z' || state === 'X' ? undefined : fields[18]
}

const bootId = (): string | undefined => readIfThere('/proc/sys/kernel/random/boot_id')?.trim()

function pidNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // No Linux: there are none.
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process may not be signalled, and runs.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The process is gone, or the system is none with such files.
    return undefined
  }
}
