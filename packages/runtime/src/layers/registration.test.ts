import { afterEach, describe, expect, it, vi } from 'vitest'
import { executorOf, registrationOf, toolOf, useOf } from '../agents/orders.fixture.js'
import { Runtime } from '../agents/runtime.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { HasApproval } from '../types/call-options.js'
import type { RegistrationOptions } from '../types/registration.js'
import { stack, transformOutput } from './built-in.js'
import { toolsetRegistration } from './registration.js'

afterEach(() => void vi.useRealTimers())

const getOrder = toolOf<{ readonly orderId: string }, unknown>('orders.getOrder')
const cancel = toolOf<{ readonly orderId: string }, unknown>('orders.cancel')
const says = (word: string) => transformOutput((json) => JSON.stringify(`${JSON.parse(json)} ${word}`))
const base = transformOutput(() => '"base"')

describe('a registration', () => {
  const plain = toolsetRegistration(
    useOf([getOrder, cancel]),
    executorOf(() => ({ id: 'A', total: 1 })),
  ).layer(base)
  const jsonOf = async (registration: typeof plain, tool: typeof cancel): Promise<unknown> => {
    const outcome = await new Runtime().registerToolset(registration).execute(tool.call({ orderId: 'A' }))
    return outcome.status === 'completed' ? outcome.json : outcome.status
  }

  it('is not changed by its layers', async () => {
    const layered = plain.layer(says('all'))
    expect(await jsonOf(plain, getOrder)).toBe('"base"')
    expect(await jsonOf(layered, getOrder)).toBe('"base all"')
    expect(Object.isFrozen(layered)).toBe(true)
  })

  it('wraps one tool inside the layers that are added later and around those that were added before', async () => {
    const layered = plain
      .layer(says('before'))
      .tool(cancel, (tool) => tool.layer(says('own')).layer(says('outer')))
      .layer(says('after'))
    expect(await jsonOf(layered, cancel)).toBe('"base before own outer after"')
    expect(await jsonOf(layered, getOrder)).toBe('"base before after"')
  })

  it('refuses what is no layer and a tool that is not its own', () => {
    for (const wrong of [undefined, null, {}, 'retry']) {
      expect(() => plain.layer(wrong as never)).toThrow('.layer() expects one layer')
      expect(() => plain.tool(cancel, (tool) => tool.layer(wrong as never))).toThrow('.layer() expects one layer')
      expect(() => plain.tool(wrong as never, (tool) => tool)).toThrow("expects a tool of the toolset 'orders'")
    }
    expect(() => plain.tool(toolOf('orders.other'), (tool) => tool)).toThrow('for example orders.getOrder')
    expect(() => plain.tool(cancel, (() => undefined) as never)).toThrow(
      '.tool(orders.cancel, layers): the function must return its argument with layers, for example (tool) => tool.layer(audit).',
    )
    for (const wrong of [undefined, null, {}, 'retry']) {
      expect(() => plain.tool(cancel, wrong as never)).toThrow(
        '.tool(orders.cancel, layers): layers must be a function, for example (tool) => tool.layer(audit).',
      )
    }
  })

  it('defect 21: has the default layers innermost, and the approval of a confirmed tool around them', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const tool = toolOf('orders.getOrder', {
      spec: {
        annotations: { readOnly: true },
        confirmation: { prompt: 'Sure?' },
        defaultLayers: { timeoutMs: 20, attempts: 2 },
      },
    })
    const attempts: number[] = []
    const executor = executorOf(({ meta }) => {
      attempts.push(meta.attempt)
      return new Promise(() => undefined)
    })
    const asked = vi.fn(async () => {
      await new Promise((resolve) => setTimeout(resolve, 5_000))
      return 'approve' as const
    })
    const orders = new Runtime().registerToolset(toolsetRegistration<HasApproval>(useOf([tool]), executor))
    const call = orders.execute(tool.call({ orderId: 'A' }), { env: { approval: { approve: asked } } })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(attempts).toEqual([1])
    // The first attempt, the wait before the second one, and that.
    await vi.advanceTimersByTimeAsync(20 + 100 + 20)
    expect(await call).toMatchObject({ status: 'failed', hint: { reason: 'timeout' }, provenance: { attempts: 2 } })
    expect(attempts).toEqual([1, 2])
    expect(asked).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([
    [undefined, 2],
    [{ getOrder: { attempts: 3 } }, 3],
    [{ cancel: { timeoutMs: 3 } }, 2],
    [{ getOrder: false }, 1],
    [false, 1],
    [null, 2],
  ] as const)(
    'defect 21: lets an application override or remove default layers: %j',
    async (defaultLayers, attempts) => {
      const busy = (): never => {
        throw new ToolFailure('Busy.', { reason: 'unavailable', action: 'wait', retryAfterMs: 1 })
      }
      const spec = { annotations: { readOnly: true }, defaultLayers: { attempts: 2 } }
      const use = useOf([toolOf('orders.getOrder', { spec }), cancel])
      const options = { defaultLayers: defaultLayers as never }
      const orders = new Runtime().registerToolset(toolsetRegistration(use, executorOf(busy), options))
      const outcome = await orders.execute(getOrder.call({ orderId: 'A' }))
      expect(outcome).toMatchObject({ status: 'failed', provenance: { attempts } })
    },
  )

  it('defect 21: rejects default layers of unknown tools, and invalid numbers', () => {
    const make = (defaultLayers: NonNullable<RegistrationOptions['defaultLayers']>) => () => {
      const executor = executorOf(() => ({ id: 'A', total: 1 }))
      return new Runtime().registerToolset(toolsetRegistration(useOf([getOrder]), executor, { defaultLayers }))
    }
    expect(make({ getOrders: { attempts: 2 } })).toThrow(
      'toolsets.orders.defaultLayers.getOrders does not match a tool',
    )
    expect(make({ getOrder: { timeoutMs: -1 } })).toThrow(
      "defaultLayers of 'getOrder': timeoutMs must be an integer from 1 to 2147483647, but is -1",
    )
    expect(make({ getOrder: { attempts: 0.5 } })).toThrow(
      "defaultLayers of 'getOrder': attempts must be an integer from 2 to 100, but is 0.5",
    )
  })

  it.each<[string, unknown, string]>([
    ['a time of 0', { getOrder: { timeoutMs: 0 } }, 'timeoutMs must be an integer from 1 to 2147483647, but is 0'],
    ['a time that is too long', { getOrder: { timeoutMs: 2 ** 31 } }, 'to 2147483647, but is 2147483648'],
    ['a fraction', { getOrder: { timeoutMs: 1.5 } }, 'to 2147483647, but is 1.5'],
    ['a text', { getOrder: { timeoutMs: '5' } }, 'to 2147483647, but is a value of type string'],
    ['null', { getOrder: { timeoutMs: null } }, 'to 2147483647, but is a value of type null'],
    ['one attempt', { getOrder: { attempts: 1 } }, 'attempts must be an integer from 2 to 100, but is 1'],
    ['101 attempts', { getOrder: { attempts: 101 } }, 'attempts must be an integer from 2 to 100, but is 101'],
    [
      'an unknown option',
      { getOrder: { timeout: 5 } },
      "unknown option 'timeout'. The options are timeoutMs and attempts",
    ],
    ['`true` for a tool', { getOrder: true }, 'must be `false` or an object, for example { timeoutMs: 5_000 }'],
    ['`true`', true, 'defaultLayers must be `false` or an object by tool name'],
    ['a list', [], 'defaultLayers must be `false` or an object by tool name'],
    ['attempts that may repeat an effect', { cancel: { attempts: 2 } }, 'the tool is neither readOnly nor idempotent'],
  ])('defect 21: refuses default layers that a design cannot declare: %s', (_, defaultLayers, message) => {
    const readOnly = toolOf('orders.getOrder', { spec: { annotations: { readOnly: true } } })
    const executor = executorOf(() => ({ id: 'A', total: 1 }))
    const options = { defaultLayers: defaultLayers as never }
    expect(() => toolsetRegistration(useOf([readOnly, cancel]), executor, options)).toThrow(message)
  })

  it('defect 21: allows attempts for an idempotent tool', () => {
    const idempotent = toolOf('orders.getOrder', { spec: { annotations: { idempotent: true } } })
    const executor = executorOf(() => ({ id: 'A', total: 1 }))
    const defaultLayers = { getOrder: { timeoutMs: 2_147_483_647, attempts: 100 } }
    expect(() => toolsetRegistration(useOf([idempotent]), executor, { defaultLayers })).not.toThrow()
  })

  it('applies a layer once for each of its tools', async () => {
    let applied = 0
    let entered = 0
    const counted = plain.layer((next) => {
      applied += 1
      return (request) => {
        entered += 1
        return next(request)
      }
    })
    const orders = new Runtime().registerToolset(counted)
    for (const tool of [getOrder, cancel, getOrder]) await orders.execute(tool.call({ orderId: 'A' }))
    expect([applied, entered]).toEqual([2, 3])
  })
})

describe('a stack', () => {
  it('is the same as the chain of its layers', async () => {
    const run = async (layered: ReturnType<typeof registrationOf>): Promise<unknown> =>
      (await new Runtime().registerToolset(layered).execute(getOrder.call({ orderId: 'A' }))) as unknown
    const plain = registrationOf(getOrder, () => ({ id: 'A', total: 1 })).layer(base)
    expect(await run(plain.layer(stack(says('a'), says('b'), stack(says('c'), stack()))))).toMatchObject({
      json: '"base a b c"',
    })
    expect(await run(plain.layer(says('a')).layer(says('b')).layer(says('c')))).toMatchObject({ json: '"base a b c"' })
  })

  it('keeps a failing layer from those outside of it', async () => {
    const seen: string[] = []
    const layered = registrationOf(getOrder, () => ({ id: 'A', total: 1 })).layer(
      stack(
        () => async () => {
          throw new Error('inner')
        },
        (next) => async (request) => {
          const outcome = await next(request)
          seen.push(outcome.status)
          return outcome
        },
      ),
    )
    await new Runtime().registerToolset(layered).execute(getOrder.call({ orderId: 'A' }))
    expect(seen).toEqual(['failed'])
  })
})
