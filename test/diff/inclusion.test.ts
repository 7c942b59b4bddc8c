import { expect, it } from 'vitest'
import { inclusionCases } from './inclusion-cases.js'

it('what is said to have only widened takes all that was taken, and what is certain has a value that shows it', () => {
  const found = inclusionCases(1, 700)
  expect(found.faults.join('\n\n')).toBe('')
  // Else nothing was tested.
  expect(found.widened / found.pairs).toBeGreaterThan(0.2)
  expect(found.values).toBeGreaterThan(2000)
  // What is said to be narrower is so, most of the time.
  expect(found.witnessed / found.narrowed).toBeGreaterThan(0.5)
  // Where chance finds a value that shows it, so is one found that makes it certain.
  expect(found.witnessedCertain / found.witnessed).toBeGreaterThan(0.9)
  expect(found.certain / found.findings).toBeGreaterThan(0.5)
})
