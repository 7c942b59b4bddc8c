import type { ToolCall } from '../contract/call.js'
import type { MetaField } from '../contract/meta.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { Acknowledgement } from '../contract/session.js'
import type { CallGroup } from '../execute/call/call-group.js'
import type { CallTarget } from '../execute/call/call-target.js'
import { type CallListener, refuseCall } from '../execute/call/execute-call.js'
import type { GivenOptions } from '../execute/call/given-call.js'
import type { ServedTool } from '../execute/call/tool-table.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { failedOutcome } from '../execute/hint/failed-outcome.js'
import { acknowledgement } from './acknowledgement.js'
import type { SessionJournal } from './journal.js'
import { plainOutcome } from './plain-outcome.js'
import { isSessionError } from './session-error.js'
import { StreamingCall } from './streaming-call.js'

/** A call of a streaming tool that somebody asks for. */
export interface AskedCall {
  readonly served: ServedTool
  readonly target: CallTarget
  readonly call: ToolCall<unknown, MetaField>
  readonly isRun: boolean
}

/** Begins a call; the listener is told of its outcome. */
export type CallStart = (
  call: ToolCall<unknown, MetaField>,
  options: Pick<GivenOptions, 'begun' | 'intake' | 'calls'>,
  listener: CallListener,
) => void

/** Where a streaming call is begun. */
export interface StreamingScene {
  readonly journal: SessionJournal
  readonly calls: CallGroup
  /** Told when the call is under way. */
  readonly entered: () => void
  /** Told when nothing of it is any more. */
  readonly left: () => void
}

/**
 * Begins a call of a streaming tool. It is acknowledged when its tool begins; what it came to before that is its answer.
 *
 * @param start begins it, with what it is called here and what its options need beside their own
 * @throws {SessionError} where it cannot be stored that the call has begun.
 */
export function beginStreaming(
  given: AskedCall,
  start: CallStart,
  { journal, calls, entered, left }: StreamingScene,
): Promise<ToolOutcome | Acknowledgement> {
  const { served, target, call: asked } = given
  const { full } = journal
  if (full !== undefined) {
    return Promise.resolve(refuseCall(target, asked, new ToolFailure(full, { reason: 'unavailable', action: 'wait' })))
  }
  return new Promise((resolve, reject) => {
    const call = streamingCall(given)
    entered()
    let stored: Promise<void> | undefined
    let isAcknowledged = false
    const begun: GivenOptions['begun'] = (running) => {
      call.running = running
      stored = journal.begin(call)
      stored.then(
        () => {
          isAcknowledged = true
          resolve(acknowledgement(call.facts, call.tool.spec.wireName))
        },
        (error) => call.abort(error),
      )
    }
    const intake = { update: journal.update.bind(journal, call) }
    const named = asked.toolCallId === undefined ? { ...asked, toolCallId: call.facts.callId } : asked
    start(named, { begun, intake, calls }, (outcome) => {
      if (stored === undefined) resolve(outcome)
      else if (!isAcknowledged && isGivenUp(call, calls)) {
        // Who has given the call up does not wait for a store that does not answer.
        journal.discard(call)
        resolve(outcome)
      } else {
        journal.end(call, { outcome: plainOutcome(target.table, unsuspended(outcome, given), served) })
        stored.catch((error) => (isAnswerWithout(error, outcome) ? resolve(outcome) : reject(error)))
      }
      left()
    })
  })
}

/** Whether a call was aborted by who asks for it, and not by its session. */
function isGivenUp({ running, isDiscarded, hasEnded }: StreamingCall, ofSession: CallGroup): boolean {
  if (running?.aborted === undefined || isDiscarded || hasEnded) return false
  return running.aborted.reason !== ofSession.aborted?.reason
}

/** @throws where the source of ids, or the clock, fails. */
function streamingCall({ served: { tool }, target, call, isRun }: AskedCall): StreamingCall {
  const { effects } = target.context
  const callId = effects.newId('toolCall')
  const now = effects.now()
  // A clock of the application's own may say what cannot be stored.
  const startedAt = Number.isFinite(now) && now > 0 ? now : 0
  return new StreamingCall({ tool, callId, toolCallId: call.toolCallId, isRun, startedAt })
}

/** A call that has begun cannot wait for somebody any more: who would answer has been told that it goes on. */
function unsuspended(
  outcome: ToolOutcome,
  { served: { tool }, call: { arguments: rejected } }: AskedCall,
): ToolOutcome {
  if (outcome.status !== 'suspended') return outcome
  const { call, provenance } = outcome
  const { tool: _, durationMs, attempts, ...detail } = provenance
  const message = 'The call came to wait for somebody after it had begun, and nobody can answer it there.'
  const failed = { call, tool, rejected, durationMs, attempts, detail }
  return failedOutcome({ reason: 'internal', message, action: 'replan' }, failed)
}

/** Whether a result may be given at once that could not be acknowledged: the work is done, and nobody else has it. */
function isAnswerWithout(error: unknown, { status }: ToolOutcome): boolean {
  return isSessionError(error) && error.code === 'store_failed' && status === 'completed'
}
