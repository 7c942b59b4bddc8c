import type { ProvenanceDetail } from '../../contract/executor.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { ToolRequest } from '../../contract/tool-request.js'
import { type CallCost, callProvenance } from '../result/provenance-detail.js'
import { isProvenanced } from '../result/provenanced.js'
import { adaptResult } from '../tool/adapt.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { type EncodedResult, encodeResult } from './encode-result.js'

/** A call that has been answered. */
interface AnsweredCall extends Pick<ToolRequest, 'call' | 'meta'> {
  /** Keeps what was said about the result, also where the result then breaks its contract. */
  describe(detail: ProvenanceDetail): void
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
  const isDescribed = isProvenanced(answer)
  if (isDescribed) request.describe(answer.detail)
  const encoded = encodeResult(tool, isDescribed ? answer.value : answer)
  return tool.resultAdapter === undefined ? envelope(tool, request, encoded) : adapted(tool, request, encoded)
}

async function adapted(tool: BoundTool, request: AnsweredCall, encoded: EncodedResult): Promise<ToolOutcome> {
  const json = await adaptResult(tool, encoded.json, request.meta)
  return envelope(tool, request, { ...encoded, json })
}

function envelope(tool: BoundTool, request: AnsweredCall, { data, json }: EncodedResult): ToolOutcome {
  const { call } = request
  const provenance = callProvenance(tool.id, tool.executor, request.cost())
  const result = Object.freeze({ data, provenance })
  return Object.freeze({ call, provenance, status: 'completed', result, json })
}
