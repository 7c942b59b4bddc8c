import { describe, expect, it } from 'vitest'
import { killRounds } from './kills/kill-rounds.js'

describe('a process that is killed while calls of a program wait', () => {
  it('loses nothing: the next process continues, and each completed call ran once', async () => {
    const { kills, refused, calls, faults } = await killRounds(7, (sofar) => sofar === 0)
    expect(faults).toEqual([])
    expect(kills).toBeGreaterThanOrEqual(3)
    expect(refused).toBeGreaterThanOrEqual(1)
    expect(calls).toBe(3 * 6)
  })
})
