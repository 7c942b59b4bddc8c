import type { OpenAiDriverOptions } from '../../packages/runtime/src/adapters/openai-request.js'
import type { ModelPlannerOptions } from '../../packages/runtime/src/agents/model-planner.js'
import { modelPlanner } from '../../packages/runtime/src/agents/model-planner.js'
import { executorOf, toolOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import type { RunPolicy } from '../../packages/runtime/src/agents.js'
import {
  type BoundAgent,
  type ExecutorRequest,
  Runtime,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import { openAiDriver } from '../../packages/runtime/src/openai.js'
import type { ModelDriver } from '../../packages/runtime/src/types/planner.js'
import type { ModelServer } from './model-server.fixture.js'

const getOrder = toolOf('orders.getOrder')
const note = toolOf('orders.note', {
  arguments: {
    type: 'object',
    properties: { text: { type: ['string', 'null'] }, tags: { type: 'array', items: { type: 'string' } } },
    required: ['text'],
  },
  result: { type: 'object' },
})
const label = toolOf('orders.label', {
  arguments: { type: 'object', additionalProperties: { type: 'string' } },
  result: { type: 'object' },
})

/** Options of the fixture's agent. */
export interface AgentOptions extends ModelPlannerOptions {
  readonly driver?: Partial<Omit<OpenAiDriverOptions, 'client'>>
  readonly client?: OpenAiDriverOptions['client']
  readonly policy?: RunPolicy
  readonly execute?: (request: ExecutorRequest) => unknown
}

/** Short retry delay for tests. */
export const SOON = { initialMs: 2 } as const

/** Returns the driver for a server. */
export function driverOf(
  server: ModelServer,
  { driver = {}, client = server.client() }: AgentOptions = {},
): ModelDriver {
  return openAiDriver({ client, model: 'tiny-1', retry: SOON, ...driver })
}

/** Returns an agent with three tools and a model. One tool has optional fields, one accepts null, and one cannot be strict. */
export function agentOf(server: ModelServer, parts: AgentOptions = {}): BoundAgent {
  const { execute = async (request) => ({ id: await request.json(), total: 1 }), policy, responseFormat } = parts
  const planner = modelPlanner(driverOf(server, parts), responseFormat === undefined ? {} : { responseFormat })
  return new Runtime().registerAgent(
    { name: 'support', description: 'Answers customers.', instructions: 'Be brief.', ...(policy && { policy }) },
    [toolsetRegistration(useOf([getOrder, note, label]), executorOf(execute))],
    { planner },
  )
}
