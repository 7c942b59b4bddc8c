import { expect, test } from 'vitest'
import { readsName } from './conversion-text.js'

test.each(['value', '...value', '{ ...value }', 'f(value)', 'value.x', 'x ? value : null', '{ value: value }'])(
  '`%s` reads the variable',
  (text) => {
    expect(readsName(text, 'value')).toBe(true)
  },
)

test.each([
  'null',
  '({})',
  "'value'",
  "{ a: 'it\\'s value' }",
  '"value"',
  '{ value: 1 }',
  'x.value',
  'x?.value',
  'values',
])('`%s` does not', (text) => {
  expect(readsName(text, 'value')).toBe(false)
})
