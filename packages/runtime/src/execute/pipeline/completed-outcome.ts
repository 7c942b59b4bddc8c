import type { Mutable } from '../../contract/mutable.js'
import type { Provenance, ToolOutcome } from '../../contract/outcome.js'
import type { ToolRequest } from '../../contract/tool-request.js'
import { provenanceDetail } from '../result/provenance-detail.js'
import { adaptResult } from '../tool/adapt.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { type EncodedResult, encodeResult } from './encode-result.js'

/** What a call cost so far. */
export type CallCost = Pick<Provenance, 'durationMs' | 'attempts' | 'children'>

/** A call that has been answered. */
interface AnsweredCall extends Pick<ToolRequest, 'call' | 'meta'> {
  /** Asked for after the result adapter has run. */
  cost(): CallCost
}

/**
 * From an answer to an outcome: result codec, result adapter, envelope.
 *
 * @throws {ToolFailure} `malformed_result` when the answer breaks the declared result, or the adapter's failure.
 */
export function completedOutcome(
  tool: BoundTool,
  request: AnsweredCall,
  answer: unknown,
): ToolOutcome | Promise<ToolOutcome> {
  const encoded = encodeResult(tool, answer)
  return tool.resultAdapter === undefined ? envelope(tool, request, encoded) : adapted(tool, request, encoded)
}

async function adapted(tool: BoundTool, request: AnsweredCall, encoded: EncodedResult): Promise<ToolOutcome> {
  const json = await adaptResult(tool, encoded.json, request.meta)
  return envelope(tool, request, { ...encoded, json })
}

function envelope(tool: BoundTool, request: AnsweredCall, { data, json, detail }: EncodedResult): ToolOutcome {
  const { call } = request
  const provenance = costProvenance(tool.id, request.cost())
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
