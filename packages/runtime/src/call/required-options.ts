import type { MetaSource, ToolExecutor } from '../types/executor.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentDescriptor } from '../types/registration.js'
import type { MetaField, ToolCallMeta } from '../types/tool.js'
import type { BoundTool } from './bound-tools.js'
import { missingMeta } from './call-context.js'
import type { ToolTable } from './served-tool.js'

/** An agent whose runs serve the calls of an executor. */
export interface ServingAgent {
  readonly descriptor: AgentDescriptor
  readonly table: ToolTable
}

/** Returns the agent whose runs serve the calls of the tool with the id `tool`; `undefined` if the executor serves them alone. */
type ServingAgentOf = (tool: string) => ServingAgent | undefined

const SERVING_AGENT: unique symbol = Symbol('servingAgent')

interface AgentExecutor extends ToolExecutor {
  readonly [SERVING_AGENT]?: ServingAgentOf
}

/** Returns a copy of `executor` that remembers the agent that serves its calls. {@link agentServing} reads this agent. */
export function executorServedBy(executor: ToolExecutor, agent: ServingAgentOf): ToolExecutor {
  const served: AgentExecutor = { ...executor, [SERVING_AGENT]: agent }
  return served
}

/**
 * Returns the agent that serves the calls of a tool; `undefined` if no agent serves them.
 *
 * @throws errors of the application's function that returns the agent.
 */
export function agentServing(tool: BoundTool): ServingAgent | undefined {
  const executor: AgentExecutor = tool.executor
  return executor[SERVING_AGENT]?.(tool.id)
}

const SET_IN_RUNS = { toolCallId: '', attempt: 1 } as const

const SET_IN_NESTED_RUNS = { ...SET_IN_RUNS, runId: '', parentToolCallId: '' } as const

/** Returns the options that the tools of a run and of its nested runs need, but the caller of the run did not pass. */
export function missingRunOptions({ served }: ToolTable, meta: RunMeta): readonly string[] {
  const seen = new Set<BoundTool>()
  const [own, nested] = [
    { ...meta, ...SET_IN_RUNS },
    { ...meta, ...SET_IN_NESTED_RUNS },
  ]
  const missing = served.flatMap(({ tool }) => missingOptions(tool, own, nested, seen))
  return missing.map(({ field, tool }) => `options.${field} (for ${tool.id})`)
}

/** Returns the options that a tool and the tools of its nested run need, but the caller did not pass. */
export function missingCallOptions(called: BoundTool, source: MetaSource): readonly string[] {
  try {
    const isNested = agentServing(called) !== undefined
    // Avoids creating the meta, because most tools need none of it.
    if (called.serverOwned.length === 0 && !isNested) return []
    const { meta } = source
    const missing = missingOptions(called, meta, isNested ? { ...meta, ...SET_IN_NESTED_RUNS } : meta, new Set())
    return missing.map(({ field, tool }) => `options.${field}${tool === called ? '' : ` (for ${tool.id})`}`)
  } catch {
    // The application's function threw an error. The call later fails with this error.
    return []
  }
}

function missingOptions(
  tool: BoundTool,
  meta: ToolCallMeta,
  nested: ToolCallMeta,
  seen: Set<BoundTool>,
): readonly { readonly field: MetaField; readonly tool: BoundTool }[] {
  if (seen.has(tool)) return []
  seen.add(tool)
  const inner = agentServing(tool)?.table.served ?? []
  return [
    ...missingMeta(tool.spec.serverOwned, meta).map((field) => ({ field, tool })),
    ...inner.flatMap((served) => missingOptions(served.tool, nested, nested, seen)),
  ]
}
