import { copyJson } from '../schema/json-copy.js'
import type { Constraint, Issue } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import { peek } from './tool-failure.js'

interface PlainIssues {
  readonly issues: readonly Issue[]
  readonly more: number
  readonly onlyMissing: boolean
}

/** `list` can contain anything, for example if an error of another package contains the list. */
export function plainIssues(list: unknown, limit: number): PlainIssues {
  const all = plainItems(list)
  const listed = all.filter((issue) => peek(issue, 'constraint') !== 'more_issues')
  const counts = all.length === listed.length ? [] : all.map((issue) => peek(issue, 'count'))
  const counted = counts.filter((count) => typeof count === 'number').reduce((sum, count) => sum + count, 0)
  const issues = listed.slice(0, limit).map(plainIssue)
  const onlyMissing =
    all.length === listed.length &&
    issues.length > 0 &&
    [...issues, ...listed.slice(limit)].every((issue) => peek(issue, 'constraint') === 'missing_field')
  return { issues, more: listed.length - issues.length + counted, onlyMissing }
}

export function plainItems(value: unknown): readonly unknown[] {
  try {
    return Array.isArray(value) ? value.slice() : []
  } catch {
    // For example a revoked proxy: counts as no issues.
    return []
  }
}

export function plainJson(value: unknown): JsonValue | undefined {
  const copy = copyJson(value)
  // `copyJson` checks that every part of its copy is JSON.
  return copy.hasUnwritable ? undefined : (copy.value as JsonValue)
}

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

function plainIssue(issue: unknown): Issue {
  const { value, hasUnwritable } = copyJson(issue)
  if (!hasUnwritable && isIssue(value)) return value
  const path = peek(issue, 'path')
  const message = peek(issue, 'message')
  return {
    constraint: 'check_failed',
    path: typeof path === 'string' ? path : '',
    message: typeof message === 'string' && message !== '' ? message : 'The value is not valid.',
  }
}

function isIssue(value: unknown): value is Issue {
  const constraint = peek(value, 'constraint')
  if (typeof constraint !== 'string' || !Object.hasOwn(FACTS, constraint)) return false
  if (!text(peek(value, 'path')) || !text(peek(value, 'message'))) return false
  if (!absentOr(text)(peek(value, 'description'))) return false
  const facts = Object.entries(FACTS[constraint as Constraint])
  return facts.every(([fact, test]) => test(peek(value, fact)))
}

function areIssues(value: unknown): boolean {
  return Array.isArray(value) && value.every(isIssue)
}

function isDiscriminator(value: unknown): boolean {
  return text(peek(value, 'field')) && list(peek(value, 'allowed')) && absentOr(number)(peek(value, 'more'))
}
