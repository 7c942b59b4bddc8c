import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'
import { finalText, scripted } from '../script.mjs'
import { wording } from '../stock.mjs'
import { packageVersion } from './package-version.mjs'

/** With the version, as the report shows it. */
export const name = `ai ${packageVersion('ai')}`

/** Prepares the tool over the service; the function returned makes one run of the kind. */
export function prepare({ service, kind }) {
  const callsIn = scripted(kind)
  const tools = {
    [wording.tool]: tool({
      description: wording.description,
      inputSchema: z.object({ sku: z.string().min(1) }),
      execute: async ({ sku }) => service.stockLevel(sku),
    }),
  }
  return () =>
    generateText({
      model: fakeModel(callsIn),
      tools,
      system: wording.instructions,
      prompt: wording.question,
      stopWhen: stepCountIs(kind.calls + 10),
    })
}

export const textOf = ({ text }) => text

export const messagesOf = ({ response }) => [{ role: 'user', content: wording.question }, ...response.messages]

export const resultsOf = ({ response }) =>
  response.messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content.map(({ output }) => output.value))

/** Plain, because the package's mock keeps every prompt it was ever given. */
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
      const asked = callsIn(turn)
      turn += 1
      if (asked.length === 0) {
        const text = finalText(prompt.at(-1).content.at(-1).output.value)
        return {
          content: [{ type: 'text', text }],
          finishReason: { unified: 'stop', raw: 'stop' },
          usage,
          warnings: [],
        }
      }
      const content = asked.map(({ id, arguments: input }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: wording.tool,
        input,
      }))
      return { content, finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [] }
    },
  }
}
