import type { MetaSource, ToolExecutor } from '../types/executor.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentDescriptor } from '../types/registration.js'
import type { AgentToolSpec, MetaField, ToolCallMeta } from '../types/tool.js'
import type { BoundTool } from './bound-tools.js'
import { missingMeta } from './call-context.js'
import type { ToolTable } from './served-tool.js'

export interface ServingAgent {
  readonly descriptor: AgentDescriptor
  readonly table: ToolTable
  /**
   * If the arguments of each call select the tools that the nested run can use, the runtime checks the options of a tool only when the nested run
   * calls the tool.
   */
  readonly choosesTools?: boolean
}

type ServingAgentOf = (tool: string) => ServingAgent | undefined

const SERVING_AGENT: unique symbol = Symbol('servingAgent')

interface AgentExecutor extends ToolExecutor {
  readonly [SERVING_AGENT]?: ServingAgentOf
}

export function executorServedBy(executor: ToolExecutor, agent: ServingAgentOf): ToolExecutor {
  const served: AgentExecutor = { ...executor, [SERVING_AGENT]: agent }
  return served
}

export function agentServing(tool: BoundTool): ServingAgent | undefined {
  const executor: AgentExecutor = tool.executor
  return executor[SERVING_AGENT]?.(tool.id)
}

export function nestedSpecs(tool: BoundTool): readonly AgentToolSpec[] {
  const nested = new Set<BoundTool>()
  const add = (each: BoundTool): void => {
    for (const { tool: inner } of agentServing(each)?.table.served ?? []) {
      if (nested.has(inner)) continue
      nested.add(inner)
      add(inner)
    }
  }
  add(tool)
  return [...nested].map(({ spec }) => spec)
}

const SET_IN_RUNS = { toolCallId: '', idempotencyKey: '', attempt: 1 } as const

const SET_IN_NESTED_RUNS = { ...SET_IN_RUNS, runId: '', parentToolCallId: '' } as const

export function missingRunOptions({ served }: ToolTable, meta: RunMeta): readonly string[] {
  const seen = new Set<BoundTool>()
  const [own, nested] = [
    { ...meta, ...SET_IN_RUNS },
    { ...meta, ...SET_IN_NESTED_RUNS },
  ]
  const missing = served.flatMap(({ tool }) => missingOptions(tool, own, nested, seen))
  return missingTexts('options', missing)
}

export function missingCallOptions(called: BoundTool, source: MetaSource): readonly string[] {
  try {
    const isNested = innerTools(called).length > 0
    // Avoids creating the meta, because most tools need none of it.
    if (called.serverOwned.length === 0 && !isNested) return []
    const { meta } = source
    const missing = missingOptions(called, meta, isNested ? { ...meta, ...SET_IN_NESTED_RUNS } : meta, new Set())
    return missingTexts('options', missing, called)
  } catch {
    // The application's function threw an error. The call later fails with this error.
    return []
  }
}

/** A text for each missing field, with the ids of the tools that need the field, except the id of the called tool. */
export function missingTexts<Tool extends { readonly id: string }>(
  owner: 'options' | 'context',
  missing: readonly { readonly field: MetaField; readonly tool: Tool }[],
  called?: Tool,
): readonly string[] {
  const ids = new Map<MetaField, readonly string[]>()
  for (const { field, tool } of missing)
    ids.set(field, [...(ids.get(field) ?? []), ...(tool === called ? [] : [tool.id])])
  return [...ids].map(([field, tools]) => `${owner}.${field}${tools.length === 0 ? '' : ` (for ${tools.join(', ')})`}`)
}

function innerTools(tool: BoundTool): ToolTable['served'] {
  const agent = agentServing(tool)
  return agent === undefined || agent.choosesTools === true ? [] : agent.table.served
}

function missingOptions(
  tool: BoundTool,
  meta: ToolCallMeta,
  nested: ToolCallMeta,
  seen: Set<BoundTool>,
): readonly { readonly field: MetaField; readonly tool: BoundTool }[] {
  if (seen.has(tool)) return []
  seen.add(tool)
  const inner = innerTools(tool)
  return [
    ...missingMeta(tool.spec.serverOwned, meta).map((field) => ({ field, tool })),
    ...inner.flatMap((served) => missingOptions(served.tool, nested, nested, seen)),
  ]
}
