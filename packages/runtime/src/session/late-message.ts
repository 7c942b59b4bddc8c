import type { ChatMessage } from '../contract/chat-message.js'
import type { SessionCompletion } from '../contract/session.js'
import type { StoredOutcome } from '../contract/suspension.js'
import { renderForModel } from '../execute/render/render-for-model.js'

/** What a model is told when a call has ended that was acknowledged before: under both ids that the acknowledgement has. */
export function lateMessage(
  { callId, toolCallId, tool, outcome }: SessionCompletion,
  wireNameOf: (tool: string) => string | undefined,
): ChatMessage {
  const ids = toolCallId === undefined || toolCallId === callId ? `'${callId}'` : `'${callId}' ('${toolCallId}')`
  const ended = outcome.status === 'completed' ? 'has ended. Its result:' : `has ${outcome.status}:`
  const content = `The call ${ids} of the tool '${wireNameOf(tool) ?? tool}' ${ended}\n${toldOf(outcome)}`
  return Object.freeze({ role: 'user', content })
}

/** As JSON, so that no text of a tool can pass for words of the user's. */
function toldOf(outcome: StoredOutcome): string {
  try {
    const told = renderForModel(outcome)
    return outcome.status === 'completed' ? told : JSON.stringify(told)
  } catch {
    // A store of the application's own may give anything.
    return '"It cannot be shown."'
  }
}
