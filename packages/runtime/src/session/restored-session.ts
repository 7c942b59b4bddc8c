import type { Effects } from '../contract/effects.js'
import type { SessionCall, SessionCompletion, StoredCall, StoredSession } from '../contract/session.js'
import { endedByUs } from './ended-calls.js'
import type { SessionTools } from './session-tools.js'

/** A stored session as it goes on: nothing of it runs any more. */
export interface RestoredSession {
  readonly state: StoredSession
  /** The calls that ran when the process that had them ended. */
  readonly interrupted: readonly SessionCall[]
  /** The ids of tools that the session had and that there are no more. */
  readonly missingTools: readonly string[]
}

/** A stored session as it goes on: calls that ran have failed as interrupted, after all that came before. */
export function restoredSession(
  stored: StoredSession,
  tools: SessionTools,
  { now }: Pick<Effects, 'now'>,
): RestoredSession {
  const known = new Set(tools.ids)
  const interrupted = stored.running.map((call, index) =>
    interruption(call, stored.nextSequence + index, tools, Math.max(0, now() - call.startedAt)),
  )
  const state: StoredSession = {
    ...stored,
    availableTools: tools.ids,
    entries: [...stored.entries, ...interrupted],
    running: [],
    nextSequence: stored.nextSequence + interrupted.length,
  }
  return {
    state,
    interrupted: stored.running.map(({ startedAt: _at, droppedUpdates: _dropped, ...facts }) => facts),
    missingTools: Object.freeze(stored.availableTools.filter((id) => !known.has(id))),
  }
}

/** @param durationMs until now: when the call was interrupted is not known */
function interruption(
  { startedAt: _, droppedUpdates, ...facts }: StoredCall,
  sequence: number,
  tools: SessionTools,
  durationMs: number,
): SessionCompletion {
  const tool = tools.find(facts.tool)?.served.tool
  return Object.freeze({
    kind: 'completed',
    sequence,
    ...facts,
    outcome: endedByUs(facts, { reason: 'interrupted', message: '', tool, durationMs }),
    ...(droppedUpdates !== undefined && { droppedUpdates }),
  })
}
