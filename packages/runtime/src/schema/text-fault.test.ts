import { expect, it } from 'vitest'
import { findSyntaxError } from './parse-json.js'

it.each([
  ['{"a":1,}', { position: 7, line: 1, column: 8, found: '}' }],
  ['{\n  "a": tru\n}', { position: 9, line: 2, column: 8, found: 't' }],
  ['[1,\r\n\n2 3]', { position: 8, line: 3, column: 3, found: '3' }],
  ['{"a":"\u0007"}', { position: 6, line: 1, column: 7, found: '\u0007' }],
  ['[😀]', { position: 1, line: 1, column: 2, found: '😀' }],
  ['[\ud83d]', { position: 1, line: 1, column: 2, found: '\uFFFD' }],
])('%j is faulty where JSON ends', (text, place) => {
  expect(findSyntaxError(text)).toMatchObject(place)
})

it.each(['{"a":', '["', '['])('%j ends too early', (text) => {
  const fault = findSyntaxError(text)
  expect(fault).toMatchObject({ position: text.length, line: 1, column: text.length + 1 })
  expect(fault).not.toHaveProperty('found')
})
