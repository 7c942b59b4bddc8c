import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonError } from './json-error.js'

/** Checks whether the engine parses a text as JSON. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('where a text stops being JSON', () => {
  it.each<[string, number, number, string]>([
    ['', 1, 1, 'unexpected end of the text: expected a value'],
    ['{\n  "a": 1,\n}', 3, 1, 'it is not JSON: expected a key'],
    ['[1 2]', 1, 4, 'it is not JSON: expected `,` or `]`'],
    ['{"a" 1}', 1, 6, 'it is not JSON: expected `:`'],
    ['{"a": "b', 1, 9, 'unexpected end of the text within a string'],
    ['["a\nb"]', 1, 4, 'it is not JSON: a string contains a line break or control character'],
    ['["\\x"]', 1, 3, 'it is not JSON: invalid escape sequence'],
    ['{} {}', 1, 4, 'it is not JSON: expected the end of the text'],
    ["{'a': 1}", 1, 2, 'it is not JSON: expected a key or `}`'],
    ['<html>', 1, 1, 'it is not JSON: expected a value'],
    ['\u0000\u0001', 1, 1, 'it is not JSON: expected a value'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 1, 201, 'it has more than 200 nested levels'],
  ])('%j: line %i, column %i', (text, line, column, why) => {
    expect(jsonError(text)).toEqual({ line, column, why })
  })

  it('is nowhere in JSON, and somewhere in every other text', () => {
    const broken = fc
      .tuple(
        fc.json({ maxDepth: 4 }),
        fc.nat(),
        fc.constantFrom('', '"', ',', ']', '}', '{', '\\', '0', '.', 'e', '\n', ':'),
      )
      .map(([text, at, piece]) => {
        const cut = at % (text.length + 1)
        return `${text.slice(0, cut)}${piece}${text.slice(cut + (at % 2))}`
      })
    fc.assert(
      fc.property(fc.oneof(fc.json(), broken), (text) => {
        expect([text, jsonError(text) === undefined]).toEqual([text, isJson(text)])
      }),
      { numRuns: 2_000 },
    )
  })
})
