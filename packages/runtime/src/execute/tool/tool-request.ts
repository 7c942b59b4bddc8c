import type { ToolCallRef } from '../../contract/call.js'
import type { Decoded } from '../../contract/codec.js'
import type { JsonText } from '../../contract/json.js'
import type { ToolCallMeta } from '../../contract/meta.js'
import type { ToolRequest } from '../../contract/tool-request.js'
import { adaptPayload } from './adapt.js'
import type { BoundTool } from './bound-tool.js'
import { memo } from './memo.js'

/** What makes a request unlike others of its tool. */
export interface RequestParts {
  readonly call: ToolCallRef
  readonly meta: ToolCallMeta
  readonly arguments: JsonText
  readonly startedAt: number
}

/** Adapted and decoded arguments, each made once. */
interface DecodeCell {
  readonly json: () => Promise<JsonText>
  readonly decode: () => Promise<Decoded<unknown>>
}

/** A request of a bound tool with a new decode cell. */
export function toolRequest(tool: BoundTool, parts: RequestParts): ToolRequest {
  const json = memo(() => adaptPayload(tool, parts.arguments, parts.meta))
  return requestOver(tool, parts, { json, decode: memo(async () => tool.payload.decode(await json())) })
}

function requestOver(tool: BoundTool, parts: RequestParts, cell: DecodeCell): ToolRequest {
  return {
    tool: tool.spec,
    call: parts.call,
    meta: parts.meta,
    arguments: parts.arguments,
    startedAt: parts.startedAt,
    json: cell.json,
    decode: cell.decode,
    withMeta: (meta) => requestOver(tool, { ...parts, meta }, cell),
    withArguments: (json) => toolRequest(tool, { ...parts, arguments: json }),
  }
}
