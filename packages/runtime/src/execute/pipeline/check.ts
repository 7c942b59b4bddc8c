import { cloneJson } from '../../codec/json/clone.js'
import { pointerSegment } from '../../codec/json/pointer.js'
import type { Issue } from '../../contract/issue.js'
import type { StandardCheck } from '../../contract/standard-schema.js'
import { peek } from '../failure/peek.js'

/** What is said where a schema gives no sentence of its own. */
const UNSAID = 'The value does not pass the check.'

/**
 * Passes a copy of a payload through the application's own schema. What the schema makes of the payload, or does to it,
 * is ignored: a check checks.
 */
export async function checkIssues(check: StandardCheck, payload: unknown): Promise<readonly Issue[]> {
  const { issues } = await check['~standard'].validate(cloneJson(payload))
  return issues === undefined ? [] : issues.map(asIssue)
}

/** What a validator reports may be anything, whatever its type promises. */
function asIssue(issue: unknown): Issue {
  const message = peek(issue, 'message')
  return {
    constraint: 'check_failed',
    path: pointer(peek(issue, 'path')),
    message: typeof message === 'string' && message !== '' ? message : UNSAID,
  }
}

function pointer(path: unknown): string {
  return Array.isArray(path) ? path.map((part) => `/${segment(peek(part, 'key') ?? part)}`).join('') : ''
}

function segment(key: unknown): string {
  return typeof key === 'string' || typeof key === 'number' || typeof key === 'symbol'
    ? pointerSegment(String(key))
    : '?'
}
