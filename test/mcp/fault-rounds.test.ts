import { expect, it } from 'vitest'
import { faultRounds } from './fault-rounds.js'

it('any mix of faults ends in typed outcomes, unharmed other calls and no process left', async () => {
  let left = 5
  const { faults, rounds } = await faultRounds(7, () => left-- > 0)
  expect(faults).toEqual([])
  expect(rounds).toBe(5)
})
