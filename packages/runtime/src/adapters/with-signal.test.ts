import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { withSignal } from './model-driver.js'

describe('work under a signal of its own', () => {
  it('follows the outer signal and its reason while it runs', async () => {
    const outer = new AbortController()
    const reason = new Error('enough')
    const seen = withSignal(
      outer.signal,
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
    )
    outer.abort(reason)
    expect(await seen).toBe(reason)
  })

  it('leaves nothing behind on the outer signal, however it ends', async () => {
    const { signal } = new AbortController()
    expect(await withSignal(signal, async () => 1)).toBe(1)
    await expect(withSignal(signal, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('does not begin under a signal that is aborted', async () => {
    let began = false
    const work = async () => {
      began = true
    }
    await expect(withSignal(AbortSignal.abort('late'), work)).rejects.toBe('late')
    expect(began).toBe(false)
  })
})
