import type { RunMeta } from '../types/planner.js'
import type { MetaField, ToolCallMeta } from '../types/tool.js'
import type { BoundTool, MetaSource } from './bound-tool.js'
import { agentServing } from './call-context.js'
import { missingMeta } from './call-meta.js'
import { ToolFailure } from './tool-failure.js'
import type { ToolTable } from './tool-table.js'

/** The meta fields that the runtime itself gives to each call of a run. */
const GIVEN = { toolCallId: '', attempt: 1 } as const

/** The meta fields that it gives to each call of a run which serves a call. */
const GIVEN_BENEATH = { ...GIVEN, runId: '', parentToolCallId: '' } as const

/**
 * The options that a run's caller has not given, and from which server-owned fields are filled: of the agent's tools, and of
 * those of the agents that serve them. Each with the tool that needs it.
 */
export function missingRunOptions({ served }: ToolTable, meta: RunMeta): readonly string[] {
  const search = new MissingSearch()
  for (const { tool } of served) search.visit(tool, { ...meta, ...GIVEN }, { ...meta, ...GIVEN_BENEATH })
  return search.missing.map(({ field, tool }) => `options.${field} (for ${tool.id})`)
}

/**
 * The options that a call's caller has not given: of its own tool, and where an agent serves it, of that agent's tools. Each
 * with the tool that needs it, unless that is the tool of the call.
 */
export function missingCallOptions(called: BoundTool, source: { readonly meta: ToolCallMeta }): readonly string[] {
  const search = new MissingSearch()
  try {
    const isNested = agentServing(called.executor) !== undefined
    // Most tools need nothing: their meta is not made.
    if (called.serverOwned.length === 0 && !isNested) return []
    const { meta } = source
    search.visit(called, meta, isNested ? { ...meta, ...GIVEN_BENEATH } : meta)
  } catch {
    // The application's function gives no agent: the call itself fails with its error.
    return []
  }
  return search.missing.map(({ field, tool }) => `options.${field}${tool === called ? '' : ` (for ${tool.id})`}`)
}

/** Goes through tools and those of the agents that serve them, each once. */
class MissingSearch {
  readonly missing: { readonly field: MetaField; readonly tool: BoundTool }[] = []
  readonly #seen = new Set<BoundTool>()

  /** @param nested the meta of calls of the agent that serves the tool */
  visit(tool: BoundTool, meta: ToolCallMeta, nested: ToolCallMeta): void {
    if (this.#seen.has(tool)) return
    this.#seen.add(tool)
    if (tool.serverOwned.length > 0) {
      for (const field of missingMeta(tool.spec.serverOwned, meta)) this.missing.push({ field, tool })
    }
    for (const inner of agentServing(tool.executor)?.table.served ?? []) this.visit(inner.tool, nested, nested)
  }
}

/**
 * Why a tool is not started whose server-owned fields nobody can fill, or those of the tools of the agent that serves it;
 * `undefined` where all can be filled.
 */
export function metaFault(tool: BoundTool, source: MetaSource): ToolFailure | undefined {
  const missing = missingCallOptions(tool, source)
  if (missing.length === 0) return undefined
  return new ToolFailure(`The caller of '${tool.id}' must give ${missing.join(', ')} to execute.`, {
    reason: 'internal',
    action: 'finish',
  })
}
