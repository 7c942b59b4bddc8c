import type { ModelDriver } from '@toolgen/runtime/agents'
import { toOpenAITools } from '@toolgen/runtime/projections'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

/** Returns a driver that counts the tokens of each request and response with OpenAI's encoding. */
export function counted(driver: ModelDriver): ModelDriver {
  return {
    name: driver.name,
    ask: async (request) => {
      const response = await driver.ask(request)
      const { messages, tools } = request
      const promptTokens = countTokens(JSON.stringify({ messages, tools: toOpenAITools(tools) }))
      const completionTokens = countTokens(JSON.stringify(response.message))
      return { ...response, usage: { promptTokens, completionTokens } }
    },
  }
}
