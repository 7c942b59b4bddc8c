import { parsePointer } from '../../codec/json/pointer.js'
import { validExample } from '../../codec/valid-example.js'
import type { Issue } from '../../contract/issue.js'
import type { JsonValue } from '../../contract/json.js'
import type { BoundTool } from '../tool/bound-tool.js'

/** An example longer than this is shortened to the fields that matter. */
const LONGEST_EXAMPLE = 120

/**
 * Arguments that the tool takes: the first of its examples that really fits, else one made from its schema. A long
 * one is shortened to the required and the faulty fields, when what is left still fits.
 */
export function correctExample(tool: BoundTool, issues: readonly Issue[]): JsonValue | undefined {
  const example = tool.spec.examples.find((candidate) => fits(tool, candidate))
  if (example === undefined) return validExample(tool.spec.arguments)
  if (isShort(example)) return example
  const shorter = [neededFields(example, tool, issues), validExample(tool.spec.arguments)]
  return shorter.find((candidate) => candidate !== undefined && isShort(candidate)) ?? example
}

/** The example with its required fields and those that were faulty; `undefined` when that does not fit. */
function neededFields(example: JsonValue, tool: BoundTool, issues: readonly Issue[]): JsonValue | undefined {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return undefined
  const schema = tool.spec.arguments
  const required = typeof schema === 'object' && Array.isArray(schema.required) ? schema.required : []
  const needed = new Set<unknown>([...required, ...issues.map((issue) => parsePointer(issue.path)?.[0])])
  const shorter: JsonValue = Object.fromEntries(Object.entries(example).filter(([field]) => needed.has(field)))
  return fits(tool, shorter) ? shorter : undefined
}

function fits(tool: BoundTool, value: JsonValue): boolean {
  return tool.payload.decodeValue(value).ok
}

function isShort(example: JsonValue): boolean {
  return JSON.stringify(example).length <= LONGEST_EXAMPLE
}
