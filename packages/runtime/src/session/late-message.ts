import type { ChatMessage } from '../contract/chat-message.js'
import type { SessionCompletion } from '../contract/session.js'
import type { ToolTable } from '../execute/call/tool-table.js'
import { renderForModel } from '../execute/render/render-for-model.js'

/** What a model is told when a call has ended that was acknowledged before. */
export function lateMessage({ callId, tool, outcome }: SessionCompletion, table: ToolTable): ChatMessage {
  const name = table.find(tool)?.tool.spec.wireName ?? tool
  const content = `The call '${callId}' of the tool '${name}' has ended. Its result:\n${renderForModel(outcome)}`
  return Object.freeze({ role: 'user', content })
}
