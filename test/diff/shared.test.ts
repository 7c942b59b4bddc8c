import { expect, it } from 'vitest'
import { sharedCases } from './shared-cases.js'

it('what is said of a tool does not depend on the tools before it, however its definitions contain each other', () => {
  const found = sharedCases(1, 50)
  expect(found.faults.join('\n\n')).toBe('')
  // Else nothing was tested.
  expect(found.refused / found.tools).toBeGreaterThan(0.2)
  expect(found.refused / found.tools).toBeLessThan(0.9)
})
