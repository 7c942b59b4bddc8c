import { DurableAgent } from '@workflow/ai/agent'
import { createHook, getWritable } from 'workflow'
import { z } from 'zod'

/** Runs the agent with a script. Steps run in the server process, which sets `globalThis.contestant`. */
export async function runAgent(script) {
  'use workflow'
  const inputSchema = z.object({ id: z.string() })
  const agent = new DurableAgent({
    model: scriptedModel,
    tools: {
      cancel: { description: 'Cancels an order.', inputSchema, execute: ({ id }) => effect(`cancel ${id}`) },
      refund: {
        description: 'Refunds an order.',
        inputSchema,
        execute: async ({ id }) => {
          await createHook({ token: id })
          return effect(`refund ${id}`)
        },
      },
    },
  })
  const { messages } = await agent.stream({ messages: [{ role: 'user', content: script }], writable: getWritable() })
  return messages.at(-1).content[0].text
}

async function effect(name) {
  'use step'
  return globalThis.contestant.effect(name)
}

async function scriptedModel() {
  'use step'
  return globalThis.contestant.model
}
