import type { AgentDescriptor } from '../types/agent.js'
import type { MetaSource, ToolExecutor } from '../types/executor.js'
import type { RunMeta } from '../types/planner.js'
import type { MetaField, ToolCallMeta } from '../types/tool.js'
import type { BoundTool } from './bound-tool.js'
import { missingMeta } from './call-meta.js'
import type { ToolTable } from './call-target.js'

/** An agent whose runs serve the calls of an executor. */
export interface ServingAgent {
  readonly descriptor: AgentDescriptor
  readonly table: ToolTable
}

const SERVING_AGENT: unique symbol = Symbol('servingAgent')

interface AgentExecutor extends ToolExecutor {
  readonly [SERVING_AGENT]: () => ServingAgent
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
export function agentServing(executor: ToolExecutor): ServingAgent | undefined {
  return isAgentExecutor(executor) ? executor[SERVING_AGENT]() : undefined
}

function isAgentExecutor(executor: ToolExecutor): executor is AgentExecutor {
  return SERVING_AGENT in executor
}

/** Meta fields that the runtime sets for each call of a run. */
const SET_IN_RUNS = { toolCallId: '', attempt: 1 } as const

/** Meta fields that it sets for each call of a nested run. */
const SET_IN_NESTED_RUNS = { ...SET_IN_RUNS, runId: '', parentToolCallId: '' } as const

/**
 * Returns the options that a run's caller did not pass and that fill server-owned fields, of the agent's tools and of those
 * of serving agents. Each with the tool that needs it.
 */
export function missingRunOptions({ served }: ToolTable, meta: RunMeta): readonly string[] {
  const search = new MissingSearch()
  for (const { tool } of served) search.visit(tool, { ...meta, ...SET_IN_RUNS }, { ...meta, ...SET_IN_NESTED_RUNS })
  return search.missing.map(({ field, tool }) => `options.${field} (for ${tool.id})`)
}

/**
 * Returns the options that a call's caller did not pass: of its own tool and of the tools of the agent that serves it. Each
 * with the tool that needs it, unless that is the tool of the call.
 */
export function missingCallOptions(called: BoundTool, source: MetaSource): readonly string[] {
  const search = new MissingSearch()
  try {
    const isNested = agentServing(called.executor) !== undefined
    // Most tools need nothing: their meta is not made.
    if (called.serverOwned.length === 0 && !isNested) return []
    const { meta } = source
    search.visit(called, meta, isNested ? { ...meta, ...SET_IN_NESTED_RUNS } : meta)
  } catch {
    // The application's function gives no agent: the call itself fails with its error.
    return []
  }
  return search.missing.map(({ field, tool }) => `options.${field}${tool === called ? '' : ` (for ${tool.id})`}`)
}

/** Visits tools and those of the agents that serve them, each once. */
class MissingSearch {
  readonly missing: { readonly field: MetaField; readonly tool: BoundTool }[] = []
  readonly #seen = new Set<BoundTool>()

  /** @param nested the meta of calls of the serving agent */
  visit(tool: BoundTool, meta: ToolCallMeta, nested: ToolCallMeta): void {
    if (this.#seen.has(tool)) return
    this.#seen.add(tool)
    if (tool.serverOwned.length > 0) {
      for (const field of missingMeta(tool.spec.serverOwned, meta)) this.missing.push({ field, tool })
    }
    for (const inner of agentServing(tool.executor)?.table.served ?? []) this.visit(inner.tool, nested, nested)
  }
}
