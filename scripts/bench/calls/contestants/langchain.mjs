import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage } from '@langchain/core/messages'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'
import { finalText, scripted } from '../script.mjs'
import { texts } from '../stock.mjs'
import { packageVersion } from './package-version.mjs'

export const name = `langchain ${packageVersion('langchain')}`

/** Returns a function that makes one run. */
export function prepare({ service, kind }) {
  const model = new FakeModel(scripted(kind))
  const stockLevel = tool(async ({ sku }) => service.stockLevel(sku), {
    name: texts.tool,
    description: texts.description,
    schema: z.object({ sku: z.string().min(1) }),
  })
  const agent = createAgent({ model, tools: [stockLevel], systemPrompt: texts.instructions })
  const messages = [{ role: 'user', content: texts.question }]
  return () => {
    model.turn = 0
    return agent.invoke({ messages }, { recursionLimit: 4 * kind.calls + 10 })
  }
}

export const textOf = ({ messages }) => messages.at(-1).content

export const messagesOf = ({ messages }) => messages

export const resultsOf = ({ messages }) =>
  messages.filter(({ type }) => type === 'tool').map(({ content }) => JSON.parse(content))

class FakeModel extends BaseChatModel {
  turn = 0
  #callsIn

  constructor(callsIn) {
    super({})
    this.#callsIn = callsIn
  }

  _llmType() {
    return 'fake'
  }

  bindTools() {
    return this
  }

  async _generate(messages) {
    const calls = this.#callsIn(this.turn)
    this.turn += 1
    const message =
      calls.length === 0
        ? new AIMessage(finalText(JSON.parse(messages.at(-1).content)))
        : new AIMessage({
            content: '',
            tool_calls: calls.map(({ id, sku }) => ({ type: 'tool_call', id, name: texts.tool, args: { sku } })),
          })
    return { generations: [{ text: '', message }] }
  }
}
