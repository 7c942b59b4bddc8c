import fc from 'fast-check'
import { ts } from 'ts-morph'
import { describe, expect, it } from 'vitest'
import { docComment, lineComment } from './text.js'

describe('a doc comment', () => {
  it('is one line where it fits', () => {
    expect(docComment('Order number as printed on the invoice', 2)).toBe(
      '/** Order number as printed on the invoice */',
    )
  })

  it('is wrapped between words where it does not', () => {
    const comment = docComment(`${'word '.repeat(40)}end`, 4)
    expect(comment.split('\n').every((line) => line.length <= 120)).toBe(true)
    expect(comment).toMatch(/^\/\*\*\n {5}\* word (?:.|\n)*end\n {5}\*\/$/)
  })

  it('keeps the lines of its text', () => {
    expect(docComment('First.\n\nSecond.\r\nThird.\u2028Fourth.\n', 0)).toBe(
      '/**\n * First.\n *\n * Second.\n * Third.\n * Fourth.\n */',
    )
  })

  it('cannot be ended, tagged or disguised by its text', () => {
    expect(docComment('*/ evil() /*', 0)).toBe('/** *\\/ evil() /* */')
    expect(docComment('@deprecated {@link x} see @internal, mail a@b.example', 0)).toBe(
      '/** \\@deprecated {\\@link x} see \\@internal, mail a@b.example */',
    )
    expect(docComment('a\u202eb\0c', 0)).toBe('/** abc */')
  })

  it('stays one comment without tags for any text', () => {
    const nasty = fc.string({
      unit: fc.constantFrom('*', '/', '\\', '@', 'a', ' ', '\n', '\r', '\u2028', '{', '\ud800'),
    })
    fc.assert(
      fc.property(fc.oneof(nasty, fc.string({ unit: 'binary' })), fc.integer({ min: 0, max: 8 }), (text, indent) => {
        const source = `${' '.repeat(indent)}${docComment(text, indent)}\nexport const a = 1\n`
        const file = ts.createSourceFile('a.ts', source, ts.ScriptTarget.ESNext, true)
        expect(file.statements).toHaveLength(1)
        expect(ts.getJSDocTags(file.statements[0] ?? file)).toEqual([])
        expect(file.statements[0]?.getText()).toBe('export const a = 1')
      }),
      { numRuns: 500 },
    )
  })
})

describe('a line comment', () => {
  it('is one line for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(lineComment(`a ${text}`)).toMatch(/^\/\/ a[^\n\r\u2028\u2029]*$/)
      }),
    )
  })
})
