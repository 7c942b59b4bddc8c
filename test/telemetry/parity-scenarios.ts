import {
  approval,
  type BoundAgent,
  type HasApproval,
  inputSchema,
  retry,
  runConfig,
  type ToolCall,
  type ToolOutcome,
} from '@toolgen/runtime'
import { type AgentRun, answer, callTools, type Planner } from '@toolgen/runtime/agents'
import {
  newCancelOrderCall,
  newGetOrderCall,
  newStockLevelCall,
} from '../../examples/orders/gen/toolsets/orders/calls.js'

const env: HasApproval = {
  approval: { approve: async ({ arguments: sent }) => (JSON.stringify(sent).includes('A-9') ? 'suspend' : 'deny') },
}

const config = runConfig()
  .layer(inputSchema('strict'))
  .layer(retry({ delayMs: () => 1 }))
  .layer(approval({ when: ({ tool }) => tool.name === 'cancelOrder' }))

const common = { config, env, sessionId: 's-1', labels: { tenant: 'acme' } } as const

const executed = (call: ToolCall<unknown, 'sessionId'>) => (agent: BoundAgent) => agent.execute(call, common)

const sent = (tool: string, json: string): ToolCall => ({ tool, arguments: json })

async function cancelled(agent: BoundAgent, stuck: Promise<void>): Promise<ToolOutcome> {
  const controller = new AbortController()
  const outcome = agent.execute(newGetOrderCall({ orderId: 'A-4' }), { ...common, signal: controller.signal })
  await stuck
  controller.abort()
  return outcome
}

/** Looks up two orders in parallel, counts once, and answers. */
export const planner: Planner = ({ turn }) => {
  if (turn === 1) return callTools(newGetOrderCall({ orderId: 'A-1' }), newGetOrderCall({ orderId: 'A-2' }))
  return turn === 2 ? callTools(newStockLevelCall({ sku: 'LAMP-1' })) : answer('It has shipped.')
}

/**
 * Plays a scenario with the tools of a provider.
 *
 * @param stuck resolves when a tool has requested the order that never arrives
 */
export type Scenario = (agent: BoundAgent, stuck: Promise<void>) => PromiseLike<ToolOutcome | AgentRun>

/** Scenarios for the tools of each provider. */
export const scenarios: Readonly<Record<string, Scenario>> = {
  completed: executed(newGetOrderCall({ orderId: 'A-1' })),
  'rate limited': executed(newGetOrderCall({ orderId: 'A-2' })),
  retried: executed(newGetOrderCall({ orderId: 'A-3' })),
  malformed: executed(newGetOrderCall({ orderId: 'A-5' })),
  'wrong argument': executed(sent('orders.getOrder', '{"orderId":5}')),
  'missing argument': executed(sent('orders.getOrder', '{}')),
  'broken JSON': executed(sent('orders.getOrder', '{"orderId":')),
  'unknown tool': executed(sent('orders.getOrdr', '{"orderId":"A-1"}')),
  denied: executed(newCancelOrderCall({ orderId: 'A-1' })),
  suspended: executed(newCancelOrderCall({ orderId: 'A-9' })),
  cancelled,
  run: (agent) => agent.run('Where is my order?', common),
}
