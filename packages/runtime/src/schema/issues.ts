import type { Issue } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import { type IssueFacts, issueMessage } from './issue-messages.js'
import { isContainer } from './json-values.js'

export interface IssueLocation {
  readonly path: string
  readonly description?: string | undefined
  readonly message?: string | undefined
}

export function makeIssue(facts: IssueFacts, location: IssueLocation): Issue {
  const { path, description, message = issueMessage(facts) } = location
  return described(Object.assign({ path }, facts, { message }), description)
}

export function described(issue: Issue, description: string | undefined): Issue {
  return description === undefined ? issue : Object.assign(issue, { description })
}

const longest = 200

export function boundedReceived<Value extends JsonValue>(
  received: Value,
): { readonly received: Value | string; readonly receivedLength?: number } {
  if (typeof received === 'string' && received.length <= longest) return { received }
  const text = isContainer(received) ? JSON.stringify(received) : String(received)
  if (text.length <= longest) return { received }
  // Do not cut a surrogate pair in half.
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, longest)) ? longest - 1 : longest
  return { received: `${text.slice(0, end)}…`, receivedLength: text.length }
}
