import type { CompletedCall, SessionEntry, SessionUpdate } from '../contract/session.js'

/** Entries of calls that have ended, call by call in the order of their ends. */
export function completedCalls(entries: readonly SessionEntry[]): readonly CompletedCall[] {
  const updates = new Map<string, SessionUpdate[]>()
  for (const entry of entries) {
    if (entry.kind !== 'update') continue
    const ofCall = updates.get(entry.callId)
    if (ofCall === undefined) updates.set(entry.callId, [entry])
    else ofCall.push(entry)
  }
  return entries
    .filter((entry) => entry.kind === 'completed')
    .map((completion) => ({ completion, updates: updates.get(completion.callId) ?? [] }))
}
