import type { JsonValue } from '../../contract/json.js'
import type { KnownFailure } from '../failure/known-failure.js'
import { exampleCandidates } from '../hint/correct-example.js'
import type { BoundTool } from '../tool/bound-tool.js'
import type { MetaSource } from '../tool/payload-door.js'
import type { Abortable } from '../tool/running-call.js'
import { checkIssues } from './check.js'
import { withServerOwned } from './server-owned.js'
import { untilAborted } from './until-aborted.js'

/** The attempt that failed. */
export interface Attempt extends MetaSource {
  readonly limit: Abortable
}

/** How many candidates a check is asked about. */
const MAX_CHECKED = 4

/**
 * Arguments that the tool takes, its check included: a model that follows the example must not fail again. `undefined`
 * where none is found, or where the failure needs none.
 */
export async function passingExample(
  tool: BoundTool,
  failure: KnownFailure,
  attempt: Attempt,
): Promise<JsonValue | undefined> {
  if (failure.reason !== 'invalid_arguments' && failure.reason !== 'missing_fields') return undefined
  if (failure.example !== undefined || failure.noExample === true) return undefined
  let left = MAX_CHECKED
  for (const candidate of exampleCandidates(tool, failure.issues ?? [])) {
    if (tool.check === undefined) return candidate
    left -= 1
    if (left < 0) return undefined
    if (await passes(tool, candidate, attempt)) return candidate
  }
  return undefined
}

async function passes(tool: BoundTool, candidate: JsonValue, attempt: Attempt): Promise<boolean> {
  const { check } = tool
  if (check === undefined) return true
  const decoded = tool.payload.decodeValue(candidate)
  if (!decoded.ok) return false
  try {
    const payload = withServerOwned(decoded.value, tool.serverOwned, attempt)
    const issues = await untilAborted(attempt.limit, () => checkIssues(check, payload))
    return issues.length === 0
  } catch {
    // The call has failed already and says why; a check that fails now only costs the example.
    return false
  }
}
