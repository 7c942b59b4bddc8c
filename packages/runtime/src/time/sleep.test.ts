import { describe, expect, it } from 'vitest'
import { sleep } from './sleep.js'

describe('sleeping', () => {
  const free = new AbortController().signal

  it('says whether the whole time has passed', async () => {
    const began = performance.now()
    expect(await sleep(20, free)).toBe(true)
    expect(performance.now() - began).toBeGreaterThanOrEqual(18)
    expect(await sleep(5_000, AbortSignal.abort())).toBe(false)
  })

  it('ends with the signal', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 5)
    const began = performance.now()
    expect(await sleep(5_000, controller.signal)).toBe(false)
    expect(performance.now() - began).toBeLessThan(900)
  })

  it.each([0, -1, Number.NaN])('takes %d ms for no time', async (milliseconds) => {
    expect(await sleep(milliseconds, free)).toBe(true)
  })
})
