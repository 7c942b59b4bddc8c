import { expect, it } from 'vitest'
import { fillPicker } from './fill.js'

it('ends lines after commas and operators, never within a literal', () => {
  const names = Array.from({ length: 12 }, (_, index) => `field${index}: v.field${index}`)
  const text = `(v) => ({ ${names.join(', ')}, other: v['a, b => c, ${'x, '.repeat(30)}'] })`
  const filled = fillPicker(text, { indent: 2, used: 40, after: 3 })
  const lines = filled.split('\n')
  expect(lines.map((line) => line.trim()).join(' ')).toBe(text)
  expect(lines.slice(0, -1).every((line, index) => (index === 0 ? 40 : 0) + line.length <= 120)).toBe(true)
  expect(lines.at(-1)).toContain('a, b => c')
})

it('leaves what fits on its line', () => {
  expect(fillPicker('(v) => ({ id: v.id })', { indent: 2, used: 98, after: 1 })).toBe('(v) => ({ id: v.id })')
  expect(fillPicker('(v) => ({ id: v.id })', { indent: 2, used: 98, after: 2 })).toBe('(v) =>\n  ({ id: v.id })')
})
