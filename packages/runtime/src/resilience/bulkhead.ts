import type { ToolLayer } from '../contract/layer.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { abortedOutcome, endOf } from './call-end.js'
import { requireWhole } from './number-options.js'
import { Slots } from './slots.js'
import { type StateScope, stateOf } from './state-scope.js'

/** How a bulkhead is built. */
export interface BulkheadOptions {
  /** How many calls may run at a time. */
  readonly concurrent: number
  /** How many more may wait in line; 0: none. Default 100. */
  readonly queue?: number
  /** Whose calls are counted together. Default `layer`: what is protected is mostly the service of all these tools. */
  readonly per?: StateScope
}

/**
 * Lets only so many calls run at a time. Others wait in line; where the line is full a call fails at once as `unavailable`,
 * and a call that is cancelled leaves it at once. Calls that a running call causes pass without waiting.
 *
 * @throws {RangeError} when `concurrent` is no whole number from 1 on, or `queue` none from 0 on.
 *
 * @example
 * registration.layer(bulkhead({ concurrent: 4, queue: 20 }))
 */
export function bulkhead({ concurrent, queue = 100, per = 'layer' }: BulkheadOptions): ToolLayer {
  requireWhole('bulkhead: concurrent', concurrent, 1)
  requireWhole('bulkhead: queue', queue, 0)
  const slotsOfTool = stateOf(per, () => new Slots(concurrent, queue))
  return (next) => {
    const slots = slotsOfTool()
    return async (request) => {
      const outcome = await slots.run(request.call, request.meta.signal, () => endOf(next, request))
      if (outcome === 'cancelled') return abortedOutcome(request)
      return outcome === 'full' ? request.fail(refusal()) : outcome
    }
  }
}

function refusal(): ToolFailure {
  return new ToolFailure('Too many calls of the tool are under way.', { reason: 'unavailable', action: 'wait' })
}
