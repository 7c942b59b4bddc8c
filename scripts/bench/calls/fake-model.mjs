import { finalText } from './script.mjs'
import { texts } from './stock.mjs'

/** A scripted `LanguageModelV3`. It replaces the mock of the package `ai`, which stores all prompts. */
export function fakeModel(callsIn, resultOf) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  let turn = 0
  return {
    specificationVersion: 'v3',
    provider: 'fake',
    modelId: 'fake',
    supportedUrls: {},
    /** Starts the script again, for the next run. */
    restart() {
      turn = 0
    },
    async doGenerate({ prompt, tools }) {
      const calls = callsIn(turn)
      const toolName = tools.find(({ name }) => name.endsWith(texts.tool)).name
      turn += 1
      if (calls.length === 0) {
        const text = finalText(resultOf(prompt.at(-1).content.at(-1).output))
        return {
          content: [{ type: 'text', text }],
          finishReason: { unified: 'stop', raw: 'stop' },
          usage,
          warnings: [],
        }
      }
      const content = calls.map(({ id, arguments: input }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName,
        input,
      }))
      return { content, finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [] }
    },
  }
}
