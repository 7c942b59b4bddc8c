import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage } from '@langchain/core/messages'
import { Command, interrupt } from '@langchain/langgraph'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { createAgent, tool } from 'langchain'
import { z } from 'zod'
import { callsOf, packageVersion } from './script.js'

export const name = `langgraph ${packageVersion('@langchain/langgraph')}`

/** Creates the tables. */
export async function prepare({ database }) {
  const checkpointer = PostgresSaver.fromConnString(database)
  await checkpointer.setup()
  await checkpointer.end()
}

/** Serves the agent in this process. See `contestant-process.mjs`. */
export function open({ database, effect }) {
  const schema = z.object({ id: z.string() })
  const cancel = tool(({ id }) => effect(`cancel ${id}`), { name: 'cancel', description: 'Cancels an order.', schema })
  const refund = tool(
    ({ id }) => {
      interrupt('Approve?')
      return effect(`refund ${id}`)
    },
    { name: 'refund', description: 'Refunds an order.', schema },
  )
  const parts = { model: new ScriptedModel({}), tools: [cancel, refund] }
  const agent = createAgent({ ...parts, checkpointer: PostgresSaver.fromConnString(database) })
  const plain = createAgent(parts)
  // `sync` is the safest setting: it writes each checkpoint before the next step.
  const configOf = (runId) => ({ configurable: { thread_id: runId }, durability: 'sync', recursionLimit: 1_000 })
  const inputOf = (script) => ({ messages: [{ role: 'user', content: script }] })
  const textOf = ({ messages }) => messages.at(-1).content
  return {
    start: async (runId) => runId,
    async finish(runId, script) {
      const { values } = await agent.graph.getState(configOf(runId))
      const isStarted = values?.messages !== undefined
      return textOf(await agent.invoke(isStarted ? null : inputOf(script), configOf(runId)))
    },
    async approve(runId, script) {
      await agent.invoke(inputOf(script), configOf(runId))
      return async () => textOf(await agent.invoke(new Command({ resume: true }), configOf(runId)))
    },
    plain: async (script) => textOf(await plain.invoke(inputOf(script), { recursionLimit: 1_000 })),
  }
}

class ScriptedModel extends BaseChatModel {
  _llmType() {
    return 'scripted'
  }

  bindTools() {
    return this
  }

  async _generate(messages) {
    const script = messages.find(({ type }) => type === 'human').content
    const calls = callsOf(script, messages.filter(({ type }) => type === 'ai').length)
    const results = messages.filter(({ type }) => type === 'tool').map(({ content }) => content)
    const message =
      calls.length === 0
        ? new AIMessage(results.join(', '))
        : new AIMessage({
            content: '',
            tool_calls: calls.map(({ toolCallId, name, argument }) => ({
              ...{ type: 'tool_call', id: toolCallId, name, args: { id: argument } },
            })),
          })
    return { generations: [{ text: '', message }] }
  }
}
