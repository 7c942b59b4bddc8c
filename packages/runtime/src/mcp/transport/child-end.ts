import type { ChildProcess } from 'node:child_process'
import { signalGroup } from './process-group.js'

/** How long a server may take to end by itself, and then after SIGTERM, in milliseconds. */
const GRACE_MS = 2_000

/** Whether a child runs no more, or never did. */
export function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null
}

/** Whether a child ends in time, in milliseconds. */
export async function endsWithin(child: ChildProcess, limitMs: number): Promise<boolean> {
  if (hasEnded(child)) return true
  return new Promise((resolve) => {
    const end = (): void => finish(true)
    const timer = setTimeout(() => finish(false), limitMs)
    const finish = (ended: boolean): void => {
      clearTimeout(timer)
      child.off('exit', end)
      resolve(ended)
    }
    child.once('exit', end)
  })
}

/** Ends a child with all that it started: its stdin is closed, then it is asked, then it is made to. */
export async function endChild(child: ChildProcess): Promise<void> {
  child.stdin?.end()
  if (await endsWithin(child, GRACE_MS)) return
  signalGroup(child, 'SIGTERM')
  if (await endsWithin(child, GRACE_MS)) return
  signalGroup(child, 'SIGKILL')
  await new Promise<void>((resolve) => {
    if (hasEnded(child)) resolve()
    else child.once('exit', () => resolve())
  })
}
