import type { ToolOutcome } from '../../contract/outcome.js'
import type { ClarificationField, StepSuspension } from '../../contract/suspension.js'
import type { NamedCall } from '../call-messages.js'
import { suspendedCall } from '../suspended-call.js'
import { pendingCalls } from './pending-calls.js'

/** What a step waits for whose calls have these outcomes; `undefined` where none of them waits. */
export function stepSuspension(
  named: readonly NamedCall[],
  outcomes: readonly ToolOutcome[],
  agent: string,
): StepSuspension | undefined {
  const pending = pendingCalls(outcomes, agent)
  if (pending.length === 0) return undefined
  const calls = named.map(suspendedCall)
  const kind = (['approval', 'external'] as const).find((each) => pending.some((wait) => wait.kind === each))
  if (kind !== undefined) return { calls, kind, pending }
  const asked = pending.flatMap(({ prompt }) => prompt ?? [])
  return { calls, kind: 'clarification', question: asked.join('\n'), fields: fieldsOf(outcomes), pending }
}

/** The fields that runs beneath the calls ask for. */
function fieldsOf(outcomes: readonly ToolOutcome[]): readonly ClarificationField[] {
  return outcomes.flatMap((outcome) => {
    const nested = outcome.status === 'suspended' ? outcome.suspension.nested : undefined
    return nested?.kind === 'clarification' ? nested.fields : []
  })
}
