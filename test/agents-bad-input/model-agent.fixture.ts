import { expect } from 'vitest'
import { executorOf, getOrder, toolOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type AgentRun,
  base,
  type Feature,
  type Guards,
  type RunPolicy,
  useGuards,
} from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat/history.js'
import {
  type BoundAgent,
  type ExecutorRequest,
  Runtime,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import type { ScriptedCall } from '../../packages/runtime/src/testing/scripted-model.js'
import { type ScriptedResponse, scriptedModel } from '../../packages/runtime/src/testing.js'
import type { ModelDriver } from '../../packages/runtime/src/types/planner.js'
import { driverOf } from '../openai/model-agent.fixture.js'
import { call, modelServer, type Reply, says } from '../openai/model-server.fixture.js'
import { within } from '../runs/agents.fixture.js'

const label = toolOf('orders.label', {
  arguments: { type: 'object', additionalProperties: { type: 'string' } },
  result: { type: 'object' },
})

/** Parts of a test agent. */
export interface ModelAgentParts {
  readonly execute?: (request: ExecutorRequest) => unknown
  readonly guards?: Guards
  readonly feature?: Feature
  readonly policy?: RunPolicy
}

/** Returns an agent with two tools whose decisions a model makes. */
export function agentOver(driver: ModelDriver, parts: ModelAgentParts = {}): BoundAgent {
  const { execute = () => ({ id: 'A-1', total: 1 }), guards = {}, feature = (builder) => builder, policy } = parts
  return new Runtime().registerAgent(
    { name: 'support', description: 'Answers customers.', ...(policy && { policy }) },
    [toolsetRegistration(useOf([getOrder, label]), executorOf(execute))],
    { agent: base(driver).with(useGuards(guards)).with(feature).build() },
  )
}

/** Ways in which an agent receives the messages of a model: scripted, from a server, or streamed by a server. */
export const WAYS = ['scripted', 'served', 'streamed'] as const
export type Way = (typeof WAYS)[number]

/** Returns a driver with these responses. */
export async function driverSaying(way: Way, said: readonly ScriptedResponse[]): Promise<ModelDriver> {
  if (way === 'scripted') return scriptedModel(said)
  return driverOf(await modelServer(...said.map(reply)), { driver: { stream: way === 'streamed' } })
}

function reply({ text, calls = [], finishReason, refusal }: ScriptedResponse, turn: number): Reply {
  const asked = calls.map(({ tool, arguments: json = {}, toolCallId }, at) =>
    call(toolCallId ?? `call_${turn}_${at}`, tool, json),
  )
  const message = { content: text ?? null, refusal: refusal ?? null, ...(asked.length > 0 && { tool_calls: asked }) }
  return says(message, { finish: finishReason ?? (asked.length > 0 ? 'tool_calls' : 'stop') })
}

/** Awaits a run, which must end with a complete conversation. */
export async function ended(run: PromiseLike<AgentRun>): Promise<AgentRun> {
  const done = await within(run)
  if (done === 'hangs') throw new Error('the run does not end')
  expect(validateHistory(done.messages)).toEqual([])
  const asked = done.messages.flatMap((message) => (message.role === 'assistant' ? (message.tool_calls ?? []) : []))
  expect(done.messages.filter(({ role }) => role === 'tool')).toHaveLength(asked.length)
  expect(done.outcomes).toHaveLength(asked.length)
  const events = (type: string): number => done.events.filter((event) => event.type === type).length
  expect(events('call_ended')).toBe(events('call_started'))
  expect(events('run_ended')).toBe(1)
  // The messages can be serialized.
  expect(JSON.parse(JSON.stringify(done.messages))).toEqual(done.messages)
  return done
}

/** Returns the tool messages that the model received. */
export function toldOf({ messages }: AgentRun): readonly string[] {
  return messages.flatMap((message) => (message.role === 'tool' ? [String(message.content)] : []))
}

/** Returns for each call of a run `completed` or the reason of the failure. */
export function reasonsOf({ outcomes }: AgentRun): readonly string[] {
  return outcomes.map((outcome) => (outcome.status === 'failed' ? outcome.hint.reason : outcome.status))
}

/** Returns a call of `orders.getOrder` with the arguments that a model wrote. */
export function lookUp(json: string, toolCallId?: string): ScriptedCall {
  return { tool: 'orders_getOrder', arguments: json, ...(toolCallId !== undefined && { toolCallId }) }
}

/** Valid arguments. */
export const GOOD = '{"orderId":"A-1"}'
