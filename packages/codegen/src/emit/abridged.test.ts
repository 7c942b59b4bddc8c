import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type LiteralValue, literalText } from '../text.js'
import { abridged } from './syntax-gate.js'

describe('an abridged text', () => {
  it('has no doc comments, and of data the brackets alone', () => {
    const text =
      "/** A. */\nexport const a = {\n  b: 'c',\n  d: [1, true, e],\n}\n/**\n * F.\n */\nexport const f = [\n]\n"
    expect(abridged(text)).toBe('\nexport const a = {}\n\nexport const f = []\n')
  })

  it('has of every literal that is written the brackets alone', () => {
    const location = { indent: 0, used: 200 }
    const value = fc.oneof(
      fc.array(fc.jsonValue(), { minLength: 1 }),
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
    )
    fc.assert(
      fc.property(value, (data) => {
        const literal: LiteralValue = JSON.parse(JSON.stringify(data))
        const text = literalText(literal, location)
        expect(abridged(`const a = ${text}\n`)).toBe(`const a = ${text.at(0)}${text.at(-1)}\n`)
      }),
    )
  })

  it.each([
    ["{\n  a: 'b\n}", 'a text without an end'],
    ["{\n  a: 'b',\n", 'a literal without an end'],
    ["{\n  a: 'b' 'c',\n}", 'values without a comma'],
    ["{\n  a 'b',\n}", 'a key without a colon'],
    ["{\n  a: 'b',\n]", 'brackets that do not match'],
    ["{\n  a: '\\x',\n}", 'an escape of which only half is there'],
    ['{\n  a: 01,\n}', 'a number of an older kind'],
    ['{\n  a: class,\n}', 'a word that is no name'],
    ['{\n  a: ,\n}', 'a key without a value'],
    ["[\n  a: 'b',\n]", 'a key in a list'],
    ["{\n  'b',\n}", 'a value without a key'],
    ['{\n  a: b(),\n}', 'a call'],
  ])('keeps %j, %s', (literal) => {
    expect(abridged(`const a = ${literal}\n`)).toContain(literal)
  })

  it('keeps a doc comment that is followed by something', () => {
    expect(abridged('/** A */ const a = 1 /* B */\n')).toBe('/** A */ const a = 1 /* B */\n')
  })
})
