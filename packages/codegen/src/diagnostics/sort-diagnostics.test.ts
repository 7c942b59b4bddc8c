import { expect, it } from 'vitest'
import { type Diagnostic, sortDiagnostics } from './diagnostic.js'

function diagnostic(severity: Diagnostic['severity'], file: string, line: number, column = 1): Diagnostic {
  return { code: 'TG2001', severity, message: 'm', next: 'n', location: { file, line, column } }
}

it('puts errors first, then goes by place', () => {
  const sorted = [
    diagnostic('error', 'a.ts', 2),
    diagnostic('error', 'a.ts', 10, 2),
    diagnostic('error', 'a.ts', 10, 11),
    diagnostic('error', 'b.ts', 1),
    diagnostic('warning', 'a.ts', 1),
    diagnostic('note', 'a.ts', 1),
  ]
  expect(sortDiagnostics([...sorted].reverse())).toEqual(sorted)
})

it('says the same thing once', () => {
  const same = diagnostic('error', 'a.ts', 1)
  expect(sortDiagnostics([same, { ...same }])).toEqual([same])
})
