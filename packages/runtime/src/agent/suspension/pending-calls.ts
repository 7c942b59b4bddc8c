import type { Mutable } from '../../contract/mutable.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { CallSuspension, PendingCall, StoredOutcome } from '../../contract/suspension.js'

/** What somebody has to answer before calls go on, in call order: their own waits, and those of runs beneath them. */
export function pendingCalls(
  outcomes: readonly (ToolOutcome | StoredOutcome)[],
  agent: string,
): readonly PendingCall[] {
  return outcomes
    .filter((outcome) => outcome.status === 'suspended')
    .flatMap(({ suspension }) => pendingOf(suspension, agent))
}

/** The id under which the wait of a call is answered: that of the call, so written that joined ids stay unique. */
export function pendingId(toolCallId: string): string {
  return toolCallId.replaceAll('~', '~0').replaceAll('/', '~1')
}

function pendingOf(
  { kind, call, arguments: sent, adapted, prompt, nested }: CallSuspension,
  agent: string,
): readonly PendingCall[] {
  const id = pendingId(call.toolCallId)
  if (nested !== undefined && nested.pending.length > 0) {
    return nested.pending.map((pending) => ({ ...pending, id: `${id}/${pending.id}` }))
  }
  const pending: Mutable<PendingCall> = { id, kind, agent: nested?.agent ?? agent, call, arguments: sent }
  if (adapted !== undefined) pending.adapted = adapted
  if (prompt !== undefined) pending.prompt = prompt
  return [pending]
}
