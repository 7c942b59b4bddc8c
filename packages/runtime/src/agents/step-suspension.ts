import { pointerSegment } from '../schema/json-pointer.js'
import type {
  CallSuspension,
  PendingCall,
  StepSuspension,
  StoredOutcome,
  SuspendedCall,
  ToolOutcome,
} from '../types/outcome.js'

type AnyOutcome = ToolOutcome | StoredOutcome

export function stepSuspension(
  outcomes: readonly AnyOutcome[],
  agent: string,
  calls: readonly SuspendedCall[],
): StepSuspension | undefined {
  if (outcomes.every(({ status }) => status !== 'suspended')) return undefined
  const pending = pendingCalls(outcomes, agent)
  if (pending.length === 0) return undefined
  const kind = (['approval', 'external', 'elicitation'] as const).find((each) =>
    pending.some((wait) => wait.kind === each),
  )
  if (kind !== undefined) return { calls, kind, pending }
  const question = pending.flatMap(({ prompt }) => prompt ?? []).join('\n')
  const missing = outcomes.flatMap((outcome) => {
    const nested = outcome.status === 'suspended' ? outcome.suspension.nested : undefined
    return nested?.kind === 'clarification' ? nested.fields : []
  })
  return { calls, kind: 'clarification', question, fields: missing, pending }
}

export function pendingCalls(outcomes: readonly AnyOutcome[], agent: string): readonly PendingCall[] {
  const suspended = outcomes.filter((outcome) => outcome.status === 'suspended')
  return suspended.flatMap(({ suspension }) => pendingOf(suspension, agent))
}

export function questionId(id: string, key: string): string {
  return `${id}/${pointerSegment(key)}`
}

function pendingOf(suspension: CallSuspension, agent: string): readonly PendingCall[] {
  const { kind, call, arguments: sent, adapted, prompt, nested, elicitation } = suspension
  const id = pointerSegment(call.toolCallId)
  if (nested !== undefined && nested.pending.length > 0) {
    return nested.pending.map((pending) => ({ ...pending, id: `${id}/${pending.id}` }))
  }
  const pending: PendingCall = {
    id,
    kind,
    agent: nested?.agent ?? agent,
    call,
    arguments: sent,
    ...(adapted !== undefined && { adapted }),
    ...(prompt !== undefined && { prompt }),
  }
  if (elicitation === undefined) return [pending]
  return Object.entries(elicitation.questions).map(([key, question]) => ({
    ...pending,
    id: questionId(id, key),
    prompt: question.message,
    question,
  }))
}
