import { generateText, stepCountIs, tool } from 'ai'
import { z } from 'zod'
import { askedIn, callCount, finalText, wording } from '../stock.mjs'
import { packageVersion } from './package-version.mjs'

/** With the version, as the report shows it. */
export const name = `ai ${packageVersion('ai')}`

/** Prepares the tool over the service; the function returned makes one run and resolves with its last words. */
export function prepare({ service, callsPerTurn }) {
  const tools = {
    [wording.tool]: tool({
      description: wording.description,
      inputSchema: z.object({ sku: z.string().min(1) }),
      execute: async ({ sku }) => service.stockLevel(sku),
    }),
  }
  return async () => {
    const { text } = await generateText({
      model: fakeModel(callsPerTurn),
      tools,
      system: wording.instructions,
      prompt: wording.question,
      stopWhen: stepCountIs(callCount + 10),
    })
    return text
  }
}

/** Plain, because the package's mock keeps every prompt it was ever given. */
function fakeModel(callsPerTurn) {
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
      const asked = askedIn(turn, callsPerTurn)
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
      const content = asked.map((sku) => ({
        type: 'tool-call',
        toolCallId: sku,
        toolName: wording.tool,
        input: JSON.stringify({ sku }),
      }))
      return { content, finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, warnings: [] }
    },
  }
}
