import { expect, it } from 'vitest'
import { inclusionCases } from './inclusion-cases.js'

it('every value that a payload codec took is taken by one whose schema is said to have only widened', () => {
  const found = inclusionCases(1, 700)
  expect(found.faults.join('\n\n')).toBe('')
  // Else nothing was tested.
  expect(found.widened / found.pairs).toBeGreaterThan(0.2)
  expect(found.values).toBeGreaterThan(2000)
  // What is said to be narrower is so, most of the time.
  expect(found.witnessed / found.narrowed).toBeGreaterThan(0.5)
}, 40_000)
