import { createContext, Script } from 'node:vm'

export type InTime<T> = { readonly isDone: true; readonly value: T } | { readonly isDone: false }

/** Time limit of {@link inTime}, in milliseconds. Most regular expressions need only microseconds. */
const timeLimit = 500

/** Context of Node's `vm` for all calls of {@link inTime}, because creating a context is slow. */
const scope: { work?: () => void } = {}
const run: Script = new Script('work()')
createContext(scope)

/**
 * Runs synchronous work, and stops it after half a second.
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

/** Checks whether an error is a timeout. `instanceof` does not work, because Node creates the error in the other context. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
