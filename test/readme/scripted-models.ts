/**
 * Module with the scripted models of the examples, one for each framework. Each makes an invalid call first, then a valid one, then answers. If the
 * user asks to cancel, the model cancels the order.
 */
export const scriptedModels = `import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { type Model, setTracingDisabled, Usage } from '@openai/agents'
import { MockLanguageModelV3 } from 'ai/test'

type LanguageModelV3 = InstanceType<typeof MockLanguageModelV3>
type LanguageModelV3StreamPart = Awaited<ReturnType<LanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never

setTracingDisabled(true)

/** Returns the next step of the model after a question, or after the result of a call. */
export function next(question: string, told: string | undefined): string | { readonly tool: string; readonly sent: object } {
  if (told === undefined) {
    if (question.includes('Cancel')) return { tool: 'orders_cancelOrder', sent: { orderId: 'A-1001' } }
    return { tool: 'orders_getOrder', sent: { orderID: 'A-1001' } }
  }
  if (told.startsWith('Invalid')) return { tool: 'orders_getOrder', sent: { orderId: 'A-1001' } }
  return told.includes('cancelled') ? 'Order A-1001 is cancelled.' : 'Order A-1001 has shipped.'
}

const tokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0, text: 1, reasoning: 0 }
let written = 0

const languageModelAnswer: LanguageModelV3['doGenerate'] = async ({ prompt }) => {
    const result = prompt.flatMap(({ role, content }) => (role === 'tool' ? content : [])).at(-1)
    const told = result?.type === 'tool-result' && 'value' in result.output ? String(result.output.value) : undefined
    const said = next(JSON.stringify(prompt), told)
    const usage = { inputTokens: tokens, outputTokens: tokens }
    if (typeof said === 'string') {
      return { content: [{ type: 'text', text: said }], finishReason: { unified: 'stop', raw: 'stop' }, usage, warnings: [] }
    }
    written += 1
    const call = { type: 'tool-call' as const, toolCallId: \`call_\${written}\`, toolName: said.tool, input: JSON.stringify(said.sent) }
    return { content: [call], finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [] }
}

export const languageModel = new MockLanguageModelV3({
  doGenerate: languageModelAnswer,
  doStream: async (options) => {
    const { content, finishReason, usage, warnings } = await languageModelAnswer(options)
    const stream = new ReadableStream<LanguageModelV3StreamPart>({
      start(controller) {
        controller.enqueue({ type: 'stream-start', warnings })
        for (const part of content) {
          if (part.type === 'tool-call') controller.enqueue(part)
          if (part.type !== 'text') continue
          controller.enqueue({ type: 'text-start', id: 't' })
          controller.enqueue({ type: 'text-delta', id: 't', delta: part.text })
          controller.enqueue({ type: 'text-end', id: 't' })
        }
        controller.enqueue({ type: 'finish', finishReason, usage })
        controller.close()
      },
    })
    return { stream }
  },
})

export const agentsModel: Model = {
  getResponse: async ({ input }) => {
    const items = typeof input === 'string' ? [] : input
    const result = items.filter((item) => item.type === 'function_call_result').at(-1)
    const told = result === undefined ? undefined : typeof result.output === 'object' && 'text' in result.output ? result.output.text : String(result.output)
    const said = next(JSON.stringify(input), told)
    const usage = new Usage({ requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 })
    if (typeof said === 'string') {
      return { usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: said }] }] }
    }
    written += 1
    return { usage, output: [{ type: 'function_call', status: 'completed', callId: \`call_\${written}\`, name: said.tool, arguments: JSON.stringify(said.sent) }] }
  },
  getStreamedResponse: () => {
    throw new Error('this model does not stream')
  },
}

class ScriptedChatModel extends BaseChatModel {
  override _llmType() {
    return 'scripted'
  }
  override bindTools() {
    return this
  }
  override async _generate(messages: BaseMessage[]) {
    const told = messages.filter((message) => ToolMessage.isInstance(message)).at(-1)
    const said = next(String(messages[0]?.content), told && String(told.content))
    written += 1
    const message = typeof said === 'string'
      ? new AIMessage(said)
      : new AIMessage({ content: '', tool_calls: [{ type: 'tool_call', id: \`call_\${written}\`, name: said.tool, args: { ...said.sent } }] })
    return { generations: [{ text: '', message }] }
  }
}

export const chatModel = new ScriptedChatModel({})
`
