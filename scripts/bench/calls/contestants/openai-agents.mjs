import { Agent, Runner, setTracingDisabled, tool, Usage } from '@openai/agents'
import { z } from 'zod'
import { finalText, scripted } from '../script.mjs'
import { texts } from '../stock.mjs'
import { packageVersion } from './package-version.mjs'

export const name = `@openai/agents ${packageVersion('@openai/agents')}`

setTracingDisabled(true)

/** Returns a function that makes one run. */
export function prepare({ service, kind }) {
  const callsIn = scripted(kind)
  const tools = [
    tool({
      name: texts.tool,
      description: texts.description,
      parameters: z.object({ sku: z.string().min(1) }),
      execute: async ({ sku }) => service.stockLevel(sku),
    }),
  ]
  const runner = new Runner({ tracingDisabled: true })
  return () => {
    const agent = new Agent({
      name: 'counter',
      instructions: texts.instructions,
      model: fakeModel(callsIn),
      tools,
    })
    return runner.run(agent, texts.question, { maxTurns: kind.calls + 10 })
  }
}

export const textOf = ({ finalOutput }) => finalOutput

export const messagesOf = ({ history }) => history

export const resultsOf = ({ history }) =>
  history.filter(({ type }) => type === 'function_call_result').map(({ output }) => JSON.parse(output.text))

function fakeModel(callsIn) {
  let turn = 0
  return {
    async getResponse({ input }) {
      const calls = callsIn(turn)
      turn += 1
      const usage = new Usage({ requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 })
      if (calls.length === 0) {
        const text = finalText(JSON.parse(input.at(-1).output.text))
        const content = [{ type: 'output_text', text }]
        return { usage, output: [{ type: 'message', role: 'assistant', status: 'completed', content }] }
      }
      const output = calls.map(({ id, arguments: sent }) => ({
        type: 'function_call',
        callId: id,
        name: texts.tool,
        status: 'completed',
        arguments: sent,
      }))
      return { usage, output }
    },
  }
}
