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

/** The encoded result after the result adapter. */
export function adaptResult(tool: BoundTool, json: JsonText, meta: ToolCallMeta): Promise<JsonText> {
  return adapt(tool.resultAdapter, tool, json, meta)
}

async function adapt(
  adapter: JsonAdapter | undefined,
  tool: BoundTool,
  json: JsonText,
  meta: ToolCallMeta,
): Promise<JsonText> {
  if (adapter === undefined) return json
  try {
    const adapted: unknown = await adapter(json, { meta, tool: tool.spec, signal: meta.signal })
    if (typeof adapted === 'string') return adapted
    throw new TypeError(`an adapter of '${tool.id}' answered with something other than JSON text`)
  } catch (error) {
    if (isToolFailure(error)) throw error
    throw new ToolFailure(FIXED_MESSAGES.internal, { reason: 'internal', cause: error })
  }
}
