import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  accessText,
  flatLiteral,
  keyText,
  type LiteralValue,
  literalText,
  propertyNameText,
  stringText,
} from './text.js'

/** Evaluates an expression as JavaScript. */
function evaluated(expression: string): unknown {
  return new Function(`'use strict'; return (${expression})`)()
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.string({ unit: fc.constantFrom("'", '"', '`', '\\', '$', '{', '\n', '\u2028', '\u2029', '\0', '*', '/') }),
)

describe('a string literal', () => {
  it('is written in the quotes that need fewer escapes', () => {
    expect(stringText('plain')).toBe("'plain'")
    expect(stringText("it's")).toBe('"it\'s"')
    expect(stringText(`"it's"`)).toBe(`'"it\\'s"'`)
  })

  it('shows nothing invisible', () => {
    expect(stringText('a\u202eb\u2028c\0d\ud800e\u00a0\ufeff')).toBe(
      "'a\\u202eb\\u2028c\\u0000d\\ud800e\\u00a0\\ufeff'",
    )
    expect(stringText('größe 注文 🛠')).toBe("'größe 注文 🛠'")
  })

  it('is the text that it was made from', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(evaluated(stringText(text))).toBe(text)
        expect(stringText(text)).not.toMatch(/[\n\r\u2028\u2029\ud800-\udfff](?![\udc00-\udfff])(?<![\ud800-\udbff].)/)
      }),
      { numRuns: 500 },
    )
  })
})

describe('a literal', () => {
  it('stands on one line where it fits, else has one entry per line', () => {
    const value = { name: 'x'.repeat(50), list: [1, 2, { deep: true }] }
    expect(literalText(value, { indent: 0, used: 0 })).toBe(
      `{ name: '${'x'.repeat(50)}', list: [1, 2, { deep: true }] }`,
    )
    expect(literalText(value, { indent: 2, used: 40 })).toBe(
      `{\n    name: '${'x'.repeat(50)}',\n    list: [1, 2, { deep: true }],\n  }`,
    )
  })

  it('keeps the sign of zero and the size of numbers', () => {
    expect(flatLiteral([-0, 0, 1e21, 5e-324])).toBe('[-0, 0, 1e+21, 5e-324]')
  })

  it('has __proto__ as an ordinary property', () => {
    const value = JSON.parse('{"__proto__":{"x":1},"constructor":2}') as LiteralValue
    expect(flatLiteral(value)).toBe("{ ['__proto__']: { x: 1 }, constructor: 2 }")
    expect(Object.keys(evaluated(flatLiteral(value)) as object)).toEqual(['__proto__', 'constructor'])
  })

  it('is the value that it was made from, however it is broken', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 130 }), (json, used) => {
        const value = JSON.parse(JSON.stringify(json)) as LiteralValue
        expect(JSON.stringify(evaluated(literalText(value, { indent: 4, used })))).toBe(JSON.stringify(value))
        expect(JSON.stringify(evaluated(flatLiteral(value)))).toBe(JSON.stringify(value))
      }),
      { numRuns: 300 },
    )
  })
})

describe('a key', () => {
  it.each([
    ['orderId', 'orderId', 'orderId', '.orderId', '?.orderId'],
    ['order-id', "'order-id'", "'order-id'", "['order-id']", "?.['order-id']"],
    ['delete', 'delete', 'delete', '.delete', '?.delete'],
    ['__proto__', "['__proto__']", '__proto__', '.__proto__', '?.__proto__'],
    ['1', "'1'", "'1'", "['1']", "?.['1']"],
    ['', "''", "''", "['']", "?.['']"],
  ])('%j is written where it is defined, declared and read', (name, key, property, access, optional) => {
    expect(keyText(name)).toBe(key)
    expect(propertyNameText(name)).toBe(property)
    expect(accessText(name)).toBe(access)
    expect(accessText(name, true)).toBe(optional)
  })
})
