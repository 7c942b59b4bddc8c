import { internalErrorText } from '../diagnostics/diagnostic.js'
import type { BoundToolPlan, ToolBinding } from './bind-tool.js'
import { ToolDiagnostics } from './binding-diagnostics.js'
import { findMethod } from './client.js'
import { responseOf } from './response.js'
import { isGeneric } from './verdicts.js'

/**
 * Returns the plan of a tool whose types cannot be compared because of an internal error: mappers of the application
 * make its arguments and its result.
 */
export function unboundTool({ tool, bound, use, client, reader }: ToolBinding, error: unknown): BoundToolPlan {
  // A step can fail for the same reason as the comparison.
  const attempt = <Value>(step: () => Value): Value | undefined => {
    try {
      return step()
    } catch {
      return undefined
    }
  }
  const found = attempt(() => findMethod(client.type, bound.method, client.name, reader))
  const method = found !== undefined && 'method' in found ? found.method : undefined
  const last = method?.signatures.at(-1)
  const response = last && attempt(() => responseOf(last, reader))
  const diagnostics = new ToolDiagnostics(tool.name, use, bound, client.name)
  diagnostics.steps.streams = tool.updates !== undefined && response?.item !== undefined
  const reason = `the types of the method cannot be compared because of a bug in toolgen: ${internalErrorText(error)} (TG4303)`
  const mapper = { verdict: 'mapper', reason } as const
  return {
    plan: {
      tool: tool.name,
      method: method?.path ?? bound.method.split('.'),
      optional: method?.optional ?? [],
      signature: { fromLast: 0, of: method?.signatures.length ?? 1, generic: last !== undefined && isGeneric(last) },
      payload: mapper,
      result: mapper,
      ...(diagnostics.steps.streams && { stream: { collect: bound.collect ?? 'list', update: mapper } }),
      thenable: response?.isThenable ?? false,
      unwrapData: false,
    },
    diagnostics: [diagnostics.uncompared(error)],
  }
}
