import type { JsonText } from '../../contract/json.js'
import type { ToolCallMeta } from '../../contract/meta.js'
import type { JsonAdapter } from '../../contract/registration.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { isToolFailure, ToolFailure } from '../failure/tool-failure.js'
import type { BoundTool } from './bound-tool.js'

/** The arguments after the payload adapter. */
export function adaptPayload(tool: BoundTool, json: JsonText, meta: ToolCallMeta): Promise<JsonText> {
  return adapt(tool.payloadAdapter, tool, json, meta)
}

/**
 * The encoded result after the result adapter.
 *
 * @throws {ToolFailure} the adapter's own, else `internal`: the tool has run, and what the facts of another error may
 * advise, waiting and calling again, would run it twice.
 */
export async function adaptResult(tool: BoundTool, json: JsonText, meta: ToolCallMeta): Promise<JsonText> {
  try {
    return await adapt(tool.resultAdapter, tool, json, meta)
  } catch (error) {
    if (isToolFailure(error)) throw error
    throw new ToolFailure(FIXED_MESSAGES.internal, { reason: 'internal', cause: error })
  }
}

async function adapt(
  adapter: JsonAdapter | undefined,
  tool: BoundTool,
  json: JsonText,
  meta: ToolCallMeta,
): Promise<JsonText> {
  if (adapter === undefined) return json
  const adapted: unknown = await adapter(json, { meta, tool: tool.spec, signal: meta.signal })
  if (typeof adapted === 'string') return adapted
  throw new TypeError(`an adapter of '${tool.id}' answered with something other than JSON text`)
}
