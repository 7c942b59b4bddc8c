import { expect, it } from 'vitest'
import { runCases } from './differential/run-cases.js'

it('generated checks, writers and pickers, the interpreter and Ajv agree on random schemas and values', () => {
  const found = runCases(1, (pairs) => pairs < 4000)
  expect(found.faults.join('\n\n')).toBe('')
  expect(found.compiled / found.schemas).toBeGreaterThan(0.6)
  expect(found.picked / found.schemas).toBeGreaterThan(0.08)
  expect(found.valid / found.pairs).toBeGreaterThan(0.2)
}, 60_000)
