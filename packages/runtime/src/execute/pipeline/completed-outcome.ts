import type { Provenance, ToolOutcome } from '../../contract/outcome.js'
import type { ToolRequest } from '../../contract/tool-request.js'
import { provenanceDetail } from '../result/provenance-detail.js'
import { adaptResult } from '../tool/adapt.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { encodeResult } from './encode-result.js'

/** What a completed call cost. */
export interface CallCost {
  readonly durationMs: number
  readonly attempts: number
}

/**
 * From an answer to an outcome: result codec, result adapter, envelope.
 *
 * @param cost asked for after the adapter has run
 * @throws {ToolFailure} `malformed_result` when the answer breaks the declared result, or the adapter's failure.
 */
export async function completedOutcome(
  tool: BoundTool,
  request: Pick<ToolRequest, 'call' | 'meta'>,
  answer: unknown,
  cost: () => CallCost,
): Promise<ToolOutcome> {
  const { data, json: encoded, detail } = encodeResult(tool, answer)
  const json = tool.resultAdapter === undefined ? encoded : await adaptResult(tool, encoded, request.meta)
  const { durationMs, attempts } = cost()
  const provenance: Provenance = { tool: tool.id, durationMs, attempts }
  if (detail !== undefined) Object.assign(provenance, provenanceDetail(detail))
  Object.freeze(provenance)
  const result = Object.freeze({ data, provenance })
  return Object.freeze({ call: request.call, provenance, status: 'completed', result, json })
}
