import type { ToolCall } from '../contract/call.js'
import type { MetaField } from '../contract/meta.js'
import type { ToolOutcome } from '../contract/outcome.js'
import { CallGroup } from '../execute/call/call-group.js'

/** How the calls of one step are run. */
export interface CallsPlan {
  /** How many run at once. */
  readonly parallelism: number
  /** Whether the first call that does not complete cancels the others. */
  readonly failFast: boolean
  /** Cancels all of them. */
  readonly signal: AbortSignal
  readonly execute: (call: ToolCall<unknown, MetaField>, group: CallGroup) => Promise<ToolOutcome>
}

/**
 * Runs the calls of one step, so many at once, and gives their outcomes in call order. A final value ends the others as
 * cancelled; so does, with `failFast`, the first failure. Every call is executed, one that is cancelled before it began
 * too, so that each has its outcome and its events.
 */
export async function stepCalls(
  calls: readonly ToolCall<unknown, MetaField>[],
  { parallelism, failFast, signal, execute }: CallsPlan,
): Promise<readonly ToolOutcome[]> {
  const group = new CallGroup()
  const cancel = (): void => group.abort(signal.reason)
  if (signal.aborted) cancel()
  else signal.addEventListener('abort', cancel)
  const outcomes: ToolOutcome[] = []
  try {
    await new Promise<void>((resolve, reject) => {
      let next = 0
      let open = 0
      const begin = (): void => {
        while (open < parallelism && next < calls.length) {
          const index = next
          const call = calls[index]
          if (call === undefined) break
          next += 1
          open += 1
          execute(call, group).then((outcome) => {
            outcomes[index] = outcome
            if (outcome.stop !== undefined) group.abort(abortError('another call ended the run'))
            else if (failFast && outcome.status === 'failed') group.abort(abortError('another call of the step failed'))
            open -= 1
            begin()
          }, reject)
        }
        if (open === 0) resolve()
      }
      begin()
    })
  } finally {
    signal.removeEventListener('abort', cancel)
  }
  return outcomes
}

function abortError(message: string): DOMException {
  return new DOMException(message, 'AbortError')
}
