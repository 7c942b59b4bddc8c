import type { Issue } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import type { Choices } from './choices.js'
import { type IssueFacts, issueMessage } from './issue-messages.js'
import { isContainer } from './json-values.js'

/** Path, description and message of an issue. */
export interface IssueLocation {
  readonly path: string
  readonly description?: string | undefined
  readonly message?: string | undefined
}

/** Creates an issue. Default of `location.message`: the message that {@link issueMessage} creates. */
export function makeIssue(facts: IssueFacts, location: IssueLocation): Issue {
  const { path, description, message = issueMessage(facts) } = location
  const issue = usualIssue(facts, path, message) ?? Object.assign({ path }, facts, { message })
  return description === undefined ? issue : Object.assign(issue, { description })
}

/** Creates the most frequent issues without object spread, which is several times faster. Returns `undefined` for all other issues. */
function usualIssue(facts: IssueFacts, path: string, message: string): Issue | undefined {
  const { constraint } = facts
  switch (constraint) {
    case 'missing_field':
      return missingField(facts, path, message)
    case 'unknown_field':
      return unknownField(facts, path, message)
    case 'invalid_type':
      return wrongKind(facts, path, message)
    case 'invalid_format':
      if (facts.receivedLength !== undefined) return undefined
      return { path, constraint, format: facts.format, received: facts.received, message }
    case 'invalid_pattern':
      if (facts.receivedLength !== undefined) return undefined
      return { path, constraint, pattern: facts.pattern, received: facts.received, message }
    case 'invalid_enum_value':
      return wrongLiteral(facts, path, message)
    case 'invalid_range':
      return invalidRange(facts, path, message)
    case 'invalid_length':
      return invalidLength(facts, path, message)
    default:
      return undefined
  }
}

type FactsOf<Constraint> = Extract<IssueFacts, { readonly constraint: Constraint }>

function wrongKind(facts: FactsOf<'invalid_type'>, path: string, message: string): Issue {
  const { constraint, expected, format, received } = facts
  if (format === undefined) return { path, constraint, expected, received, message }
  return { path, constraint, expected, format, received, message }
}

function missingField(facts: FactsOf<'missing_field'>, path: string, message: string): Issue | undefined {
  const { constraint, field, expected, allowed, more } = facts
  if (more !== undefined || expected === undefined) return undefined
  if (allowed === undefined) return { path, constraint, field, expected, message }
  return { path, constraint, field, expected, allowed, message }
}

function unknownField(facts: FactsOf<'unknown_field'>, path: string, message: string): Issue | undefined {
  const { constraint, field, allowed, more, nearest } = facts
  if (more !== undefined) return undefined
  if (nearest === undefined) return { path, constraint, field, allowed, message }
  return { path, constraint, field, allowed, nearest, message }
}

function wrongLiteral(facts: FactsOf<'invalid_enum_value'>, path: string, message: string): Issue | undefined {
  const { constraint, allowed, more, received, receivedLength, nearest } = facts
  if (more !== undefined || nearest !== undefined || receivedLength !== undefined) return undefined
  return { path, constraint, allowed, received, message }
}

function invalidLength(facts: FactsOf<'invalid_length'>, path: string, message: string): Issue | undefined {
  const { constraint, unit, received, minimum, maximum } = facts
  if (minimum === undefined || maximum === undefined) return undefined
  return { path, constraint, unit, received, minimum, maximum, message }
}

function invalidRange(facts: FactsOf<'invalid_range'>, path: string, message: string): Issue | undefined {
  const { constraint, received, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = facts
  const isUsual = exclusiveMinimum === undefined && exclusiveMaximum === undefined && multipleOf === undefined
  if (!isUsual || minimum === undefined) return undefined
  if (maximum === undefined) return { path, constraint, received, minimum, message }
  return { path, constraint, received, minimum, maximum, message }
}

/** Returns the `invalid_length` issue of a string, array or object, without its path and message. */
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

/** Returns the `unknown_field` issue of an undeclared field, without its path and message. */
export function unknownFieldFacts(field: string, choices: Choices<string>, nearest: string | undefined): IssueFacts {
  const listed = choices.listed(nearest)
  const { allowed } = listed
  if (listed.more === undefined) {
    // The two most frequent cases are written without a spread, which is faster.
    if (nearest === undefined) return { constraint: 'unknown_field', field, allowed }
    return { constraint: 'unknown_field', field, allowed, nearest }
  }
  const facts = { constraint: 'unknown_field', field, ...listed } as const
  return nearest === undefined ? facts : { ...facts, nearest }
}

const longest = 200

/** Returns the `received` value of an issue. If its text is longer than 200 characters, returns the start of the text with `…`. */
export function boundedReceived<Value extends JsonValue>(
  received: Value,
): { readonly received: Value | string; readonly receivedLength?: number } {
  const text = isContainer(received) ? JSON.stringify(received) : String(received)
  if (text.length <= longest) return { received }
  // Do not cut a surrogate pair in half.
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, longest)) ? longest - 1 : longest
  return { received: `${text.slice(0, end)}…`, receivedLength: text.length }
}
