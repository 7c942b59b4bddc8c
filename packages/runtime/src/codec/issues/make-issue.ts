import type { Issue } from '../../contract/issue.js'
import type { IssueFacts } from './facts.js'
import { issueMessage } from './message.js'

/** Where an issue is and what is known about the place. */
export interface IssuePlace {
  /** JSON Pointer. */
  readonly path: string
  readonly description?: string | undefined
  /** Replaces the usual sentence. */
  readonly message?: string | undefined
}

/** Completes facts to an issue. */
export function makeIssue(facts: IssueFacts, place: IssuePlace): Issue {
  const { path, description, message = issueMessage(facts) } = place
  const issue = usualIssue(facts, path, message) ?? Object.assign({ path }, facts, { message })
  return description === undefined ? issue : Object.assign(issue, { description })
}

/**
 * The issues that are met most, each written out: to spread facts of many layouts takes several times as long. Gives
 * `undefined` for all others.
 */
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
