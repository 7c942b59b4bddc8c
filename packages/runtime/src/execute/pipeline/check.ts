import type { Issue } from '../../contract/issue.js'
import type { StandardCheck, StandardIssue } from '../../contract/standard-schema.js'

/**
 * Passes a payload through the application's own schema. What the schema makes of the payload is ignored: a check
 * checks.
 */
export async function checkIssues(check: StandardCheck, payload: unknown): Promise<readonly Issue[]> {
  const result = await check['~standard'].validate(payload)
  return result.issues === undefined ? [] : result.issues.map(asIssue)
}

function asIssue({ path = [], message }: StandardIssue): Issue {
  const pointer = path.map((part) => `/${escaped(typeof part === 'object' ? part.key : part)}`).join('')
  return { constraint: 'check_failed', path: pointer, message }
}

function escaped(key: PropertyKey): string {
  return String(key).replaceAll('~', '~0').replaceAll('/', '~1')
}
