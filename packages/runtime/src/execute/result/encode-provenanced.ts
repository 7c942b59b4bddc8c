import type { ToolCallRef } from '../../contract/call.js'
import type { Codec } from '../../contract/codec.js'
import type { JsonObject, JsonText } from '../../contract/json.js'
import type { Provenance, ProvenancedResult } from '../../contract/outcome.js'

/**
 * Writes a result with its provenance as JSON: `data` by the tool's codec, `provenance` under the names `tool`,
 * `duration_ms`, `attempts`, `model`, `service`, `children` and `extra`.
 *
 * @throws {CodecError} when `data` does not fit the codec.
 *
 * @example
 * encodeProvenanced(outcome.result, orders.getOrder.result)
 */
export function encodeProvenanced<Result>(
  result: ProvenancedResult<Result>,
  codec: Pick<Codec<Result, unknown>, 'encode'>,
): JsonText {
  return `{"data":${codec.encode(result.data)},"provenance":${JSON.stringify(provenanceJson(result.provenance))}}`
}

function provenanceJson(provenance: Provenance): JsonObject {
  return {
    tool: provenance.tool,
    duration_ms: provenance.durationMs,
    attempts: provenance.attempts,
    ...(provenance.model !== undefined && { model: provenance.model }),
    ...(provenance.service !== undefined && { service: provenance.service }),
    ...(provenance.children !== undefined && { children: provenance.children.map(callJson) }),
    ...(provenance.extra !== undefined && { extra: provenance.extra }),
  }
}

function callJson(call: ToolCallRef): JsonObject {
  return {
    tool: call.tool,
    tool_call_id: call.toolCallId,
    ...(call.parentToolCallId !== undefined && { parent_tool_call_id: call.parentToolCallId }),
  }
}
