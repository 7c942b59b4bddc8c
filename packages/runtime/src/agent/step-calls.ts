import type { ToolOutcome } from '../contract/outcome.js'
import type { CallGroup } from '../execute/call/call-group.js'
import type { CallListener } from '../execute/call/execute-call.js'
import type { NamedCall } from './call-messages.js'

/** How the calls of one step are run. */
export interface CallsPlan {
  /** How many run at once. */
  readonly parallelism: number
  /** Whether the first call that does not complete cancels the others. */
  readonly failFast: boolean
  /** Cancels all of them. */
  readonly signal: AbortSignal
  /** Tells the listener of the call's outcome, not before it returns. */
  readonly begin: (call: NamedCall, index: number, listener: CallListener) => void
  /** What the calls are begun in. */
  readonly group: CallGroup
}

/**
 * Runs the calls of one step, so many at once, and gives their outcomes in call order. A final value ends the others as
 * cancelled; so does, with `failFast`, the first failure. Every call is executed, one that is cancelled before it began
 * too, so that each has its outcome and its events.
 */
export async function stepCalls(calls: readonly NamedCall[], plan: CallsPlan): Promise<readonly ToolOutcome[]> {
  const { group, signal } = plan
  const cancel = (): void => group.abort(signal.reason)
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel)
  try {
    return await new Promise((resolve) => runCalls(calls, plan, resolve))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

function runCalls(
  calls: readonly NamedCall[],
  { parallelism, failFast, begin, group }: CallsPlan,
  listener: (outcomes: readonly ToolOutcome[]) => void,
): void {
  const outcomes: ToolOutcome[] = []
  let next = 0
  let open = 0
  const ended = (index: number, outcome: ToolOutcome): void => {
    outcomes[index] = outcome
    if (outcome.stop !== undefined) group.abort(abortError('another call ended the run'))
    else if (failFast && outcome.status === 'failed') group.abort(abortError('another call of the step failed'))
    open -= 1
    beginMore()
  }
  const beginMore = (): void => {
    while (open < parallelism && next < calls.length) {
      const index = next
      const call = calls[index]
      if (call === undefined) break
      next += 1
      open += 1
      begin(call, index, (outcome) => ended(index, outcome))
    }
    if (open === 0) listener(outcomes)
  }
  beginMore()
}

function abortError(message: string): DOMException {
  return new DOMException(message, 'AbortError')
}
