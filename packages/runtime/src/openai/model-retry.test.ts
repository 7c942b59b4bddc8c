import { describe, expect, it } from 'vitest'
import { modelRetry } from './model-retry.js'

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

describe('asking again', () => {
  it('waits about the usual time, doubled for each further attempt', async () => {
    const began = performance.now()
    const ask = failing(2, { status: 500 })
    expect(await modelRetry({ initialMs: 40 })({ signal: free, mayRepeat, ask })).toBe(3)
    const elapsed = performance.now() - began
    // 30 to 50, then 60 to 100.
    expect(elapsed).toBeGreaterThanOrEqual(88)
    expect(elapsed).toBeLessThan(1_000)
  })

  it('waits no longer than is allowed', async () => {
    const ask = failing(4, { status: 500 })
    const began = performance.now()
    expect(await modelRetry({ attempts: 5, initialMs: 60_000, maxWaitMs: 5 })({ signal: free, mayRepeat, ask })).toBe(5)
    expect(performance.now() - began).toBeLessThan(2_000)
  })

  it('is over at once when the signal is aborted, with its reason', async () => {
    const controller = new AbortController()
    const ask = failing(1, { status: 429, headers: { 'retry-after': '20' } })
    setTimeout(() => controller.abort('enough'), 20)
    const began = performance.now()
    await expect(modelRetry()({ signal: controller.signal, mayRepeat, ask })).rejects.toBe('enough')
    expect(performance.now() - began).toBeLessThan(2_000)
  })

  it('tells the reason of the signal, not what the abort made of the request', async () => {
    const controller = new AbortController()
    const ask = async () => {
      controller.abort('enough')
      throw new Error('aborted')
    }
    await expect(modelRetry()({ signal: controller.signal, mayRepeat, ask })).rejects.toBe('enough')
  })

  it('rejects with the last error itself', async () => {
    const error = { status: 500 }
    const asking = modelRetry({ attempts: 2, initialMs: 0 })({ signal: free, mayRepeat, ask: failing(2, error) })
    await expect(asking).rejects.toBe(error)
  })
})
