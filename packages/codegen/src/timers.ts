import { createContext, Script } from 'node:vm'

/** Result of work with a time limit. `isDone` is false if the time limit stopped the work. */
export type InTime<T> = { readonly isDone: true; readonly value: T } | { readonly isDone: false }

/** Time limit in milliseconds. Matching a safe regular expression takes microseconds. */
const timeLimit = 500

/** Context of Node's `vm` that all calls share, because creating a context takes longer than matching a pattern. */
const scope: { work?: () => void } = {}
const run: Script = new Script('work()')
createContext(scope)

/**
 * Runs synchronous work and stops it after half a second, with the time limit of Node's `vm`.
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

/** Checks for a timeout by its error code. The error comes from another realm, so `instanceof` does not work. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
