import { createContext, Script } from 'node:vm'

export type InTime<T> = { readonly isDone: true; readonly value: T } | { readonly isDone: false }

/** In milliseconds. Most regular expressions need only microseconds. */
const timeLimit = 500

/** Shared by all calls, because creating a context of `vm` is slow. */
const scope: { work?: () => void } = {}
const run: Script = new Script('work()')
createContext(scope)

/** Runs the work in a context of `vm`, because its time limit can also stop synchronous code such as an endless loop. */
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

/** `instanceof` does not work, because Node creates the error in the other context. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
}
