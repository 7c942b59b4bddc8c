import { copyJson } from '../../codec/json/copy.js'
import type { Constraint, Issue } from '../../contract/issue.js'
import { peek } from './peek.js'

type Test = (value: unknown) => boolean

const text: Test = (value) => typeof value === 'string'
const number: Test = (value) => typeof value === 'number'
const any: Test = (value) => value !== undefined
const list: Test = (value) => Array.isArray(value)
const texts: Test = (value) => Array.isArray(value) && value.every(text)
const numbers: Test = (value) => Array.isArray(value) && value.every(number)
const absentOr =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value)

const bounds = { minimum: absentOr(number), maximum: absentOr(number) }

/** What the facts of each constraint must be. */
const FACTS: { readonly [Name in Constraint]: Readonly<Record<string, Test>> } = Object.freeze({
  invalid_json: { position: absentOr(number) },
  missing_field: { field: text, expected: absentOr(text), allowed: absentOr(list), more: absentOr(number) },
  unknown_field: { field: text, allowed: texts, more: absentOr(number), nearest: absentOr(text) },
  server_owned_field: { field: text },
  invalid_type: { expected: texts, received: text },
  invalid_enum_value: { allowed: list, more: absentOr(number), received: any },
  invalid_format: { format: text, received: text },
  invalid_pattern: { pattern: text, received: text },
  invalid_range: {
    ...bounds,
    received: number,
    exclusiveMinimum: absentOr(number),
    exclusiveMaximum: absentOr(number),
    multipleOf: absentOr(number),
  },
  invalid_length: { ...bounds, unit: text, received: number },
  not_unique: { first: number, second: number },
  invalid_contains: { ...bounds, found: number },
  missing_dependency: { field: text, requiredBy: text },
  no_variant_matches: {
    variants: texts,
    more: absentOr(number),
    discriminator: absentOr(isDiscriminator),
    nearest: absentOr(areIssues),
  },
  several_variants_match: { matching: numbers },
  not_allowed: {},
  too_deep: { maximum: number },
  not_json: { received: text },
  check_failed: {},
  more_issues: { count: number },
})

/** What is said where an issue has no sentence of its own. */
const UNSAID = 'The value is not valid.'

/** An issue that anyone may have made, as one that can be rendered and written: what is none becomes `check_failed`. */
export function plainIssue(given: unknown): Issue {
  const { value, faulty } = copyJson(given)
  if (!faulty && isIssue(value)) return value
  const path = peek(given, 'path')
  const message = peek(given, 'message')
  return {
    constraint: 'check_failed',
    path: typeof path === 'string' ? path : '',
    message: typeof message === 'string' && message !== '' ? message : UNSAID,
  }
}

function isIssue(value: unknown): value is Issue {
  const constraint = peek(value, 'constraint')
  if (typeof constraint !== 'string' || !isConstraint(constraint)) return false
  if (!text(peek(value, 'path')) || !text(peek(value, 'message'))) return false
  if (!absentOr(text)(peek(value, 'description'))) return false
  return Object.entries(FACTS[constraint]).every(([fact, test]) => test(peek(value, fact)))
}

function isConstraint(name: string): name is Constraint {
  return Object.hasOwn(FACTS, name)
}

function areIssues(value: unknown): boolean {
  return Array.isArray(value) && value.every(isIssue)
}

function isDiscriminator(value: unknown): boolean {
  return text(peek(value, 'field')) && list(peek(value, 'allowed')) && absentOr(number)(peek(value, 'more'))
}
