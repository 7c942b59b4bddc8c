import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ToolChanges } from './tool-changes.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('changes of tools', () => {
  it('are reported at once, and a burst of them once more', async () => {
    const changes = new ToolChanges()
    const hear = vi.fn()
    changes.add(hear)
    for (let count = 0; count < 50; count += 1) changes.announce()
    expect(hear).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(hear).toHaveBeenCalledTimes(2)
    changes.announce()
    expect(hear).toHaveBeenCalledTimes(3)
  })

  it('are reported less and less often for a server that announces them at each list request', async () => {
    const changes = new ToolChanges()
    let lists = 0
    const list = async (): Promise<void> => {
      lists += 1
      changes.announce()
    }
    changes.add(() => void changes.during(list()))
    changes.announce()
    await vi.advanceTimersByTimeAsync(3_000)
    expect(lists).toBeLessThan(7)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(lists).toBeLessThan(40)
  })

  it('that are announced during a list request are reported after it', async () => {
    const changes = new ToolChanges()
    const hear = vi.fn()
    changes.add(hear)
    const list = changes.during(new Promise((resolve) => setTimeout(resolve, 5_000)))
    changes.announce()
    await vi.advanceTimersByTimeAsync(4_999)
    expect(hear).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await list
    expect(hear).toHaveBeenCalledTimes(1)
  })

  it('are not reported after the end', async () => {
    const changes = new ToolChanges()
    const hear = vi.fn()
    changes.add(hear)
    changes.announce()
    changes.announce()
    changes.close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(hear).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
