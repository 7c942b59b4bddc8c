import type { ToolCallRef } from '../../contract/call.js'
import type { Mutable } from '../../contract/mutable.js'
import type { Provenance, ToolOutcome } from '../../contract/outcome.js'
import type { ToolRequest } from '../../contract/tool-request.js'
import { provenanceDetail } from '../result/provenance-detail.js'
import { adaptResult } from '../tool/adapt.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { type EncodedResult, encodeResult } from './encode-result.js'

/** What a call cost so far. */
export type CallCost = Pick<Provenance, 'durationMs' | 'attempts' | 'children'>

/**
 * From an answer to an outcome: result codec, result adapter, envelope.
 *
 * @param cost asked for after the adapter has run
 * @throws {ToolFailure} `malformed_result` when the answer breaks the declared result, or the adapter's failure.
 */
export function completedOutcome(
  tool: BoundTool,
  { call, meta }: Pick<ToolRequest, 'call' | 'meta'>,
  answer: unknown,
  cost: () => CallCost,
): ToolOutcome | Promise<ToolOutcome> {
  const encoded = encodeResult(tool, answer)
  if (tool.resultAdapter === undefined) return envelope(tool, call, encoded, cost())
  return adaptResult(tool, encoded.json, meta).then((json) => envelope(tool, call, { ...encoded, json }, cost()))
}

function envelope(
  tool: BoundTool,
  call: ToolCallRef,
  { data, json, detail }: EncodedResult,
  cost: CallCost,
): ToolOutcome {
  const provenance = costProvenance(tool.id, cost)
  if (detail !== undefined) Object.assign(provenance, provenanceDetail(detail))
  Object.freeze(provenance)
  const result = Object.freeze({ data, provenance })
  return Object.freeze({ call, provenance, status: 'completed', result, json })
}

/** The provenance of a call that an executor has added nothing to. */
export function costProvenance(tool: string, { durationMs, attempts, children }: CallCost): Mutable<Provenance> {
  const provenance: Mutable<Provenance> = { tool, durationMs, attempts }
  if (children !== undefined) provenance.children = children
  return provenance
}
