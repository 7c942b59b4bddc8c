import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { ChatResult } from '@langchain/core/outputs'
import { convertToOpenAITool } from '@langchain/core/utils/function_calling'
import { createAgent, createMiddleware } from 'langchain'
import { keepMalformed, langChainTools } from '../../packages/runtime/src/langchain.js'
import type { Framework, OfferedTool, ToldCall, WrittenCall } from './framework.js'

/** A chat model that makes these calls in each turn, and then answers `Done.` */
export class ScriptedChatModel extends BaseChatModel {
  readonly offered: OfferedTool[] = []
  readonly heard: (readonly BaseMessage[])[] = []
  readonly #turns: readonly (readonly WrittenCall[])[]

  constructor(turns: readonly (readonly WrittenCall[])[]) {
    super({})
    this.#turns = turns
  }

  override _llmType(): string {
    return 'scripted'
  }

  override bindTools(tools: Parameters<NonNullable<BaseChatModel['bindTools']>>[0]): any {
    this.offered.splice(0)
    for (const tool of tools) {
      const { name, description, parameters } = convertToOpenAITool(tool as never).function
      this.offered.push({ name, description, schema: parameters })
    }
    return this
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const calls = this.#turns[this.heard.length] ?? []
    this.heard.push(messages)
    const message = calls.length === 0 ? new AIMessage('Done.') : written(calls)
    return { generations: [{ text: '', message }] }
  }
}

/** Converts calls to a message. Like real chat models, moves calls with invalid JSON to `invalid_tool_calls`. */
function written(calls: readonly WrittenCall[]): AIMessage {
  const message = new AIMessage({ content: '', tool_calls: [], invalid_tool_calls: [] })
  for (const { id, tool: name, arguments: sent } of calls) {
    try {
      message.tool_calls?.push({ type: 'tool_call', id, name, args: JSON.parse(sent) })
    } catch {
      message.invalid_tool_calls?.push({ type: 'invalid_tool_call', id, name, args: sent })
    }
  }
  return message
}

/** Returns the tool messages at the end of a conversation. */
export function toolMessages(messages: readonly BaseMessage[]): readonly ToolMessage[] {
  const last = messages.findLastIndex((message) => !ToolMessage.isInstance(message))
  return messages.slice(last + 1).filter((message) => ToolMessage.isInstance(message))
}

function toldIn(messages: readonly BaseMessage[]): readonly ToldCall[] {
  return toolMessages(messages).map(({ tool_call_id: id, content }) => ({ id, text: String(content) }))
}

export const langChain: Framework = {
  name: 'LangChain',
  play: async (bound, turns, { signal, ...options } = {}) => {
    const model = new ScriptedChatModel(turns)
    const tools = langChainTools(bound, options)
    const kept = keepMalformed(tools)
    const middleware = [
      createMiddleware({ name: 'kept', wrapModelCall: async (request, ask) => kept(await ask(request)) }),
    ]
    const agent = createAgent({ model, tools, middleware })
    const config = { recursionLimit: 200, ...(signal && { signal }) }
    const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Help me.' }] }, config)
    return {
      text: String(messages.at(-1)?.content),
      offered: model.offered,
      told: model.heard.slice(1).map(toldIn),
    }
  },
}
