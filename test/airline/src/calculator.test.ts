import { describe, expect, it } from 'vitest'
import { calculate } from './calculator.js'

describe('calculate prints what Python prints', () => {
  it.each([
    ['2 + 2', '4.0'],
    ['(350 - 122) * 2 + (499 - 127) * 2', '1200.0'],
    ['-(2 - 3) - -4', '5.0'],
    ['1/3', '0.33'],
    ['2/8/5', '0.05'],
    ['.5 + 1.', '1.5'],
    ['0.125', '0.12'],
    ['0.375', '0.38'],
    ['2.675', '2.67'],
    ['-1/8', '-0.12'],
    ['-0.001', '-0.0'],
    ['0 * -1', '0.0'],
    ['0.0 * -1', '-0.0'],
    ['9007199254740993 - 9007199254740992', '1.0'],
    ['10000000000 * 10000000000', '1e+20'],
  ])('%s is %s', (expression, printed) => {
    expect(calculate(expression)).toBe(printed)
  })
})

describe('calculate refuses in plain text', () => {
  it.each([
    ['process.exit(1)', 'Error: invalid characters in expression'],
    ['1 / (2 - 2)', 'Error: division by zero'],
    ['1.5 / 0', 'Error: float division by zero'],
    ['', 'Error: invalid syntax (<string>, line 1)'],
    ['(1 + 2', 'Error: invalid syntax (<string>, line 1)'],
    ['1 2', 'Error: invalid syntax (<string>, line 1)'],
    ['1..2', 'Error: invalid syntax (<string>, line 1)'],
    ['('.repeat(100_000), 'Error: too many nested parentheses (<string>, line 1)'],
  ])('%.20s', (expression, refusal) => {
    expect(calculate(expression)).toBe(refusal)
  })
})
