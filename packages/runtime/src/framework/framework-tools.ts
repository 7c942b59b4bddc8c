import type { ToolCallMeta } from '../contract/meta.js'
import type { Mutable } from '../contract/mutable.js'
import type { AgentToolSpec } from '../contract/spec.js'
import { missingMeta } from '../execute/tool/meta-value.js'
import { type CallableTools, specsOf } from './callable-tools.js'
import type { CallContext, FrameworkOptions } from './framework-options.js'
import { type FrameworkTool, frameworkTool } from './framework-tool.js'

/**
 * The tools of a toolset, agent or session for a framework, in the order of the design.
 *
 * @throws {TypeError} where `only` names a tool that there is not; where one context is for all calls and server-owned
 * fields cannot be filled from it, naming all of them.
 */
export function frameworkTools<Asked>(
  tools: CallableTools<never>,
  options: FrameworkOptions<Asked>,
): readonly FrameworkTool<Asked>[] {
  const specs = selected(specsOf(tools), options.only)
  if (typeof options.context !== 'function') requireMeta(specs, metaOf(tools, options.context ?? {}))
  return specs.map((spec) => frameworkTool(tools, spec, options))
}

function selected(specs: readonly AgentToolSpec[], only: FrameworkOptions<never>['only']): readonly AgentToolSpec[] {
  if (only === undefined) return specs
  const ids = new Set(only.map(({ spec }) => spec.id))
  const chosen = specs.filter(({ id }) => ids.delete(id))
  if (ids.size > 0) throw new TypeError(`only: there is no tool ${[...ids].join(', ')} here`)
  return chosen
}

/** What every call is known to have: of the context, of the session, of the runtime itself. */
function metaOf(tools: CallableTools<never>, { config, ...context }: CallContext): ToolCallMeta {
  const meta: Mutable<ToolCallMeta> = {
    toolCallId: '',
    attempt: 1,
    labels: { ...config?.parts.labels, ...context.labels },
    signal: new AbortController().signal,
  }
  const sessionId = 'specs' in tools ? context.sessionId : ''
  if (sessionId !== undefined) meta.sessionId = sessionId
  for (const field of ['runId', 'turnId', 'parentToolCallId'] as const) {
    const given = context[field]
    if (given !== undefined) meta[field] = given
  }
  return meta
}

function requireMeta(specs: readonly AgentToolSpec[], meta: ToolCallMeta): void {
  const lacks = specs.flatMap(({ id, serverOwned }) =>
    missingMeta(serverOwned, meta).map((field) => `context.${field} (for ${id})`),
  )
  if (lacks.length > 0) throw new TypeError(`the calls of these tools need ${lacks.join(', ')}`)
}
