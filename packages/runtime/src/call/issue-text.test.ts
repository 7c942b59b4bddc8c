import { expect, it } from 'vitest'
import type { Issue } from '../types/codec.js'
import { issueText } from './issue-text.js'
import type { Detail } from './value-text.js'

const full: Detail = { values: 5, listLength: 200, textLength: 80, descriptions: true }
const short: Detail = { values: 1, listLength: 30, textLength: 24, descriptions: false }
const message = 'unused'
const date = 'a date-time string such as 2026-01-31T09:30:00Z'
const missing: Issue = { constraint: 'missing_field', path: '/at', field: 'at', expected: date, message }
const wrong: Issue = {
  constraint: 'invalid_type',
  path: '/at',
  expected: ['string', 'null'],
  format: 'date-time',
  received: 'number',
  message,
}

it.each<[string, Issue, Detail, string]>([
  ['the wire format of a missing field', missing, full, `at is missing (${date})`],
  ['a format without its sample where there is no room', missing, short, 'at is missing (a date-time string)'],
  ['the wire format of a wrong kind', wrong, full, `at must be ${date} or null`],
  ['its format without the sample', wrong, short, 'at must be a date-time string or null'],
  [
    'where JSON breaks',
    { constraint: 'invalid_json', path: '', position: 14, line: 2, column: 5, found: '"', message },
    short,
    'the arguments are not valid JSON: unexpected "\\"" at line 2, column 5',
  ],
  [
    'that there is no JSON at all',
    { constraint: 'invalid_json', path: '', position: 0, message },
    short,
    'the arguments are not valid JSON: the string is empty',
  ],
  [
    'that JSON ends too early',
    { constraint: 'invalid_json', path: '', position: 14, line: 1, column: 15, message },
    short,
    'the arguments are not valid JSON: the string ends too early, at line 1, column 15',
  ],
  [
    'variants of one name',
    { constraint: 'no_variant_matches', path: '/pay', variants: ['an object'], message },
    full,
    'pay must match one of its variants, each an object',
  ],
  [
    'variants of the arguments themselves',
    { constraint: 'no_variant_matches', path: '', variants: ['an object'], message },
    full,
    'the arguments must match one of their variants, each an object',
  ],
  [
    'the field that selects a variant of the arguments',
    {
      constraint: 'no_variant_matches',
      path: '',
      variants: ['A', 'B'],
      discriminator: { field: 'kind', allowed: ['a', 'b'] },
      message,
    },
    full,
    'the arguments need "kind" to be one of "a", "b"',
  ],
  [
    'that arguments are not allowed',
    { constraint: 'not_allowed', path: '', message },
    full,
    'the arguments are not allowed',
  ],
])('a model is told %s', (_, issue, detail, text) => {
  expect(issueText(issue, detail)).toBe(text)
})
