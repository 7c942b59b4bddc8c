import type { Issue } from '../../contract/issue.js'
import type { IssueFacts } from './facts.js'
import { issueMessage } from './message.js'

/** Where an issue is and what is known about the place. */
export interface IssuePlace {
  /** JSON Pointer. */
  readonly path: string
  readonly description?: string | undefined
  /** Replaces the usual sentence. */
  readonly message?: string
}

/** Completes facts to an issue. */
export function makeIssue(facts: IssueFacts, place: IssuePlace): Issue {
  const { path, description, message = issueMessage(facts) } = place
  return description === undefined ? { path, ...facts, message } : { path, ...facts, message, description }
}
