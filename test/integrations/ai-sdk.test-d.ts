// `ai-sdk-7.json` checks this module with the types of version 7 of the AI SDK.
import type { BoundAgent, HasApproval } from '@toolgen/runtime'
import { aiSdkExecutor, aiSdkTools, keepMalformed } from '@toolgen/runtime/ai-sdk'
import { generateText, type LanguageModel, type ToolSet } from 'ai'

declare const plain: BoundAgent
declare const asking: BoundAgent<HasApproval>
declare const model: LanguageModel

export const tools: ToolSet = {
  ...aiSdkTools(plain, { context: ({ messages }) => ({ sessionId: String(messages.length) }) }),
  ...aiSdkTools(asking, { approvals: 'framework' }),
}
await generateText({ model, tools, prompt: 'Help.', experimental_repairToolCall: keepMalformed(tools) })
aiSdkExecutor(tools, { messages: [{ role: 'user', content: 'Help.' }] })
