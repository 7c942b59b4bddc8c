import type { ToolCallRef } from '../types/call.js'
import type { ProvenanceDetail } from '../types/executor.js'
import type { JsonText } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { Acknowledgement, Provenance, ToolOutcome } from '../types/outcome.js'
import { adaptResult } from './adapters.js'
import type { BoundTool } from './bound-tool.js'
import { type CallCost, callProvenance, isProvenanced } from './provenance.js'
import { FIXED_MESSAGES, ToolFailure } from './tool-failure.js'

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

/** An executor's answer after the result codec. */
interface EncodedResult {
  /** The declared value, without undeclared fields. */
  readonly data: unknown
  readonly json: JsonText
}

/**
 * Takes an executor's answer through the result codec.
 *
 * @throws {ToolFailure} `malformed_result` with the issues, when the answer breaks the declared result.
 */
function encodeResult(tool: BoundTool, answer: unknown): EncodedResult {
  const encoded = tool.result.encodeValue(answer)
  if (encoded.ok) return { data: encoded.value, json: encoded.json }
  const { issues } = encoded
  throw new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', issues })
}

/** What a run has of a call that goes on in its session. */
export function acknowledgedOutcome(
  call: ToolCallRef,
  provenance: Provenance,
  acknowledgement: Acknowledgement,
): ToolOutcome {
  const result = Object.freeze({ data: acknowledgement, provenance })
  const json = JSON.stringify(acknowledgement)
  return Object.freeze({ call, provenance, status: 'completed', result, json, acknowledgement })
}
