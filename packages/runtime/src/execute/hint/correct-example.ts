import { parsePointer } from '../../codec/json/pointer.js'
import type { Issue } from '../../contract/issue.js'
import type { JsonValue } from '../../contract/json.js'
import type { BoundTool } from '../tool/bound-tool.js'

/** An example longer than this is shortened to the fields that matter. */
const LONGEST_EXAMPLE = 120

/**
 * Arguments that the tool's codec takes, the best to show first: the author's first example, then one made from the
 * schema, then the author's others. A long one is shortened to the required and the faulty fields, when what is left
 * still fits.
 */
export function* exampleCandidates(tool: BoundTool, issues: readonly Issue[]): Generator<JsonValue> {
  const [first, ...others] = tool.examples.fitting
  if (first !== undefined) {
    const shorter = isShort(first) ? [first] : [neededFields(first, tool, issues), tool.examples.made]
    yield* shorter.filter(isGiven).filter(isShort)
    if (!isShort(first)) yield first
  }
  if (isGiven(tool.examples.made)) yield tool.examples.made
  yield* others
}

/** The example with its required fields and those that were faulty; `undefined` when that does not fit. */
function neededFields(example: JsonValue, tool: BoundTool, issues: readonly Issue[]): JsonValue | undefined {
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return undefined
  const schema = tool.spec.arguments
  const required = typeof schema === 'object' && Array.isArray(schema.required) ? schema.required : []
  const needed = new Set<unknown>([...required, ...issues.map((issue) => parsePointer(issue.path)?.[0])])
  const shorter: JsonValue = Object.fromEntries(Object.entries(example).filter(([field]) => needed.has(field)))
  return tool.payload.decodeValue(shorter).ok ? shorter : undefined
}

function isGiven(example: JsonValue | undefined): example is JsonValue {
  return example !== undefined
}

function isShort(example: JsonValue): boolean {
  return JSON.stringify(example).length <= LONGEST_EXAMPLE
}
