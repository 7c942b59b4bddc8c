import { describe, expect, it } from 'vitest'
import { fixedEffects, getOrder, registrationOf, toolOf } from '../agents/orders.fixture.js'
import { allText, answer, failure, reasonOf } from '../agents/outcome.fixture.js'
import { Runtime, renderForModel } from '../index.js'
import type { StandardCheck } from '../types/json.js'
import type { ToolLayer } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'

describe('invalid arguments', () => {
  const toolset = new Runtime().registerToolset(registrationOf(getOrder, () => answer))
  const send = async (json: string): Promise<Extract<ToolOutcome, { status: 'failed' }>> =>
    failure(await toolset.execute({ tool: 'orders_getOrder', arguments: json }))

  it('are missing fields only when nothing else is wrong', async () => {
    expect((await send('{}')).hint).toMatchObject({
      reason: 'missing_fields',
      action: 'correct_call',
      tool: 'orders.getOrder',
      missing: [{ path: '/orderId', description: 'Order number as printed on the invoice' }],
      example: { orderId: 'A-1001' },
      rejected: '{}',
    })
    expect((await send('{"quantity":0}')).hint.reason).toBe('invalid_arguments')
  })

  it('are described to a model with all fields, allowed values, and a valid example', async () => {
    const text = renderForModel(await send('{"quantity":0,"status":"opne"}'))
    expect(text).toMatch(/^Invalid arguments: /)
    expect(text).toContain('orderId is missing')
    expect(text).toContain('quantity must be 1 to 100')
    expect(text).toContain('status must be one of "open", "shipped"')
    expect(text.length).toBeLessThan(300)
    const example = /Correct example: (.*)$/.exec(text)?.[1] ?? ''
    expect(getOrder.payload.decode(example).ok).toBe(true)
  })

  it.each(['', '{', '{"orderId": A-1}', '[1', 'undefined'])('may be no JSON at all: %j', async (json) => {
    const { hint } = await send(json)
    expect(hint).toMatchObject({ reason: 'invalid_arguments', issues: [{ constraint: 'invalid_json' }] })
  })

  it('may be of any hostile form without harm', async () => {
    for (const json of [
      '{"__proto__":{"orderId":"x"}}',
      '[]',
      'null',
      '"x"',
      '{"constructor":1}',
      '['.repeat(20_000),
    ]) {
      expect(['invalid_arguments', 'missing_fields']).toContain((await send(json)).hint.reason)
    }
    expect('orderId' in {}).toBe(false)
  })

  it('bring an example made from the schema where no example of the tool fits', async () => {
    const tool = toolOf<{ orderId: string }, unknown>('orders.stale', { spec: { examples: [{ gone: true }] } })
    const stale = new Runtime().registerToolset(registrationOf(tool, () => answer))
    const { hint } = failure(await stale.execute({ tool: 'orders.stale', arguments: '{}' }))
    const example = hint.reason === 'missing_fields' ? hint.example : undefined
    expect(tool.payload.decodeValue(example).ok).toBe(true)
  })

  it('bring a long example with its needed fields alone', async () => {
    const tool = toolOf<{ id: string }, unknown>('orders.long', {
      arguments: {
        type: 'object',
        properties: { id: { type: 'string' }, note: { type: 'string' } },
        required: ['id'],
      },
      spec: { examples: [{ id: 'A-1', note: 'x'.repeat(500) }] },
    })
    const long = new Runtime().registerToolset(registrationOf(tool, () => answer))
    expect(failure(await long.execute({ tool: 'orders.long', arguments: '{}' })).hint).toMatchObject({
      example: { id: 'A-1' },
    })
  })
})

describe('server-owned fields', () => {
  const owned = toolOf<{ orderId: string }, { id: string; total: number }, 'sessionId' | 'labels.tenant'>(
    'orders.mine',
    {
      spec: {
        serverOwned: [
          { field: '__proto__', from: 'sessionId', schema: { type: 'string', maxLength: 8 } },
          { field: 'tenant', from: 'labels.tenant', schema: { type: 'string' } },
        ],
      },
    },
  )
  const payloads: unknown[] = []
  const toolset = new Runtime().registerToolset(
    registrationOf(owned, async (request) => {
      payloads.push(await request.payload())
      return answer
    }),
  )
  const call = owned.call({ orderId: 'A-1' })

  it('are filled from the meta, also under hostile names', async () => {
    await toolset.execute(call, { sessionId: 's-1', labels: { tenant: 't-1' } })
    const payload = payloads.pop() as object
    expect(Object.entries(payload)).toEqual([
      ['orderId', 'A-1'],
      ['quantity', 1],
      ['__proto__', 's-1'],
      ['tenant', 't-1'],
    ])
    expect(Object.getPrototypeOf(payload)).toBe(Object.prototype)
  })

  it('cannot be sent by a model', async () => {
    const outcome = await toolset.execute(
      { tool: 'orders.mine', arguments: '{"orderId":"A-1","tenant":"evil"}' },
      { sessionId: 's-1', labels: { tenant: 't-1' } },
    )
    expect(failure(outcome).hint).toMatchObject({
      reason: 'invalid_arguments',
      issues: [{ constraint: 'server_owned_field', path: '/tenant' }],
    })
  })

  it('are all named when the caller gave no value for them', async () => {
    const untyped = { tool: 'orders.mine', arguments: call.arguments }
    const outcome = failure(await toolset.execute(untyped, { labels: Object.create({ tenant: 'inherited' }) }))
    expect(outcome.hint.reason).toBe('internal')
    expect(outcome.error.message).toContain('options.sessionId')
    // No model can mend what the caller forgot.
    expect(outcome.hint.action).toBe('finish')
    expect(outcome.error.message).toContain('options.labels.tenant')
  })

  it('are checked by their own rule, and a value that breaks it is not shown', async () => {
    const outcome = await toolset.execute(call, { sessionId: 'secret-session', labels: { tenant: 't' } })
    expect(reasonOf(outcome)).toBe('internal')
    expect(allText(outcome)).not.toContain('secret-session')
    expect(failure(outcome).error.message).toContain('sessionId')
  })

  it('can be the id of the call, which the runtime makes', async () => {
    const tool = toolOf<{ orderId: string }, unknown, 'toolCallId'>('orders.traced', {
      spec: { serverOwned: [{ field: 'callId', from: 'toolCallId', schema: { type: 'string' } }] },
    })
    const seen: unknown[] = []
    const registration = registrationOf(tool, async (request) => {
      seen.push(await request.payload())
      return answer
    })
    await new Runtime({ effects: fixedEffects() }).registerToolset(registration).execute(tool.call({ orderId: 'A' }))
    expect(seen).toEqual([{ orderId: 'A', quantity: 1, callId: 'toolCall-1' }])
  })
})

describe('checks', () => {
  const checkOf = (validate: StandardCheck['~standard']['validate']): StandardCheck => ({
    '~standard': { version: 1, vendor: 'test', validate },
  })
  const withCheck = (validate: StandardCheck['~standard']['validate']): Promise<ToolOutcome> => {
    const registration = registrationOf(getOrder, (request) => ({ ...answer, id: JSON.stringify(request.payload()) }), {
      checks: { getOrder: checkOf(validate) },
    })
    return new Runtime().registerToolset(registration).execute(getOrder.call({ orderId: 'A-1' }))
  }

  it('become issues with JSON Pointers', async () => {
    const issues = [{ message: 'must be after from', path: ['a/b', { key: 0 }, '~'] }, { message: 'no' }]
    const outcome = await withCheck(async () => ({ issues }))
    expect(failure(outcome).hint).toMatchObject({
      reason: 'invalid_arguments',
      issues: [
        { constraint: 'check_failed', path: '/a~1b/0/~0', message: 'must be after from' },
        { constraint: 'check_failed', path: '', message: 'no' },
      ],
    })
  })

  it('see the payload and do not change it', async () => {
    const seen: unknown[] = []
    const registration = registrationOf(
      getOrder,
      async (request) => ({ ...answer, id: JSON.stringify(await request.payload()) }),
      {
        checks: {
          getOrder: checkOf((value) => {
            seen.push(value)
            return { value: { orderId: 'changed' } }
          }),
        },
      },
    )
    const outcome = await new Runtime().registerToolset(registration).execute(getOrder.call({ orderId: 'A-1' }))
    expect(seen).toEqual([{ orderId: 'A-1', quantity: 1 }])
    expect(outcome).toMatchObject({ result: { data: { id: '{"orderId":"A-1","quantity":1}' } } })
  })

  it('that throw are an internal failure', async () => {
    const outcome = await withCheck(() => {
      throw new Error('SECRET')
    })
    expect(reasonOf(outcome)).toBe('internal')
    expect(allText(outcome)).not.toContain('SECRET')
  })

  it('do not blame the model for a value of the caller', async () => {
    const owned = toolOf<{ orderId: string }, unknown, 'sessionId'>('orders.mine', {
      spec: { serverOwned: [{ field: 'sessionId', from: 'sessionId', schema: { type: 'string' } }] },
    })
    const registration = registrationOf(owned, () => answer, {
      checks: { mine: checkOf(() => ({ issues: [{ message: 'unknown session', path: ['sessionId'] }] })) },
    })
    const outcome = await new Runtime()
      .registerToolset(registration)
      .execute(owned.call({ orderId: 'A' }), { sessionId: 's' })
    expect(failure(outcome).error).toMatchObject({ reason: 'internal', message: expect.stringContaining('sessionId') })
  })

  it.each<[string, unknown]>([
    ['a message that is none', { message: 5, path: ['a'] }],
    ['null', null],
    ['a path of strange keys', { message: 'm', path: [null, Symbol('s'), { key: Symbol('t') }] }],
    ['a path that is none', { message: 'm', path: 'abc' }],
    [
      'a message that throws',
      {
        get message(): never {
          throw new Error('SECRET')
        },
      },
    ],
  ])('may report anything: %s', async (_, issue) => {
    const outcome = failure(await withCheck(() => ({ issues: [issue as never] })))
    expect(outcome.hint).toMatchObject({ reason: 'invalid_arguments', issues: [{ constraint: 'check_failed' }] })
    expect(allText(outcome)).not.toContain('SECRET')
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['issues that are no list', { issues: 'x' }],
  ])('that answer with %s are an internal failure', async (_, result) => {
    expect(reasonOf(await withCheck(() => result as never))).toBe('internal')
  })

  it('cannot change what the executor sees, nor can an attempt what the next one sees', async () => {
    const seen: string[] = []
    const registration = registrationOf(
      getOrder,
      async (request) => {
        const payload = await request.payload()
        seen.push(JSON.stringify(payload))
        Reflect.set(Object(payload), 'orderId', 'changed by an attempt')
        return answer
      },
      {
        checks: {
          getOrder: checkOf((value) => {
            Reflect.set(Object(value), 'orderId', 'changed by the check')
            return { value }
          }),
        },
      },
    )
    const again: ToolLayer = (next) => async (request) => {
      await next(request)
      return next(request.withMeta({ ...request.meta, attempt: 2 }))
    }
    await new Runtime().registerToolset(registration.layer(again)).execute(getOrder.call({ orderId: 'A' }))
    expect(seen).toEqual(['{"orderId":"A","quantity":1}', '{"orderId":"A","quantity":1}'])
  })

  it('are passed by the example that is shown, or none is shown', async () => {
    const examples = [{ orderId: 'old' }, { orderId: 'new' }]
    const tool = toolOf<{ orderId: string }, unknown, 'sessionId'>('orders.checked', {
      spec: { examples, serverOwned: [{ field: 'session', from: 'sessionId', schema: { type: 'string' } }] },
    })
    const shown = async (allowed: readonly string[]): Promise<unknown> => {
      const check = checkOf((value) => {
        const { orderId, session } = value as { orderId: string; session: string }
        return allowed.includes(orderId) && session === 's' ? { value } : { issues: [{ message: 'is not there' }] }
      })
      const toolset = new Runtime().registerToolset(registrationOf(tool, () => answer, { checks: { checked: check } }))
      const { hint } = failure(await toolset.execute({ tool: 'orders.checked', arguments: '{}' }, { sessionId: 's' }))
      return 'example' in hint ? hint.example : undefined
    }
    expect(await shown(['old', 'new'])).toEqual({ orderId: 'old' })
    expect(await shown(['new'])).toEqual({ orderId: 'new' })
    expect(await shown([])).toBeUndefined()
  })
})
