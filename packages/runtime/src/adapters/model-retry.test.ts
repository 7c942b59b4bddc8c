import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { modelRetry } from './model-driver.js'

const free = new AbortController().signal
const mayRepeat = (): boolean => true

/** Fails so many times with an error, then answers how often it was asked. */
function failing(times: number, error: object): () => Promise<number> {
  let asked = 0
  return async () => {
    asked += 1
    if (asked <= times) throw error
    return asked
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('asking again', () => {
  it('waits about the usual time, doubled for each further attempt', async () => {
    const ask = vi.fn(failing(2, { status: 500 }))
    const asking = modelRetry({ initialMs: 40 })(free, ask, mayRepeat)
    // 30 to 50, then 60 to 100.
    await vi.advanceTimersByTimeAsync(29)
    expect(ask).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(22)
    expect(ask).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(37)
    expect(ask).toHaveBeenCalledTimes(2)
    await vi.advanceTimersByTimeAsync(64)
    expect(await asking).toBe(3)
  })

  it('waits no longer than is allowed', async () => {
    const ask = failing(4, { status: 500 })
    const asking = modelRetry({ attempts: 5, initialMs: 60_000, maxWaitMs: 5 })(free, ask, mayRepeat)
    await vi.advanceTimersByTimeAsync(20)
    expect(await asking).toBe(5)
  })

  it('is over at once when the signal is aborted, with its reason', async () => {
    const controller = new AbortController()
    const ask = failing(1, { status: 429, headers: { 'retry-after': '20' } })
    const asking = expect(modelRetry()(controller.signal, ask, mayRepeat)).rejects.toBe('enough')
    await vi.advanceTimersByTimeAsync(20)
    controller.abort('enough')
    await asking
    expect(vi.getTimerCount()).toBe(0)
  })

  it('throws the reason of the signal, not the error of the aborted request', async () => {
    const controller = new AbortController()
    const ask = async () => {
      controller.abort('enough')
      throw new Error('aborted')
    }
    await expect(modelRetry()(controller.signal, ask, mayRepeat)).rejects.toBe('enough')
  })

  it('rejects with the last error itself', async () => {
    const error = { status: 500 }
    const asking = modelRetry({ attempts: 2, initialMs: 0 })(free, failing(2, error), mayRepeat)
    await expect(asking).rejects.toBe(error)
  })
})
