import { Runtime } from '@toolgen/runtime'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { advertisedSpecs, newSupportOrdersServiceExecutor, registerSupport } from './flat/gen/agents/support/index.js'
import { newCancelOrderCall, newGetOrderCall, newLeaveNoteCall, orders } from './flat/gen/toolsets/orders/index.js'
import type { OrdersClient } from './flat/src/orders-client.js'
import { registerAgent_ } from './hostile/gen/agents/agent/index.js'
import { delete_, new_42Call, newConstructorCall, newToStringCall } from './hostile/gen/toolsets/delete/index.js'
import { exportedSpecs, registerShop, shopAgent } from './nested/gen/agents/shop/index.js'
import { newReadShelfCall, newTagAllCall } from './nested/gen/toolsets/catalogue/index.js'
import type { CatalogueClient } from './nested/src/catalogue-client.js'

function ordersClient(calls: unknown[]): OrdersClient {
  return {
    fetchOrder: async (request) => {
      calls.push(request)
      return { id: request.orderId, status: 'open', total: 12.5, secret: 'never shown' }
    },
    cancelOrder: async (...args) => {
      calls.push(args)
      return { cancelled: true }
    },
    note: async (text) => {
      calls.push(text)
      return { id: 'N-1' }
    },
  }
}

describe('the flat golden', () => {
  function support(calls: unknown[] = []) {
    return registerSupport(new Runtime(), {
      toolsets: {
        orders: {
          client: ordersClient(calls),
          mappers: { leaveNote: { payload: (payload) => [{ body: payload.text }] } },
          checks: { leaveNote: z.object({ text: z.string().refine((text) => !text.includes('!'), 'Do not shout.') }) },
        },
      },
    })
  }

  it('runs from the call builder to the client and back', async () => {
    const calls: unknown[] = []
    const outcome = await support(calls).execute(newGetOrderCall({ orderId: 'A-1' }), { sessionId: 's-1' })
    expect(calls).toEqual([{ orderId: 'A-1', verbose: false, sessionId: 's-1' }])
    expect(outcome).toMatchObject({ status: 'completed', json: '{"id":"A-1","status":"open","total":12.5}' })
  })

  it('defect 3d: names its client in the provenance of each call, however the call ends', async () => {
    const completed = await support().execute(newGetOrderCall({ orderId: 'A-1' }), { sessionId: 's-1' })
    expect(completed).toMatchObject({ status: 'completed', result: { provenance: { service: 'ordersClient' } } })
    const invalid = await support().execute({ tool: 'orders.getOrder', arguments: '{}' }, { sessionId: 's-1' })
    expect(invalid).toMatchObject({ status: 'failed', provenance: { service: 'ordersClient', attempts: 0 } })
    const client = Object.assign(ordersClient([]), { fetchOrder: () => Promise.reject(new Error('away')) })
    const mappers = { leaveNote: { payload: (): [{ body: string }] => [{ body: '' }] } }
    const checks = { leaveNote: z.object({ text: z.string() }) }
    const failing = registerSupport(new Runtime(), { toolsets: { orders: { client, mappers, checks } } })
    expect(await failing.execute(newGetOrderCall({ orderId: 'A-1' }), { sessionId: 's-1' })).toMatchObject({
      status: 'failed',
      provenance: { service: 'ordersClient', attempts: 1 },
    })
  })

  it('passes positional arguments', async () => {
    const calls: unknown[] = []
    await support(calls).execute(newCancelOrderCall({ orderId: 'A-1', reason: 'mistake' }))
    await support(calls).execute(newCancelOrderCall({ orderId: 'A-2', reason: undefined }))
    expect(calls).toEqual([
      ['A-1', 'mistake'],
      ['A-2', undefined],
    ])
  })

  it('uses the required mapper and the required check', async () => {
    const calls: unknown[] = []
    const quiet = await support(calls).execute(newLeaveNoteCall({ text: 'Mind the step.' }))
    expect(quiet).toMatchObject({ status: 'completed', json: '{"id":"N-1"}' })
    const loud = await support(calls).execute(newLeaveNoteCall({ text: 'Mind the step!' }))
    expect(loud).toMatchObject({ status: 'failed', hint: { reason: 'invalid_arguments' } })
    expect(calls).toEqual([{ body: 'Mind the step.' }])
  })

  it.each([undefined, {}, { toolsets: {} }])('says what is missing where plain JavaScript gives %o', (binding) => {
    const register = (): unknown => registerSupport(new Runtime(), binding as never)
    expect(register).toThrow("Toolset 'orders' is missing")
  })

  it('lists all that is missing when JavaScript leaves it out', () => {
    const binding = { toolsets: { orders: {} } } as Parameters<typeof registerSupport>[1]
    expect(() => registerSupport(new Runtime(), binding)).toThrow(/client(?:.|\n)*mapper(?:.|\n)*check/)
  })

  it('refuses arguments that break a constraint in the call builder', () => {
    expect(() => newGetOrderCall({ orderId: '' })).toThrow()
  })

  it('names its tools as this agent calls them', () => {
    expect(advertisedSpecs().map(({ toolName }) => toolName)).toEqual([
      'orders_getOrder',
      'orders_cancelOrder',
      'note_to_warehouse',
    ])
    expect(Object.isFrozen(orders) && Object.isFrozen(orders.getOrder)).toBe(true)
    expect(newSupportOrdersServiceExecutor).toHaveLength(2)
  })
})

describe('the nested golden', () => {
  const client: CatalogueClient = {
    readShelf: async ({ label }) => ({
      label,
      width: 80,
      createdAt: new Date(0),
      shelves: [{ label: `${label}/1`, createdAt: new Date(0), shelves: [] }],
    }),
    tagAll: async (tags) => ({
      tagged: Object.keys(tags).length,
      byTag: Object.fromEntries(Object.entries(tags).map(([tag, value]) => [tag, [String(value)]])),
    }),
  }
  const shop = registerShop(new Runtime(), { toolsets: { catalogue: { client } } })

  it('defect 4c: has its tools in the sessions of the namespace of its toolset', async () => {
    const sessions = new SessionRegistry({ agents: { clerk: shop } })
    const session = await sessions.open('s-1', { userId: 'u-1', namespaces: ['shop'] })
    expect(session.tools.map(({ id }) => id)).toEqual(['catalogue.readShelf', 'catalogue.tagAll'])
    expect(await session.execute(newTagAllCall({ tags: { a: 'b' } }))).toMatchObject({ status: 'completed' })
    await sessions.close('s-1')
    const restored = await sessions.restore('s-1', { userId: 'u-1' })
    expect([restored.namespaces, restored.tools]).toEqual([['shop'], session.tools])
    await expect(sessions.open('s-2', { userId: 'u-1', namespaces: ['default'] })).rejects.toMatchObject({
      code: 'unknown_namespace',
      message: expect.stringContaining("a namespace of their designs: 'shop'."),
    })
  })

  it('converts recursive results', async () => {
    const filter = { kind: 'weight', atMost: 2 } as const
    const outcome = await shop.execute(newReadShelfCall({ label: 'A', filter }))
    expect(outcome.provenance.service).toBe('clients.catalogue')
    if (outcome.status !== 'completed') expect.fail(JSON.stringify(outcome))
    expect(outcome.result.data).toEqual({
      label: 'A',
      width: 80,
      createdAt: '1970-01-01T00:00:00.000Z',
      shelves: [{ label: 'A/1', createdAt: '1970-01-01T00:00:00.000Z', shelves: [] }],
    })
  })

  it('carries records with any keys', async () => {
    const tags = JSON.parse('{"__proto__":1,"new":"yes"}') as Record<string, string | number>
    const outcome = await shop.execute(newTagAllCall({ tags }))
    expect(outcome).toMatchObject({
      status: 'completed',
      json: '{"tagged":2,"byTag":{"__proto__":["1"],"new":["yes"]}}',
    })
  })

  it('offers what it exports', () => {
    expect(exportedSpecs().map(({ id, namespace }) => [id, namespace])).toEqual([
      ['catalogue.readShelf', 'shop'],
      ['catalogue.tagAll', 'shop'],
    ])
    expect(shopAgent.policy).toEqual({ maxToolCalls: 10, onMissingFields: 'resume' })
  })
})

describe('the hostile golden', () => {
  const printed: string[] = []
  const agent = registerAgent_(new Runtime(), {
    toolsets: {
      con: {
        client: {
          run: async (request) => ({ 'line\nbreak': request['order-id'] }),
          send: async (id) => ({ ok: id === '7' }),
          print: async (text) => {
            printed.push(text)
          },
        },
        // An object without an own `constructor` has Object's, so TypeScript wants the optional key written.
        mappers: {
          '42': { payload: ({ number }) => [number, ''] },
          constructor: {},
          toString: { payload: (payload) => [Object.hasOwn(payload, 'constructor') ? `${payload.constructor}` : '-'] },
        },
      },
    },
  })

  it('runs whatever its tools are called', async () => {
    const odd = await agent.execute(newConstructorCall({ 'order-id': 'x', constructor: "it's" }, { as: 'con' }))
    expect(odd).toMatchObject({ status: 'completed', json: '{"line\\nbreak":"x"}' })
    const digits = await agent.execute(new_42Call({ number: '7' }, { as: 'con' }))
    expect(digits).toMatchObject({ status: 'completed', json: '{"ok":true}' })
    expect(Object.keys(delete_)).toContain('constructor')
  })

  it('takes no name of every object for a field or a mapper', async () => {
    const given = await agent.execute(newToStringCall({ constructor: 'x' }, { as: 'con' }))
    expect(given).toMatchObject({ status: 'completed', json: 'null' })
    expect(printed).toEqual(['x'])
    // @ts-expect-error `{}` has the `constructor` of every object, which is no text
    const none = await agent.execute(newToStringCall({}, { as: 'con' }))
    expect(none).toMatchObject({ status: 'completed', json: 'null' })
    expect(printed).toEqual(['x', '-'])
    const without = { con: { client: {}, mappers: { '42': { payload: () => [] } } } }
    expect(() => registerAgent_(new Runtime(), { toolsets: without } as never)).toThrow(/toString/)
  })
})
