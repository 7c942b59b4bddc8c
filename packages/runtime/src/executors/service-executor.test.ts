import { describe, expect, it } from 'vitest'
import { getOrder, type Order, useOf } from '../agents/orders.fixture.js'
import { type Provenanced, provenanced, Runtime, ToolFailure } from '../index.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { ToolOutcome } from '../types/outcome.js'
import { serviceExecutor, serviceTool } from './service-executor.js'

class Client {
  readonly #orders = new Map([['A-1', 12.5]])
  async fetch(order: { id: string; session?: string }): Promise<{ id: string; cents: number; secret: string }> {
    const total = this.#orders.get(order.id)
    if (total === undefined) throw Object.assign(new Error('SELECT failed'), { status: 404 })
    return { id: order.id, cents: total * 100, secret: 'hunter2' }
  }
}

interface Payload {
  readonly orderId: string
}
type Args = Parameters<Client['fetch']>
type Fetched = Awaited<ReturnType<Client['fetch']>>

const client = new Client()
const payload = ({ orderId }: Payload): Args => [{ id: orderId }]
const result = ({ id, cents }: Fetched): Order => ({ id, total: cents / 100 })
const call = (args: Args): Promise<Fetched> => client.fetch(...args)

function run(tool: ReturnType<typeof serviceTool>, orderId = 'A-1', sessionId = 's-1'): Promise<ToolOutcome<Order>> {
  const executor = serviceExecutor('orders', { getOrder: tool })
  const toolset = new Runtime().registerToolset(toolsetRegistration(useOf([getOrder]), executor))
  return toolset.execute(getOrder.call({ orderId }), { sessionId })
}

describe('a service executor', () => {
  it('calls the method on its owner and keeps only declared fields', async () => {
    expect(await run(serviceTool({ payload, call, result }))).toMatchObject({
      status: 'completed',
      json: '{"id":"A-1","total":12.5}',
    })
  })

  it('sees what a method answered within what it said about it', async () => {
    const answered = async (args: Args): Promise<Provenanced<Fetched>> =>
      provenanced(await call(args), { service: 'v2', model: 'm' })
    expect(await run(serviceTool({ payload, call: answered, result }))).toMatchObject({
      status: 'completed',
      json: '{"id":"A-1","total":12.5}',
      provenance: { service: 'v2', model: 'm' },
    })
    const mappers = {
      result: (fetched: Fetched, _meta: unknown, next: (inner: Fetched) => Order) =>
        provenanced(next(fetched), { service: 'mapped' }) as never,
    }
    expect(await run(serviceTool({ payload, call: answered, result, mappers }))).toMatchObject({
      status: 'completed',
      provenance: { service: 'mapped', model: 'm' },
    })
  })

  it('lets mappers wrap the generated transforms', async () => {
    const outcome = await run(
      serviceTool({
        payload,
        call,
        result,
        mappers: {
          payload: async (sent: Payload, meta, next) => {
            expect(meta.sessionId).toBe('s-1')
            return next({ orderId: sent.orderId.toUpperCase() })
          },
          result: (fetched: Fetched, _meta, next): Order => ({ ...next(fetched), total: 0 }),
        },
      }),
      'a-1',
    )
    expect(outcome).toMatchObject({ result: { data: { id: 'A-1', total: 0 } } })
  })

  it('uses required mappers alone', async () => {
    const mappers = {
      payload: (sent: Payload): Args => [{ id: sent.orderId }],
      result: async (fetched: Fetched): Promise<Order> => ({ id: fetched.id, total: 1 }),
    }
    expect(await run(serviceTool({ call, mappers }))).toMatchObject({ result: { data: { id: 'A-1', total: 1 } } })
  })

  it('lets a mapper say more of the provenance', async () => {
    const tool = serviceTool({
      payload,
      call,
      mappers: { result: (fetched: Fetched) => provenanced(result(fetched), { service: 'orders-v2' }) },
    })
    expect((await run(tool)).provenance.service).toBe('orders-v2')
  })

  it.each([
    ['the method', serviceTool({ payload, call, result }), 'domain_rejection'],
    [
      'a mapper',
      serviceTool({
        payload,
        call,
        mappers: {
          result: (_: Fetched): Order => {
            throw Object.assign(new Error('x'), { code: 'ECONNRESET' })
          },
        },
      }),
      'unavailable',
    ],
    [
      'a mapper that speaks to the model',
      serviceTool({
        call,
        result,
        mappers: {
          payload: (_: Payload): Args => {
            throw new ToolFailure('No.', { reason: 'denied' })
          },
        },
      }),
      'denied',
    ],
    [
      'a transform',
      serviceTool({
        payload,
        call,
        result: (_: Fetched): Order => {
          throw new TypeError("Cannot read properties of undefined (reading 'secret')")
        },
      }),
      'internal',
    ],
  ])('classifies what %s throws', async (_, tool, reason) => {
    const outcome = await run(tool, reason === 'domain_rejection' ? 'unknown order' : 'A-1')
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason } })
    expect(JSON.stringify(outcome)).not.toMatch(/SELECT|secret/)
  })

  it('fails for a tool that it does not have', async () => {
    const executor = serviceExecutor('orders', {})
    const toolset = new Runtime().registerToolset(toolsetRegistration(useOf([getOrder]), executor))
    const outcome = await toolset.execute(getOrder.call({ orderId: 'A-1' }))
    expect(outcome).toMatchObject({ status: 'failed', error: { reason: 'internal' } })
  })
})
