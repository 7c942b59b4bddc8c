import type { Check } from './node.js'
import { absorb, traceFor } from './trace.js'

/**
 * Lets a check remember what it said about each value of a run, so that schemas which lead to it on many ways do not
 * multiply the work.
 */
export function rememberingCheck(check: Check): Check {
  return (value, run, trace) => {
    const known = run.verdict(check, value, trace !== undefined)
    if (known !== undefined) {
      if (trace !== undefined && known.trace !== undefined) absorb(trace, known.trace.copy())
      return known.ok
    }
    const learnt = trace === undefined ? undefined : traceFor(value)
    const ok = check(value, run, learnt)
    run.remember(check, value, ok, learnt)
    if (trace !== undefined && learnt !== undefined) absorb(trace, learnt.copy())
    return ok
  }
}
