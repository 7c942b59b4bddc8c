import { getOrder, registrationOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import type { Agent, AgentDescriptor } from '../../packages/runtime/src/agents.js'
import {
  type BoundAgent,
  type ExecutorRequest,
  type Runtime,
  type ToolsetRegistration,
  tool,
  toolset,
} from '../../packages/runtime/src/index.js'
import type { ScriptedCall } from '../../packages/runtime/src/testing/scripted-model.js'
import { calls } from '../../packages/runtime/src/testing.js'
import type { ModelDriver, ModelRequest } from '../../packages/runtime/src/types/planner.js'
import { stillRuntime } from '../runs/agents.fixture.js'

export const support: AgentDescriptor = {
  name: 'support',
  description: 'Answers customers.',
  instructions: 'By design.',
}

/** A model's call that looks up an order. */
export const lookUp: ScriptedCall = { tool: 'orders_getOrder', arguments: { orderId: 'A-1' } }
export const looksUp = calls(lookUp)

/** Registers an agent with the tool `orders.getOrder` in a runtime with a fixed clock. */
export function bound<Env>(
  agent: Agent<Env>,
  execute: (request: ExecutorRequest) => unknown = () => ({ id: 'A-1', total: 1 }),
  runtime: Runtime = stillRuntime(),
): BoundAgent<Env> {
  return runtime.registerAgent(support, [registrationOf(getOrder, execute)], { agent })
}

/** Returns a toolset with one tool that returns the name. */
export function echo(name: string, answer: () => unknown = () => name): ToolsetRegistration {
  return toolset(name, tool({ name: `${name}_echo`, description: `Says ${name}.`, parameters: {}, run: answer }))
}

/** Returns a driver without a message compiler, which records its requests. */
export function stubbornDriver(text = 'Done.'): ModelDriver & { readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = []
  return {
    name: 'stubborn',
    requests,
    ask: async (request) => {
      requests.push(request)
      return { message: { role: 'assistant', content: text }, calls: [] }
    },
  }
}

/** Returns the requests of a model as plain data. */
export function askedOf({ requests }: { readonly requests: readonly ModelRequest[] }): readonly object[] {
  return requests.map(({ messages, tools, fields, responseFormat }) => ({
    messages,
    tools: tools.map(({ toolName }) => toolName),
    ...(fields !== undefined && { fields }),
    ...(responseFormat !== undefined && { responseFormat }),
  }))
}
