import { makeIssue } from '../../codec/issues/make-issue.js'
import type { Issue } from '../../contract/issue.js'
import type { JsonValue } from '../../contract/json.js'

/** Stands for what a service answered. */
const HIDDEN = '…'

/** An issue of a result without the text that the service answered: nobody meant a model to see that. */
export function withoutReceived(issue: Issue): Issue {
  const { path, description } = issue
  switch (issue.constraint) {
    case 'invalid_enum_value': {
      const { constraint, allowed, more, received } = issue
      const list = { allowed, ...(more !== undefined && { more }) }
      return makeIssue({ constraint, ...list, received: hidden(received) }, { path, description })
    }
    case 'invalid_format': {
      const { constraint, format } = issue
      return makeIssue({ constraint, format, received: HIDDEN }, { path, description })
    }
    case 'invalid_pattern': {
      const { constraint, pattern } = issue
      return makeIssue({ constraint, pattern, received: HIDDEN }, { path, description })
    }
    case 'no_variant_matches':
      return issue.nearest === undefined ? issue : { ...issue, nearest: issue.nearest.map(withoutReceived) }
    default:
      return issue
  }
}

function hidden(received: JsonValue): JsonValue {
  return typeof received === 'string' || typeof received === 'object' ? HIDDEN : received
}
