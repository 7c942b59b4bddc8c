import { describe, expect, it } from 'vitest'
import { fillArrow, fillText } from './fill.js'

const head = 'const f = (v) =>'

describe('a function', () => {
  it('stays on one line where it fits', () => {
    expect(fillText(head, 'a && b')).toBe('const f = (v) => a && b')
  })

  it('else has its body in lines that end after operators, outside of brackets rather than inside', () => {
    const part = `(${'x'.repeat(30)} || ${'y'.repeat(30)})`
    expect(fillText(head, `${part} && ${part}`)).toBe(`${head}\n  ${part} &&\n  ${part}`)
  })

  it('never breaks within a literal', () => {
    const literal = `'${'a && b || c, '.repeat(12)}'`
    expect(fillText(head, `v === ${literal} || w`)).toBe(`${head}\n  v === ${literal} ||\n  w`)
  })

  it('says the same in lines as on one', () => {
    const body = Array.from({ length: 40 }, (_, index) => `(v.a${index} === 'x, ${index}' || v.b${index})`).join(' && ')
    const lines = fillText(head, body).split('\n').slice(1)
    expect(lines.map((line) => line.trim()).join(' ')).toBe(body)
    expect(lines.every((line) => line.length <= 120 && line.startsWith('  '))).toBe(true)
  })
})

it('ends lines after commas and operators, never within a literal', () => {
  const names = Array.from({ length: 12 }, (_, index) => `field${index}: v.field${index}`)
  const text = `(v) => ({ ${names.join(', ')}, other: v['a, b => c, ${'x, '.repeat(30)}'] })`
  const filled = fillArrow(text, { indent: 2, used: 40, after: 3 })
  const lines = filled.split('\n')
  expect(lines.map((line) => line.trim()).join(' ')).toBe(text)
  expect(lines.slice(0, -1).every((line, index) => (index === 0 ? 40 : 0) + line.length <= 120)).toBe(true)
  expect(lines.at(-1)).toContain('a, b => c')
})

it('leaves what fits on its line', () => {
  expect(fillArrow('(v) => ({ id: v.id })', { indent: 2, used: 98, after: 1 })).toBe('(v) => ({ id: v.id })')
  expect(fillArrow('(v) => ({ id: v.id })', { indent: 2, used: 98, after: 2 })).toBe('(v) =>\n  ({ id: v.id })')
})
