import { createContext, Script } from 'node:vm'

/** The result of work that may have no end. */
export type InTime<T> = { readonly isDone: true; readonly value: T } | { readonly isDone: false }

/** Time limit in milliseconds: patterns that end soon do so in microseconds. */
const timeLimit = 500

/** One context for all: making one takes longer than a test of a text. */
const scope: { work?: () => void } = {}
const run: Script = new Script('work()')
createContext(scope)

/**
 * Does work without waiting, and stops it when half a second is over: the engine sets itself no limit.
 *
 * @example
 * const tried = inTime(() => pattern.test(text)) // { isDone: true, value: false }
 */
export function inTime<T>(work: () => T): InTime<T> {
  let done: InTime<T> = { isDone: false }
  scope.work = () => {
    done = { isDone: true, value: work() }
  }
  try {
    run.runInContext(scope, { timeout: timeLimit })
  } catch (error) {
    if (!isTimeout(error)) throw error
  }
  return done
}

/** The error is of the other realm, so it is an instance of no class of this one. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
