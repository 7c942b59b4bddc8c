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

const SERVING_AGENT: unique symbol = Symbol('servingAgent')

interface AgentExecutor extends ToolExecutor {
  readonly [SERVING_AGENT]?: () => ServingAgent
}

/** Returns an executor that names the agent which serves its calls. */
export function executorServedBy(executor: ToolExecutor, agent: () => ServingAgent): ToolExecutor {
  const served: AgentExecutor = { ...executor, [SERVING_AGENT]: agent }
  return served
}

/**
 * Returns the agent that serves the calls of an executor; `undefined` if none does.
 *
 * @throws what the application's function throws that returns the agent.
 */
export function agentServing(executor: AgentExecutor): ServingAgent | undefined {
  return executor[SERVING_AGENT]?.()
}

const SET_IN_RUNS = { toolCallId: '', attempt: 1 } as const

const SET_IN_NESTED_RUNS = { ...SET_IN_RUNS, runId: '', parentToolCallId: '' } as const

/**
 * Returns the options that a run's caller did not pass and that fill server-owned fields, of the agent's tools and of those
 * of serving agents. Each with the tool that needs it.
 */
export function missingRunOptions({ served }: ToolTable, meta: RunMeta): readonly string[] {
  const seen = new Set<BoundTool>()
  const [own, nested] = [
    { ...meta, ...SET_IN_RUNS },
    { ...meta, ...SET_IN_NESTED_RUNS },
  ]
  const missing = served.flatMap(({ tool }) => missingOptions(tool, own, nested, seen))
  return missing.map(({ field, tool }) => `options.${field} (for ${tool.id})`)
}

/**
 * Returns the options that a call's caller did not pass: of its own tool and of the tools of the agent that serves it. Each
 * with the tool that needs it, unless that is the tool of the call.
 */
export function missingCallOptions(called: BoundTool, source: MetaSource): readonly string[] {
  try {
    const isNested = agentServing(called.executor) !== undefined
    // Most tools need nothing: their meta is not created.
    if (called.serverOwned.length === 0 && !isNested) return []
    const { meta } = source
    const missing = missingOptions(called, meta, isNested ? { ...meta, ...SET_IN_NESTED_RUNS } : meta, new Set())
    return missing.map(({ field, tool }) => `options.${field}${tool === called ? '' : ` (for ${tool.id})`}`)
  } catch {
    // The application's function returns no agent: the call itself fails with its error.
    return []
  }
}

/**
 * Visits a tool and those of the agents that serve it, each once.
 *
 * @param nested the meta of calls of the serving agent
 */
function missingOptions(
  tool: BoundTool,
  meta: ToolCallMeta,
  nested: ToolCallMeta,
  seen: Set<BoundTool>,
): readonly { readonly field: MetaField; readonly tool: BoundTool }[] {
  if (seen.has(tool)) return []
  seen.add(tool)
  const inner = agentServing(tool.executor)?.table.served ?? []
  return [
    ...missingMeta(tool.spec.serverOwned, meta).map((field) => ({ field, tool })),
    ...inner.flatMap((served) => missingOptions(served.tool, nested, nested, seen)),
  ]
}
