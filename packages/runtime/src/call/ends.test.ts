import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { getOrder, registrationOf, toolOf } from '../agents/orders.fixture.js'
import { answer, failure, reasonOf } from '../agents/outcome.fixture.js'
import { Runtime } from '../index.js'

describe('the end of a call', () => {
  const never = (): Promise<never> => new Promise(() => undefined)
  const unhandled: unknown[] = []
  const record = (reason: unknown): void => void unhandled.push(reason)
  beforeEach(() => {
    process.on('unhandledRejection', record)
  })
  afterEach(() => {
    process.off('unhandledRejection', record)
    expect(unhandled).toEqual([])
  })

  it('comes with the abort of the caller, though the executor never settles', async () => {
    const controller = new AbortController()
    let inner: AbortSignal | undefined
    const toolset = new Runtime().registerToolset(
      registrationOf(getOrder, (request) => {
        inner = request.meta.signal
        controller.abort(new Error('the user left'))
        return never()
      }),
    )
    const outcome = await toolset.execute(getOrder.call({ orderId: 'A-1' }), { signal: controller.signal })
    expect(failure(outcome).hint).toMatchObject({ reason: 'cancelled', action: 'finish' })
    expect(inner?.aborted).toBe(true)
    expect(inner?.reason).toBe(controller.signal.reason)
  })

  it('comes with the deadline, and waiting is advised only where a second run does no harm', async () => {
    const patient = toolOf<{ orderId: string }, unknown>('orders.read', { spec: { annotations: { readOnly: true } } })
    for (const [tool, action] of [
      [getOrder, 'replan'],
      [patient, 'wait'],
    ] as const) {
      const toolset = new Runtime().registerToolset(registrationOf(tool, never))
      const outcome = await toolset.execute(tool.call({ orderId: 'A-1' }), { deadline: Date.now() + 10 })
      expect(failure(outcome).hint).toMatchObject({ reason: 'timeout', action })
    }
  })

  it('has come already when the signal is aborted or the deadline has passed', async () => {
    let called = false
    const toolset = new Runtime().registerToolset(
      registrationOf(getOrder, () => {
        called = true
        return answer
      }),
    )
    const call = getOrder.call({ orderId: 'A-1' })
    expect(reasonOf(await toolset.execute(call, { signal: AbortSignal.abort() }))).toBe('cancelled')
    expect(reasonOf(await toolset.execute(call, { deadline: 0 }))).toBe('timeout')
    expect(called).toBe(false)
  })

  it('ignores what settles late', async () => {
    const late = (): Promise<never> => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 20))
    const toolset = new Runtime().registerToolset(registrationOf(getOrder, late))
    const outcome = await toolset.execute(getOrder.call({ orderId: 'A-1' }), { deadline: Date.now() + 5 })
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(reasonOf(outcome)).toBe('timeout')
  })

  it('keeps an executor from being called by an adapter that answers late', async () => {
    let called = false
    const registration = registrationOf(
      getOrder,
      () => {
        called = true
        return answer
      },
      { payloadAdapter: (json) => new Promise((resolve) => setTimeout(() => resolve(json), 20)) },
    )
    const toolset = new Runtime().registerToolset(registration)
    await toolset.execute(getOrder.call({ orderId: 'A-1' }), { deadline: Date.now() + 5 })
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(called).toBe(false)
  })

  it('lets go of the caller’s signal and of the timer', async () => {
    let listeners = 0
    const { signal } = new AbortController()
    const counting = new Proxy(signal, {
      get: (target, key) => {
        if (key === 'addEventListener') listeners += 1
        if (key === 'removeEventListener') listeners -= 1
        const value: unknown = Reflect.get(target, key, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const toolset = new Runtime().registerToolset(registrationOf(getOrder, () => answer))
    const call = getOrder.call({ orderId: 'A-1' })
    const timers = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length
    const before = timers()
    expect((await toolset.execute(call, { signal: counting, deadline: Date.now() + 2 ** 40 })).status).toBe('completed')
    expect(listeners).toBe(0)
    expect(timers()).toBe(before)
  })

  it('reaches all calls of one signal, with one listener', async () => {
    const warnings: string[] = []
    const warn = (warning: Error): void => void warnings.push(warning.name)
    process.on('warning', warn)
    const controller = new AbortController()
    const { signal } = controller
    const toolset = new Runtime().registerToolset(
      registrationOf(getOrder, (request) => {
        request.meta.signal.addEventListener('abort', () => undefined)
        return never()
      }),
    )
    const calls = Array.from({ length: 40 }, (_, at) =>
      toolset.execute(
        getOrder.call({ orderId: 'A-1' }),
        at % 2 ? { signal } : { signal, deadline: Date.now() + 2 ** 40 },
      ),
    )
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(getEventListeners(signal, 'abort')).toHaveLength(1)
    controller.abort()
    expect(new Set((await Promise.all(calls)).map(reasonOf))).toEqual(new Set(['cancelled']))
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('warning', warn)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    expect(warnings).toEqual([])
  })
})
