import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { sleep } from './timers.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('sleeping', () => {
  const free = new AbortController().signal

  it('says whether the whole time has passed', async () => {
    const ended = vi.fn()
    void sleep(20, free).then(ended)
    await vi.advanceTimersByTimeAsync(19)
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toHaveBeenCalledWith(true)
    expect(await sleep(5_000, AbortSignal.abort())).toBe(false)
  })

  it('ends with the signal', async () => {
    const controller = new AbortController()
    const sleeping = sleep(5_000, controller.signal)
    await vi.advanceTimersByTimeAsync(5)
    controller.abort()
    expect(await sleeping).toBe(false)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([0, -1, Number.NaN])('takes %d ms for no time', async (milliseconds) => {
    const sleeping = sleep(milliseconds, free)
    await vi.advanceTimersByTimeAsync(1)
    expect(await sleeping).toBe(true)
  })
})
