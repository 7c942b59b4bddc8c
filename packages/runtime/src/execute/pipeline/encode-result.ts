import type { JsonText } from '../../contract/json.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'
import type { BoundTool } from '../tool/bound-tool.js'

/** An executor's answer after the result codec. */
export interface EncodedResult {
  /** The declared value, without undeclared fields. */
  readonly data: unknown
  readonly json: JsonText
}

/**
 * Takes an executor's answer through the result codec.
 *
 * @throws {ToolFailure} `malformed_result` with the issues, when the answer breaks the declared result.
 */
export function encodeResult(tool: BoundTool, answer: unknown): EncodedResult {
  const encoded = tool.result.encodeValue(answer)
  if (encoded.ok) return { data: encoded.value, json: encoded.json }
  const { issues } = encoded
  throw new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', issues })
}
