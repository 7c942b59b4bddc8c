import type { Issue } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import type { Choices } from './choices.js'
import { type IssueFacts, issueMessage } from './issue-messages.js'
import { isContainer } from './json-values.js'

/** Path of an issue, with its description and message. */
export interface IssueLocation {
  readonly path: string
  readonly description?: string | undefined
  readonly message?: string | undefined
}

/** Creates an issue from its facts. */
export function makeIssue(facts: IssueFacts, location: IssueLocation): Issue {
  const { path, description, message = issueMessage(facts) } = location
  const issue = Object.assign({ path }, facts, { message })
  return description === undefined ? issue : Object.assign(issue, { description })
}

/** Returns the facts of a string, array or object that is too short or too long. */
export function lengthFacts(
  unit: 'characters' | 'items' | 'properties',
  received: number,
  minimum: number | undefined,
  maximum: number | undefined,
): IssueFacts {
  const constraint = 'invalid_length'
  if (minimum === undefined) {
    return maximum === undefined ? { constraint, unit, received } : { constraint, unit, received, maximum }
  }
  return maximum === undefined
    ? { constraint, unit, received, minimum }
    : { constraint, unit, received, minimum, maximum }
}

/** Returns the facts of an undeclared field. */
export function unknownFieldFacts(field: string, choices: Choices<string>, nearest: string | undefined): IssueFacts {
  const facts = { constraint: 'unknown_field', field, ...choices.listed(nearest) } as const
  return nearest === undefined ? facts : { ...facts, nearest }
}

const longest = 200

/** Returns a received value for an issue. If it has more than 200 characters (as JSON), it is cut with `…`. */
export function boundedReceived<Value extends JsonValue>(
  received: Value,
): { readonly received: Value | string; readonly receivedLength?: number } {
  const text = isContainer(received) ? JSON.stringify(received) : String(received)
  if (text.length <= longest) return { received }
  // Do not cut a surrogate pair in half.
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, longest)) ? longest - 1 : longest
  return { received: `${text.slice(0, end)}…`, receivedLength: text.length }
}
