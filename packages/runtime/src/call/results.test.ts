import { describe, expect, it } from 'vitest'
import { getOrder, registrationOf, toolOf } from '../agents/orders.fixture.js'
import { allText, answer, failure, reasonOf } from '../agents/outcome.fixture.js'
import { Runtime, renderForModel } from '../index.js'

describe('adapters', () => {
  it('change the JSON before the decode and after the encode, once per call, and never the data', async () => {
    const order: string[] = []
    const registration = registrationOf(
      getOrder,
      async (request) => {
        order.push(`executor ${await request.json()}`)
        await request.payload()
        return answer
      },
      {
        payloadAdapter: async (json, { tool, meta }) => {
          order.push(`payload ${json} ${tool.id} ${meta.attempt}`)
          return '{"orderId":"adapted"}'
        },
        resultAdapter: (json) => {
          order.push(`result ${json}`)
          return '{"short":true}'
        },
      },
    )
    const outcome = await new Runtime()
      .registerToolset(registration)
      .execute({ tool: 'orders.getOrder', arguments: 'raw' })
    expect(order).toEqual([
      'payload raw orders.getOrder 1',
      'executor {"orderId":"adapted"}',
      'result {"id":"A-1","total":12.5}',
    ])
    expect(outcome).toMatchObject({ json: '{"short":true}', result: { data: answer } })
  })

  it.each([
    ['payloadAdapter', 'rate_limited'],
    ['resultAdapter', 'internal'],
  ] as const)('of the %s that throw are classified, but a tool that ran is not run again', async (adapter, reason) => {
    const limited = (): never => {
      throw Object.assign(new Error('SECRET'), { status: 429 })
    }
    const silent = (): never => undefined as never
    for (const [broken, expected] of [
      [limited, reason],
      [silent, 'internal'],
    ] as const) {
      const registration = registrationOf(getOrder, () => answer, { [adapter]: broken })
      const outcome = await new Runtime().registerToolset(registration).execute(getOrder.call({ orderId: 'A-1' }))
      expect(reasonOf(outcome)).toBe(expected)
      expect(allText(outcome)).not.toContain('SECRET')
    }
  })
})

describe('results that break their contract', () => {
  const cyclic: Record<string, unknown> = { id: 'x', total: 1 }
  cyclic.self = cyclic
  const anyObject = toolOf<{ orderId: string }, unknown>('orders.any', {
    result: { type: 'object', additionalProperties: true },
  })

  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['text', 'A-1'],
    ['an object of other fields', { name: 'x' }],
    ['a wrong type', { id: 1, total: 'secret-total' }],
    ['NaN', { id: 'x', total: Number.NaN }],
    ['a function', () => answer],
    [
      'a throwing getter',
      Object.defineProperty({ total: 1 }, 'id', {
        enumerable: true,
        get: () => {
          throw new Error('SECRET')
        },
      }),
    ],
  ])('fail: %s', async (_, value) => {
    const outcome = await new Runtime()
      .registerToolset(registrationOf(getOrder, () => value))
      .execute(getOrder.call({ orderId: 'A-1' }))
    expect(reasonOf(outcome)).toBe('malformed_result')
    expect(outcome.provenance.attempts).toBe(1)
    expect(renderForModel(outcome)).toBe('The tool returned an invalid result. Try another way.')
    expect(allText(outcome)).not.toContain('SECRET')
  })

  it.each<[string, unknown]>([
    ['a cycle', cyclic],
    ['a bigint', { id: 1n }],
    ['a symbol', { id: Symbol('x') }],
  ])('fail where everything is allowed but JSON cannot carry it: %s', async (_, value) => {
    const outcome = await new Runtime()
      .registerToolset(registrationOf(anyObject, () => value))
      .execute(anyObject.call({ orderId: 'A-1' }))
    expect(reasonOf(outcome)).toBe('malformed_result')
  })

  it('list the issues for the program', async () => {
    const outcome = await new Runtime()
      .registerToolset(registrationOf(getOrder, () => ({ id: 1 })))
      .execute(getOrder.call({ orderId: 'A-1' }))
    expect(failure(outcome).hint).toMatchObject({
      issues: expect.arrayContaining([expect.objectContaining({ path: '/id', constraint: 'invalid_type' })]),
    })
  })
})
