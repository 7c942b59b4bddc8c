import type { AgentToolOptions } from '../../contract/agent-toolset.js'
import type { ChatMessage } from '../../contract/chat-message.js'
import type { ExecutorRequest } from '../../contract/executor.js'
import { templateText } from '../../event/hint-text.js'

/** The conversation that serves a call of an agent's tool. */
export async function firstMessages(
  { text, template, systemPrompt }: AgentToolOptions<any>,
  request: ExecutorRequest,
): Promise<readonly ChatMessage[]> {
  const content = text ?? (template === undefined ? await plainTask(request) : await filled(template, request))
  const asked: ChatMessage = { role: 'user', content }
  return systemPrompt === undefined ? [asked] : [{ role: 'system', content: systemPrompt }, asked]
}

/** What the tool is for, and the arguments as they were sent: without what the runtime fills in. */
async function plainTask({ tool, json }: ExecutorRequest): Promise<string> {
  return `${tool.description}\n\n${await json()}`
}

async function filled(template: string, { payload }: ExecutorRequest): Promise<string> {
  return templateText(template, await payload())
}
