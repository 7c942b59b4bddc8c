import type { ToolOutcome } from '../../contract/outcome.js'
import type { ClarificationField, StepSuspension, StoredOutcome, SuspendedCall } from '../../contract/suspension.js'
import { pendingCalls } from './pending-calls.js'

/** What a step waits for whose calls have these outcomes; `undefined` where none of them waits. */
export function stepSuspension(
  calls: () => readonly SuspendedCall[],
  outcomes: readonly (ToolOutcome | StoredOutcome)[],
  agent: string,
): StepSuspension | undefined {
  const pending = pendingCalls(outcomes, agent)
  if (pending.length === 0) return undefined
  const kind = (['approval', 'external'] as const).find((each) => pending.some((wait) => wait.kind === each))
  if (kind !== undefined) return { calls: calls(), kind, pending }
  const asked = pending.flatMap(({ prompt }) => prompt ?? [])
  return { calls: calls(), kind: 'clarification', question: asked.join('\n'), fields: fieldsOf(outcomes), pending }
}

/** The fields that runs beneath the calls ask for. */
function fieldsOf(outcomes: readonly (ToolOutcome | StoredOutcome)[]): readonly ClarificationField[] {
  return outcomes.flatMap((outcome) => {
    const nested = outcome.status === 'suspended' ? outcome.suspension.nested : undefined
    return nested?.kind === 'clarification' ? nested.fields : []
  })
}
