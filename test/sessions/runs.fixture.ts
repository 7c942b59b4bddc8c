import type { AgentOptions } from '../../packages/runtime/src/agents/bound-agent.js'
import { type AgentRun, answer, callTools, type Planner } from '../../packages/runtime/src/agents.js'
import type { ChatMessage } from '../../packages/runtime/src/chat.js'
import {
  type BoundAgent,
  Runtime,
  type RuntimeOptions,
  type ToolCall,
  tool,
  toolset,
} from '../../packages/runtime/src/index.js'
import { SessionRegistry, type SessionRegistryOptions } from '../../packages/runtime/src/sessions.js'
import type { Works } from './sessions.fixture.js'

const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }

/** Returns an agent with a streaming tool, `reports.build`, and one that does not stream, `reports.look`. */
export function analyst(works: Works, { runtime = new Runtime(), ...parts }: AnalystParts): BoundAgent {
  const build = tool({
    name: 'build',
    description: 'Builds a report.',
    parameters: named,
    updates: true,
    run: works.run,
  })
  const look = tool({
    name: 'look',
    description: 'Looks at a report.',
    parameters: named,
    run: async ({ name }: { readonly name: string }) => ({ looked: name }),
  })
  return runtime.registerAgent(
    { name: 'analyst', description: 'Builds reports.' },
    [toolset('reports', build, look)],
    parts,
  )
}

/** Options of the runtime and of the agent. */
export type AnalystParts = AgentOptions & { readonly runtime?: Runtime }

/** Returns the agent, and a registry with it. */
export function analysts(
  works: Works,
  planner: Planner,
  {
    runtime,
    ...options
  }: Partial<SessionRegistryOptions<{ analyst: BoundAgent }>> & { readonly runtime?: RuntimeOptions } = {},
): { readonly agent: BoundAgent; readonly sessions: SessionRegistry<{ analyst: BoundAgent }> } {
  const agent = analyst(works, { planner, runtime: new Runtime(runtime) })
  return { agent, sessions: new SessionRegistry({ agents: { analyst: agent }, ...options }) }
}

export const ours = { userId: 'u-1', namespaces: ['analyst'] } as const

/** Returns a call of the streaming tool. */
export function build(name: string, toolCallId?: string): ToolCall {
  const call = { tool: 'reports.build', arguments: JSON.stringify({ name }) }
  return toolCallId === undefined ? call : { ...call, toolCallId }
}

/** Returns a call of the tool that does not stream. */
export function look(name: string): ToolCall {
  return { tool: 'reports.look', arguments: JSON.stringify({ name }) }
}

/** Planner that answers immediately. */
export const idle: Planner = () => answer('nothing to do')

/** Returns the messages about ended calls. */
export function told({ messages }: Pick<AgentRun, 'messages'>): readonly string[] {
  return messages.filter(isLate).map(({ content }) => String(content))
}

function isLate({ role, content }: ChatMessage): boolean {
  return role === 'user' && typeof content === 'string' && content.startsWith('The call ')
}

/** Returns a planner that makes these calls if the last message is from the user, and otherwise answers. */
export function asking(first: ToolCall, ...others: readonly ToolCall[]): Planner {
  return ({ messages }) =>
    messages.at(-1)?.content === 'Build it.' ? callTools(first, ...others) : answer('It is under way.')
}
