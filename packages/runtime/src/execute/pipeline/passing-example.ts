import type { JsonValue } from '../../contract/json.js'
import type { ToolCallMeta } from '../../contract/meta.js'
import type { KnownFailure } from '../failure/known-failure.js'
import { exampleCandidates } from '../hint/correct-example.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { limitOf } from '../tool/idle-signal.js'
import { checkIssues } from './check.js'
import { withServerOwned } from './server-owned.js'
import { untilAborted } from './until-aborted.js'

/** How many candidates a check is asked about. */
const MAX_CHECKED = 4

/**
 * Arguments that the tool takes, its check included: a model that follows the example must not fail again. `undefined`
 * where none is found, or where the failure needs none.
 */
export async function passingExample(
  tool: BoundTool,
  failure: KnownFailure,
  meta: ToolCallMeta,
): Promise<JsonValue | undefined> {
  if (failure.reason !== 'invalid_arguments' && failure.reason !== 'missing_fields') return undefined
  if (failure.example !== undefined) return undefined
  let left = MAX_CHECKED
  for (const candidate of exampleCandidates(tool, failure.issues ?? [])) {
    if (tool.check === undefined) return candidate
    left -= 1
    if (left < 0) return undefined
    if (await passes(tool, candidate, meta)) return candidate
  }
  return undefined
}

async function passes(tool: BoundTool, candidate: JsonValue, meta: ToolCallMeta): Promise<boolean> {
  const { check } = tool
  if (check === undefined) return true
  const decoded = tool.payload.decodeValue(candidate)
  if (!decoded.ok) return false
  try {
    const payload = withServerOwned(decoded.value, tool.serverOwned, meta)
    const issues = await untilAborted(limitOf(meta), () => checkIssues(check, payload))
    return issues.length === 0
  } catch {
    // The call has failed already and says why; a check that fails now only costs the example.
    return false
  }
}
