import { describe, expect, it } from 'vitest'
import { programRounds } from './soak/program-rounds.js'

describe('random programs, bombs and escapes, with threads that are killed', () => {
  it('end as they must, and repeat no call', async () => {
    const { programs, faults } = await programRounds(1, (count) => count < 24)
    expect(programs).toBeGreaterThanOrEqual(24)
    // On a busy machine, the event loop is late.
    expect(faults.filter((fault) => !fault.startsWith('the event loop'))).toEqual([])
  })
})
