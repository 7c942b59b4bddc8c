import { registrationOf, toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import type { AgentDescriptor, Planner } from '../../packages/runtime/src/agents.js'
import { agentToolsetRegistration } from '../../packages/runtime/src/executors/agent-toolset.js'
import {
  type ApprovalDecision,
  type ApprovalRequest,
  approval,
  type BoundAgent,
  type ExecutorRequest,
  type HasApproval,
  type JsonSchema,
  type Runtime,
  ToolFailure,
  type ToolLayer,
  type ToolOutcome,
  type ToolRequest,
  type ToolsetRegistration,
} from '../../packages/runtime/src/index.js'
import type { PlannedCall } from './scenario.js'
import type { World } from './world.js'

const named: JsonSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, note: { type: 'string' } },
  required: ['id'],
}
const result: JsonSchema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }

/** Registers the agents of a scenario in a new runtime, and returns the outermost one. */
export function scriptedAgents(runtime: Runtime, world: World, planner: Planner): BoundAgent<HasApproval> {
  const agentOf = (level: number): BoundAgent<HasApproval> => {
    const agent: AgentDescriptor = { name: `agent${level}`, description: `Works at level ${level}.` }
    const desk = toolOf(`${agent.name}-desk.act`, { arguments: named, result })
    const tools: ToolsetRegistration<HasApproval>[] = [registrationOf(desk, (request) => act(world, request))]
    if (level + 1 < world.scenario.depth) {
      const work = toolOf(`${agent.name}-team.work`, { arguments: named, result: {} })
      const beneath = agentOf(level + 1)
      const exported = {
        toolset: toolsetOf(work),
        agent: beneath.agent,
        tools: { work: { template: '{{id}}' } },
      }
      tools.push(agentToolsetRegistration(exported, beneath))
    }
    return runtime.registerAgent(agent, tools, { planner }).layer(approval()).layer(outside(world)).layer(finals(world))
  }
  return agentOf(0)
}

/** Returns the approver of a scenario. */
export function approver(world: World): HasApproval {
  const approve = async ({ arguments: sent }: ApprovalRequest): Promise<ApprovalDecision> => {
    const { id, gate, answer } = world.call(idOf(sent))
    if (gate !== 'approval') return 'approve'
    if (world.asked.includes(id)) world.faults.push(`somebody was asked twice about ${id}`)
    world.asked.push(id)
    if (!world.atOnce) return 'suspend'
    if (answer === 'approve') world.allowed.add(id)
    return answer === 'approve' || answer === 'deny' || 'decision' in answer ? answer : 'suspend'
  }
  return { approval: { approve } }
}

async function act(world: World, { payload }: ExecutorRequest): Promise<unknown> {
  const { id, work } = world.run(idOf(await payload()))
  // Tools take different numbers of microtasks, so that the calls of a step end in any order.
  for (let turns = id.length % 4; turns > 0; turns -= 1) await undefined
  if (work === 'fails') throw new ToolFailure(`${id} failed.`)
  return { id }
}

/** Returns a layer for results from outside: suspends the calls, or completes them immediately. */
function outside(world: World): ToolLayer {
  return (next) => async (request) => {
    const call = await callOf(world, request)
    if (call === undefined || call.gate === 'none') return next(request)
    if (!world.atOnce)
      return call.gate === 'external' ? request.suspend('external', `wait for ${call.id}`) : next(request)
    return (await answeredAtOnce(request, call)) ?? next(request)
  }
}

async function answeredAtOnce(request: ToolRequest, { answer, gate }: PlannedCall): Promise<ToolOutcome | undefined> {
  if (typeof answer === 'object' && 'result' in answer) return request.complete(answer.result)
  if (typeof answer === 'object' && 'failure' in answer) {
    return request.fail(
      new ToolFailure(answer.failure.message, { reason: answer.failure.reason ?? 'domain_rejection' }),
    )
  }
  return gate === 'external' ? request.fail(new ToolFailure('No.', { reason: 'denied' })) : undefined
}

/** Returns a layer that ends the runs of some calls. */
function finals(world: World): ToolLayer {
  return (next) => async (request) => {
    const outcome = await next(request)
    const call = await callOf(world, request)
    if (call?.work !== 'final' || outcome.status !== 'completed') return outcome
    world.hasFinal = true
    return { ...outcome, stop: { reason: 'final', value: { final: call.id } } }
  }
}

async function callOf(world: World, request: ToolRequest): Promise<PlannedCall | undefined> {
  const decoded = await request.decode()
  return decoded.ok ? world.scenario.calls.get(idOf(decoded.value)) : undefined
}

function idOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string' ? value.id : ''
}
