import { nearestNames } from '../../codec/issues/nearest.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'
import type { ToolTable } from './tool-table.js'

/** How many near names a hint offers. */
export const MAX_NEAR = 3

/** The failure of a call for a tool that is not there, with near names in the form in which the tool was asked for. */
export function unknownTool(name: string, table: ToolTable): ToolFailure {
  const candidates = name.includes('.') ? table.ids : table.wireNames
  return new ToolFailure(FIXED_MESSAGES.unknown_tool, {
    reason: 'unknown_tool',
    near: [...new Set([...sameTool(name, table), ...nearestNames(name, candidates, MAX_NEAR)])].slice(0, MAX_NEAR),
  })
}

/** The tool of this name in toolsets that go by another name: the agent may use one `as` something else. */
function sameTool(name: string, { ids }: ToolTable): readonly string[] {
  const dot = name.indexOf('.')
  return dot < 0 ? [] : ids.filter((id) => id.slice(id.indexOf('.')) === name.slice(dot))
}
