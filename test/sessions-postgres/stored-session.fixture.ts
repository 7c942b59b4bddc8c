import type { StoredOutcome } from '../../packages/runtime/src/types/outcome.js'
import type { SessionEntry, StoredSession } from '../../packages/runtime/src/types/session.js'

const call = { tool: 'reports.build', toolCallId: 'model-1' } as const
const provenance = { tool: 'reports.build', durationMs: 12.5, attempts: 1 } as const

export const completed = (json: string): StoredOutcome => ({ call, provenance, status: 'completed', json })

export const failed: StoredOutcome = {
  call,
  provenance,
  status: 'failed',
  error: { reason: 'unavailable', message: 'The service is down.' },
  hint: {
    reason: 'unavailable',
    action: 'wait',
    retryAfterMs: 1_000,
    tool: 'reports.build',
    message: 'Try again in a second.',
  },
}

export const updateEntry = (sequence: number, update: string): SessionEntry => ({
  kind: 'update',
  callId: 'call-1',
  toolCallId: 'model-1',
  tool: 'reports.build',
  isRun: false,
  sequence,
  index: sequence,
  update,
})

export const completedEntry = (sequence: number, outcome: StoredOutcome): SessionEntry => ({
  kind: 'completed',
  callId: `call-${sequence}`,
  tool: 'reports.build',
  isRun: true,
  sequence,
  outcome,
})

/** A session of the user `u-7` with an update, a result and a running call. */
export function storedSession(sessionId: string, changes: Partial<StoredSession> = {}): StoredSession {
  return {
    version: 1,
    sessionId,
    userId: 'u-7',
    namespaces: ['support'],
    availableTools: ['reports.build'],
    entries: [updateEntry(1, '{"percent":50}'), completedEntry(2, completed('{"pages":3}'))],
    running: [
      { callId: 'call-1', toolCallId: 'model-1', tool: 'reports.build', isRun: false, startedAt: 1_700_000_000_000 },
    ],
    nextSequence: 3,
    ...changes,
  }
}
