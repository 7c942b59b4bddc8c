import type { ContentPart } from '../types/content.js'
import type { MetaSource } from '../types/executor.js'
import type { JsonText } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { Acknowledgement, Provenance, ToolOutcome } from '../types/outcome.js'
import type { ToolCallRef } from '../types/tool.js'
import type { BoundTool } from './bound-tools.js'
import { contentOf, partsIn, withInResult, withoutData } from './content.js'
import { adapt } from './payload.js'
import { callProvenance, isProvenanced } from './provenance.js'
import type { ToolCallExecution } from './tool-call.js'
import { FIXED_MESSAGES, isToolFailure, malformedResult, ToolFailure } from './tool-failure.js'

const DENIED = 'This tool needs the approval of a person. The approval was not granted.'

export function deniedOutcome(request: ToolRequest, reason: string = ''): Promise<ToolOutcome> {
  const result = request.tool.confirmation?.deniedResult
  if (result !== undefined) return request.complete(result)
  return request.fail(new ToolFailure(reason.trim() === '' ? DENIED : reason, { reason: 'denied' }))
}

/**
 * @throws {ToolFailure} if the result is invalid, or if `result` is a `ToolFailure`. The promise rejects with a `ToolFailure` that the
 * `resultAdapter` threw. Any other error of the adapter becomes `internal`, because the tool has already run and must not run again.
 */
export function completedOutcome(
  tool: BoundTool,
  request: MetaSource & { readonly execution: ToolCallExecution },
  result: unknown,
): ToolOutcome | Promise<ToolOutcome> {
  const { execution } = request
  const isDescribed = isProvenanced(result)
  if (isDescribed) execution.describe(result.detail)
  const value = isDescribed ? result.value : result
  if (value instanceof Error && isToolFailure(value)) throw value
  const encoded = tool.result.encodeValue(value)
  if (!encoded.ok) {
    throw malformedResult(encoded.issues)
  }
  // Before layers and adapters, which can move the values to other fields.
  if (tool.sensitive !== undefined) execution.redaction?.learn(encoded.value, tool.sensitive.result)
  const all = isDescribed ? contentOf(result) : undefined
  const complete = (adapted: JsonText): ToolOutcome => {
    const content = all && withInResult(adapted, keptParts(all, encoded.json, adapted))
    const json = withoutData(adapted, content)
    const provenance = callProvenance(tool.id, tool.executor, execution.cost(), tool.spec.reads)
    const provenanced = Object.freeze({ data: encoded.value, provenance })
    const outcome = { call: execution.ref, provenance, status: 'completed', result: provenanced, json } as const
    return Object.freeze(content === undefined || content.length === 0 ? outcome : { ...outcome, content })
  }
  if (tool.resultAdapter === undefined) return complete(encoded.json)
  return adapt(tool.resultAdapter, tool, encoded.json, request).then(complete, (error) => {
    if (isToolFailure(error)) throw error
    throw new ToolFailure(FIXED_MESSAGES.internal, { reason: 'internal', cause: error })
  })
}

function keptParts(parts: readonly ContentPart[], json: JsonText, adapted: JsonText): readonly ContentPart[] {
  if (json === adapted) return parts
  const kept = new Set(partsIn(adapted, parts))
  const before = new Set(partsIn(json, parts))
  return parts.filter((part) => kept.has(part) || !before.has(part))
}

export function acknowledgedOutcome(
  call: ToolCallRef,
  provenance: Provenance,
  acknowledgement: Acknowledgement,
): ToolOutcome {
  const result = Object.freeze({ data: acknowledgement, provenance })
  const json = JSON.stringify(acknowledgement)
  return Object.freeze({ call, provenance, status: 'completed', result, json, acknowledgement })
}
