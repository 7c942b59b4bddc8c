import { expect, it } from 'vitest'
import { runRounds } from './run-rounds.js'

it('random runs go through suspensions without loss, and changed suspensions do no harm', async () => {
  const found = await runRounds(1, (scenarios) => scenarios < 40)
  expect(found.faults.join('\n\n')).toBe('')
  expect(found.suspensions).toBeGreaterThan(found.scenarios)
  expect(found.mutated.resumed / found.mutated.tried).toBeGreaterThan(0.1)
  expect(found.ends.size).toBeGreaterThan(3)
})
