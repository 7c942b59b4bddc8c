import { readFileSync } from 'node:fs'
import { installPeers } from '../../install-peers.mjs'
import { fakeModel } from '../fake-model.mjs'
import { scripted } from '../script.mjs'
import { texts } from '../stock.mjs'

const { node, contestants } = await installPeers('calls', 22)
const [peer] = contestants
const { Agent, createTool, z } = await import(peer)
const { dependencies } = JSON.parse(readFileSync(new URL('package.json', peer), 'utf8'))

/** The library does not support Node 20. */
export const program = node

export const name = `@mastra/core ${dependencies['@mastra/core']}, Node 22`

/** Returns a function that makes one run. */
export function prepare({ service, kind }) {
  const model = fakeModel(scripted(kind), ({ value }) => value)
  const stockLevel = createTool({
    id: texts.tool,
    description: texts.description,
    inputSchema: z.object({ sku: z.string().min(1) }),
    execute: async ({ sku }) => service.stockLevel(sku),
  })
  const agent = new Agent({
    ...{ id: 'stock', name: 'stock', instructions: texts.instructions },
    ...{ model, tools: { [texts.tool]: stockLevel } },
  })
  return () => {
    model.restart()
    return agent.generate(texts.question, { maxSteps: kind.calls + 10 })
  }
}

export const textOf = ({ text }) => text

export const messagesOf = ({ messages }) => messages

export const resultsOf = ({ response }) =>
  response.messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ content }) => content.map(({ output }) => output.value))
