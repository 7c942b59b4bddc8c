import { describe, expect, it } from 'vitest'
import { all, any, atom, choice, code, modeCode, not } from './code.js'

const [a, b, c] = [code('a'), code('b'), code('c')]

describe('conditions', () => {
  it('are put in parentheses only where operators differ', () => {
    expect(all([a, any([b, c])])?.text).toBe('a && (b || c)')
    expect(all([a, all([b, c])])?.text).toBe('a && b && c')
    expect(any([all([a, b]), c])?.text).toBe('(a && b) || c')
    expect(choice(a, any([b, c]) ?? a, c).text).toBe('a ? (b || c) : c')
    expect(not(all([a, b]))?.text).toBe('!(a && b)')
    expect(atom({ text: '1 + 2', usesMode: false, chain: '+' })).toBe('(1 + 2)')
  })

  it('that always or never hold go, and so do equal ones', () => {
    expect(all([code('true'), a, a])?.text).toBe('a')
    expect(all([a, code('false')])?.text).toBe('false')
    expect(any([a, code('true')])?.text).toBe('true')
    expect(any([code('false'), a])?.text).toBe('a')
    expect([all([])?.text, any([])?.text]).toEqual(['true', 'false'])
    expect(not(code('true'))?.text).toBe('false')
  })

  it('one of which cannot be generated cannot be generated', () => {
    expect(all([a, undefined])).toBeUndefined()
    expect(any([undefined, a])).toBeUndefined()
    expect(not(undefined)).toBeUndefined()
  })

  it('use the mode where one of them does', () => {
    expect(all([a, modeCode('f(v, m)', 'm')])?.usesMode).toBe(true)
    expect(modeCode('f(v, is.loose)', 'is.loose').usesMode).toBe(false)
  })
})
