import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage } from '@langchain/core/messages'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'
import { askedIn, callCount, finalText, wording } from '../stock.mjs'
import { packageVersion } from './package-version.mjs'

/** With the version, as the report shows it. */
export const name = `langchain ${packageVersion('langchain')}`

/** Prepares the tool over the service; the function returned makes one run and resolves with its last words. */
export function prepare({ service, callsPerTurn }) {
  const model = new FakeModel(callsPerTurn)
  const stockLevel = tool(async ({ sku }) => service.stockLevel(sku), {
    name: wording.tool,
    description: wording.description,
    schema: z.object({ sku: z.string().min(1) }),
  })
  const agent = createAgent({ model, tools: [stockLevel], systemPrompt: wording.instructions })
  const messages = [{ role: 'user', content: wording.question }]
  return async () => {
    model.turn = 0
    const state = await agent.invoke({ messages }, { recursionLimit: 4 * callCount })
    return state.messages.at(-1).content
  }
}

class FakeModel extends BaseChatModel {
  turn = 0
  #callsPerTurn

  constructor(callsPerTurn) {
    super({})
    this.#callsPerTurn = callsPerTurn
  }

  _llmType() {
    return 'fake'
  }

  bindTools() {
    return this
  }

  async _generate(messages) {
    const asked = askedIn(this.turn, this.#callsPerTurn)
    this.turn += 1
    const message =
      asked.length === 0
        ? new AIMessage(finalText(JSON.parse(messages.at(-1).content)))
        : new AIMessage({
            content: '',
            tool_calls: asked.map((sku) => ({ type: 'tool_call', id: sku, name: wording.tool, args: { sku } })),
          })
    return { generations: [{ text: '', message }] }
  }
}
