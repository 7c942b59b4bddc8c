import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { modelDriver, withSignal } from './model-driver.js'

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

describe('the signal of a request', () => {
  const { signal } = new AbortController()

  /** Resolves with the signals that a driver passes to its client in two requests. */
  async function signalsOf(sharesSignal: boolean, ofRun = signal): Promise<readonly AbortSignal[]> {
    const seen: AbortSignal[] = []
    const driver = modelDriver<undefined, never>({
      ...{ name: 'test', provider: 'test', model: 'test', retry: undefined, stream: false, onDelta: undefined },
      sharesSignal,
      prepare: () => undefined,
      send: async (_, sending) => void seen.push(sending.signal),
      read: () => ({ message: { role: 'assistant', content: 'Hi' }, calls: [] }),
    })
    const meta = { runId: 'run_1', agent: 'support', labels: {}, signal: ofRun }
    for (let count = 0; count < 2; count += 1) await driver.ask({ messages: [], tools: [], meta })
    return seen
  }

  it('is a new one for each request, or the signal of the run', async () => {
    const [first, second] = await signalsOf(false)
    expect(new Set([first, second, signal]).size).toBe(3)
    expect(new Set([...(await signalsOf(true)), signal]).size).toBe(1)
  })

  it.each([true, false])('is never aborted before the request (shared: %s)', async (sharesSignal) => {
    await expect(signalsOf(sharesSignal, AbortSignal.abort('late'))).rejects.toBe('late')
  })
})
