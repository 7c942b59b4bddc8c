import { Agent, Runner, setTracingDisabled, tool, Usage } from '@openai/agents'
import { z } from 'zod'
import { askedIn, callCount, finalText, wording } from '../stock.mjs'
import { packageVersion } from './package-version.mjs'

/** With the version, as the report shows it. */
export const name = `@openai/agents ${packageVersion('@openai/agents')}`

setTracingDisabled(true)

/** Prepares the tool over the service; the function returned makes one run and resolves with its last words. */
export function prepare({ service, callsPerTurn }) {
  const tools = [
    tool({
      name: wording.tool,
      description: wording.description,
      parameters: z.object({ sku: z.string().min(1) }),
      execute: async ({ sku }) => service.stockLevel(sku),
    }),
  ]
  const runner = new Runner({ tracingDisabled: true })
  return async () => {
    const agent = new Agent({
      name: 'counter',
      instructions: wording.instructions,
      model: fakeModel(callsPerTurn),
      tools,
    })
    const { finalOutput } = await runner.run(agent, wording.question, { maxTurns: callCount + 10 })
    return finalOutput
  }
}

function fakeModel(callsPerTurn) {
  let turn = 0
  return {
    async getResponse({ input }) {
      const asked = askedIn(turn, callsPerTurn)
      turn += 1
      const usage = new Usage({ requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 })
      if (asked.length === 0) {
        const text = finalText(JSON.parse(input.at(-1).output.text))
        const content = [{ type: 'output_text', text }]
        return { usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content }] }
      }
      const output = asked.map((sku) => ({
        type: 'function_call',
        callId: sku,
        name: wording.tool,
        status: 'completed',
        arguments: JSON.stringify({ sku }),
      }))
      return { usage, output }
    },
  }
}
