import type { AgentOptions } from '../../packages/runtime/src/agents/bound-agent.js'
import { getOrder, registrationOf, toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type AgentDescriptor,
  answer,
  callTools,
  type Planner,
  type PlanRequest,
} from '../../packages/runtime/src/agents.js'
import { agentToolsetRegistration } from '../../packages/runtime/src/executors/agent-toolset.js'
import {
  type BoundAgent,
  type ExecutorRequest,
  type JsonSchema,
  type RegistrationOptions,
  Runtime,
  type ToolCall,
  type ToolDescriptor,
} from '../../packages/runtime/src/index.js'
import type { AgentToolOptions, AgentToolsetOptions } from '../../packages/runtime/src/types/registration.js'

/** Result of an investigation. */
export interface Report {
  readonly id: string
  readonly total: number
}

const topic: JsonSchema = {
  type: 'object',
  properties: { topic: { type: 'string', description: 'What to look into' } },
  required: ['topic'],
}

/** Tool that the inner agent exports. It returns the result of the agent's own tool. */
export const investigate: ToolDescriptor<{ readonly topic: string }, unknown, Report, never> = toolOf(
  'investigation.investigate',
  { arguments: topic, spec: { description: 'Find out all about a topic.' } },
)

export const researchAgent: AgentDescriptor = {
  name: 'research',
  description: 'Finds things out.',
  instructions: 'Be thorough.',
}

export const supportAgent: AgentDescriptor = { name: 'support', description: 'Answers customers.' }

/** Settings of the two agents. */
export interface Setting {
  readonly runtime?: Runtime
  /** Options of the inner agent. */
  readonly inner?: AgentOptions
  /** Changes the inner agent, for example adds layers. */
  readonly around?: (research: BoundAgent) => BoundAgent<any>
  /** Registration options of the tool of the inner agent. */
  readonly innerOptions?: RegistrationOptions
  /** Executor of the tool of the inner agent. */
  readonly execute?: (request: ExecutorRequest) => unknown
  /** Options of the outer agent. Default: calls for one investigation, then answers `done`. */
  readonly outer?: AgentOptions
  /** Options of the tool that the inner agent serves. */
  readonly tool?: AgentToolOptions<any>
  readonly options?: AgentToolsetOptions<any>
  readonly result?: JsonSchema
}

/** Returns a call of the inner agent's tool. */
export function investigation(toolCallId = 'outer-1', about = 'lamps'): ToolCall<Report> {
  return investigate.call({ topic: about }, { toolCallId })
}

/** Returns a planner that makes these calls in its first step, then answers. */
export function onceThen(calls: readonly ToolCall[], last: Planner = () => answer('done')): Planner {
  return (request) => (request.outcomes.length === 0 ? callTools(...calls) : last(request))
}

/** Returns the planner of the inner agent: looks up at least one order, then answers. */
export function lookingUp(orderIds: readonly string[], last?: Planner): Planner {
  return onceThen(
    orderIds.map((orderId) => getOrder.call({ orderId }, { toolCallId: `inner-${orderId}` })),
    last,
  )
}

/** Registers the outer agent with the inner one, and records the requests of both planners. */
export function agents(setting: Setting = {}): {
  readonly support: BoundAgent
  readonly research: BoundAgent<any>
  readonly asked: PlanRequest[]
} {
  const { runtime = new Runtime(), execute = () => ({ id: 'A-1', total: 12.5 }), around = (agent) => agent } = setting
  const asked: PlanRequest[] = []
  const { planner = lookingUp(['A']), ...inner } = setting.inner ?? {}
  const heard: Planner = (request) => {
    asked.push(request)
    return planner(request)
  }
  const research = around(
    runtime.registerAgent(researchAgent, [registrationOf(getOrder, execute, setting.innerOptions)], {
      ...inner,
      planner: heard,
    }),
  )
  const tool =
    setting.result === undefined
      ? investigate
      : toolOf('investigation.investigate', { arguments: topic, result: setting.result, spec: investigate.spec })
  const exported = {
    toolset: toolsetOf(
      setting.result === undefined ? tool : { ...tool, spec: { ...tool.spec, result: setting.result } },
    ),
    agent: researchAgent,
    ...(setting.tool !== undefined && { tools: { investigate: setting.tool } }),
  }
  const support: BoundAgent = runtime.registerAgent(
    supportAgent,
    [agentToolsetRegistration(exported, research, setting.options)],
    { planner: onceThen([investigation()]), ...setting.outer },
  )
  return { support, research, asked }
}
