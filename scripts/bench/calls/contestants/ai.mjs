import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'
import { finalText, scripted } from '../script.mjs'
import { texts } from '../stock.mjs'
import { packageVersion } from './package-version.mjs'

/** The name in the report. */
export const name = `ai ${packageVersion('ai')}`

/** Returns the function that makes one run of this kind. */
export function prepare({ service, kind }) {
  const callsIn = scripted(kind)
  const tools = {
    [texts.tool]: tool({
      description: texts.description,
      inputSchema: z.object({ sku: z.string().min(1) }),
      execute: async ({ sku }) => service.stockLevel(sku),
    }),
  }
  return () =>
    generateText({
      model: fakeModel(callsIn),
      tools,
      system: texts.instructions,
      prompt: texts.question,
      stopWhen: stepCountIs(kind.calls + 10),
    })
}

export const textOf = ({ text }) => text

export const messagesOf = ({ response }) => [{ role: 'user', content: texts.question }, ...response.messages]

export const resultsOf = ({ response }) =>
  response.messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content.map(({ output }) => output.value))

/** The mock of the package keeps all prompts, so it is not used. */
function fakeModel(callsIn) {
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
    async doGenerate({ prompt }) {
      const calls = callsIn(turn)
      turn += 1
      if (calls.length === 0) {
        const text = finalText(prompt.at(-1).content.at(-1).output.value)
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
        toolName: texts.tool,
        input,
      }))
      return { content, finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [] }
    },
  }
}
