import type { ProvenanceDetail } from '../../contract/executor.js'
import type { JsonText } from '../../contract/json.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { isProvenanced } from '../result/provenanced.js'
import type { BoundTool } from '../tool/bound-tool.js'

/** An executor's answer after the result codec. */
export interface EncodedResult {
  /** The declared value, without undeclared fields. */
  readonly data: unknown
  readonly json: JsonText
  /** Absent where the executor said nothing beside its answer. */
  readonly detail: ProvenanceDetail | undefined
}

/**
 * Takes an executor's answer through the result codec.
 *
 * @throws {ToolFailure} `malformed_result` with the issues, when the answer breaks the declared result.
 */
export function encodeResult(tool: BoundTool, answer: unknown): EncodedResult {
  const told = isProvenanced(answer) ? answer : undefined
  const encoded = tool.result.encodeValue(told === undefined ? answer : told.value)
  if (encoded.ok) return { data: encoded.value, json: encoded.json, detail: told?.detail }
  const { issues } = encoded
  throw new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', issues })
}
