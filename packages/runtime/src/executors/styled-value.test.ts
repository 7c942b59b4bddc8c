import { describe, expect, it } from 'vitest'
import type { ParameterStyle } from './openapi-api.js'
import { formEncoded, percentEncoded, reservedKept, styledValue } from './styled-value.js'

const array = ['blue', 'black', 'brown']
const object = { R: 100, G: 200, B: 150 }

describe('a parameter in the styles of OpenAPI', () => {
  // The table "Style Examples" of OpenAPI 3.1.1, row by row; what it marks n/a stands in the next test.
  it.each<[ParameterStyle, boolean, empty: string | undefined, primitive: string, array: string, object: string]>([
    ['matrix', false, ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
    ['matrix', true, ';color', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
    ['label', false, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
    ['label', true, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
    ['simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
    ['simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
    ['form', false, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    ['form', true, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ])('%s, explode %s', (style, explode, empty, primitive, list, fields) => {
    const write = (value: unknown) => styledValue('color', value, { style, explode, encode: percentEncoded })
    expect(['', 'blue', array, object].map(write)).toEqual([empty, primitive, list, fields])
    expect([null, undefined, [], {}, [null], { a: null }].map(write)).toEqual(Array(6).fill(undefined))
  })

  it.each<[ParameterStyle, boolean, unknown, string]>([
    ['spaceDelimited', false, array, 'color=blue%20black%20brown'],
    ['spaceDelimited', false, object, 'color=R%20100%20G%20200%20B%20150'],
    ['spaceDelimited', true, array, 'color=blue&color=black&color=brown'],
    ['pipeDelimited', false, array, 'color=blue%7Cblack%7Cbrown'],
    ['pipeDelimited', false, object, 'color=R%7C100%7CG%7C200%7CB%7C150'],
    ['deepObject', true, object, 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    ['deepObject', false, { a: { b: [1, 2], c: null } }, 'color%5Ba%5D%5Bb%5D=1&color%5Ba%5D%5Bb%5D=2'],
  ])('%s, explode %s: %j', (style, explode, value, text) => {
    expect(styledValue('color', value, { style, explode, encode: percentEncoded })).toBe(text)
  })

  it('writes what lies deeper than a style goes as JSON', () => {
    const value = [{ a: 1 }, [true]]
    const write = (style: ParameterStyle) => styledValue('q', value, { style, explode: false, encode: (text) => text })
    expect(write('simple')).toBe('{"a":1},[true]')
  })
})

describe('a value in a URL', () => {
  it('holds nothing that means something there', () => {
    const hostile = '/?#[]@!$&\'()*+,;= %"<>\\^`{|}é😀'
    const written = percentEncoded(hostile)
    expect(written).toMatch(/^(?:%[0-9A-F]{2})+$/)
    expect(decodeURIComponent(written)).toBe(hostile)
  })

  it('keeps what is reserved where the API wants it, but for what would end the value or begin another', () => {
    expect(reservedKept('a/b?c:d@e,f;g=h&i#j+k l')).toBe('a/b?c:d@e,f;g=h%26i%23j%2Bk%20l')
  })

  it('is written with `+` in forms', () => {
    expect(formEncoded('a b+c')).toBe('a+b%2Bc')
  })

  it('has the replacement character for half of one', () => {
    expect(percentEncoded('a\uD800b')).toBe('a%EF%BF%BDb')
  })
})
