import { describe, expect, it } from 'vitest'
import { fillText } from './fill.js'

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
