import { Agent, type AgentInputItem, Runner } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { openAiAgentsTools } from '../../packages/runtime/src/openai-agents.js'
import type { Framework, ToldCall, WrittenCall } from './framework.js'

/** Returns a model of the SDK that makes these calls in each turn, and then answers `Done.` */
export function scripted(turns: readonly (readonly WrittenCall[])[]): ScriptedModel {
  return new ScriptedModel([
    ...turns.map((calls) => calls.map(({ id, tool, arguments: sent }) => functionCall(tool, sent, { callId: id }))),
    [assistantMessage('Done.')],
  ])
}

/** A runner without tracing, which reports unknown tools to the model. */
export const runner: Runner = new Runner({ tracingDisabled: true, toolNotFoundBehavior: 'return_error_to_model' })

/** Returns the tool results at the end of a model's input. */
export function toldIn(input: string | readonly AgentInputItem[]): readonly ToldCall[] {
  if (typeof input === 'string') return []
  const last = input.findLastIndex((item) => item.type !== 'function_call_result')
  return input.slice(last + 1).flatMap((item) => {
    if (item.type !== 'function_call_result') return []
    const { callId: id, output } = item
    return [{ id, text: typeof output === 'object' && 'text' in output ? output.text : String(output) }]
  })
}

export const openAiAgents: Framework = {
  name: 'the OpenAI Agents SDK',
  play: async (bound, turns, { signal, ...options } = {}) => {
    const model = scripted(turns)
    const agent = new Agent({ name: 'support', model, tools: openAiAgentsTools(bound, { strict: false, ...options }) })
    const { finalOutput } = await runner.run(agent, 'Help me.', { maxTurns: 100, ...(signal && { signal }) })
    const [first, ...later] = model.calls.map(({ request }) => request)
    return {
      text: String(finalOutput),
      offered: (first?.tools ?? []).flatMap((tool) =>
        tool.type === 'function' ? [{ name: tool.name, description: tool.description, schema: tool.parameters }] : [],
      ),
      told: later.map(({ input }) => toldIn(input)),
    }
  },
}
