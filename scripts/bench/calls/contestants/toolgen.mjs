import { Runtime } from '@toolgen/runtime'
import { modelPlanner } from '@toolgen/runtime/agents'
import { compiledStock } from '../generated-stock.mjs'
import { finalText, scripted } from '../script.mjs'
import { texts } from '../stock.mjs'
import { packageVersion } from './package-version.mjs'

const { registerCounter } = await compiledStock()

export const name = `toolgen ${packageVersion('@toolgen/runtime')}`

/** Returns a function that makes one run. */
export function prepare({ service, kind }) {
  const client = { countStock: async (sku) => service.stockLevel(sku) }
  const driver = new FakeDriver(scripted(kind))
  const agent = registerCounter(new Runtime(), { toolsets: { stock: { client } }, planner: modelPlanner(driver) })
  return async () => {
    driver.turn = 0
    return agent.run(texts.question)
  }
}

export const textOf = ({ result }) => result?.text

export const messagesOf = ({ messages }) => messages

export const resultsOf = ({ messages }) =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.parse(content))

export class FakeDriver {
  name = 'fake'
  turn = 0
  #callsIn

  constructor(callsIn) {
    this.#callsIn = callsIn
  }

  async ask({ messages, tools }) {
    const scriptedCalls = this.#callsIn(this.turn)
    this.turn += 1
    const usage = { promptTokens: 1, completionTokens: 1 }
    if (scriptedCalls.length === 0) {
      const content = finalText(JSON.parse(messages.at(-1).content))
      return { message: { role: 'assistant', content }, calls: [], finishReason: 'stop', usage }
    }
    const tool = tools.find((spec) => spec.name === texts.tool).toolName
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: scriptedCalls.map(({ id, arguments: sent }) => ({
        id,
        type: 'function',
        function: { name: tool, arguments: sent },
      })),
    }
    const calls = scriptedCalls.map(({ id, arguments: sent }) => ({ tool, arguments: sent, toolCallId: id }))
    return { message, calls, finishReason: 'tool_calls', usage }
  }
}
