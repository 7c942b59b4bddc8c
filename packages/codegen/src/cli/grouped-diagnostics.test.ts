import { describe, expect, it } from 'vitest'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { grouped } from './report.js'

const note = (name: string): Diagnostic => ({
  code: 'TG6006',
  severity: 'note',
  message: `Models see \`${name}\` as x.`,
  next: 'Nothing.',
})
const change = (file: string, line: number): Diagnostic => ({
  code: 'TG6010',
  severity: 'error',
  message: `change ${line}`,
  location: { file, line, column: 1 },
  next: 'Import again.',
})

describe('findings for people', () => {
  it('stand under one heading with one next step where several are of one kind', () => {
    expect(grouped([note('a'), note('b')])).toEqual([
      {
        code: 'TG6006',
        severity: 'note',
        message: 'The names of 2 tools for models differ from their original names.',
        related: [{ message: 'Models see `a` as x.' }, { message: 'Models see `b` as x.' }],
        next: 'Nothing.',
      },
    ])
    expect(grouped([note('a')])).toEqual([note('a')])
  })

  it('say of parameters and bodies that both are left out', () => {
    const finding = (message: string): Diagnostic => ({
      code: 'TG6209',
      severity: 'warning',
      message,
      next: 'Correct it.',
    })
    expect(grouped([finding('The parameter.'), finding('The body.')])).toMatchObject([
      {
        message: '2 parameters and bodies are not imported.',
        related: [{ message: 'The parameter.' }, { message: 'The body.' }],
      },
    ])
  })

  it('stand apart where their files do, and keep their places', () => {
    const [first, second] = grouped([change('a', 1), change('b', 2), change('a', 3)])
    expect(first?.related?.map(({ location }) => location?.line)).toEqual([1, 3])
    expect(second).toEqual(change('b', 2))
  })
})
