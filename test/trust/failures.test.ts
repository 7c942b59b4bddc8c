import { provenanced, Runtime, renderForModel, ToolFailure, type ToolOutcome } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { registerSupport } from './failures/gen/agents/support/index.js'
import {
  addressUnknown,
  newCancelOrderCall,
  newChangeOrderCall,
  newGetOrderCall,
  orderLocked,
  orderShipped,
} from './failures/gen/toolsets/orders/index.js'
import type { OrdersClient } from './failures/src/orders-client.js'

const order = { id: 'A-1', status: 'open' } as const
const cancel = newCancelOrderCall({ orderId: 'A-1' })

function client(cancelOrder: OrdersClient['cancelOrder']): OrdersClient {
  return { getOrder: async () => order, changeOrder: async () => order, cancelOrder }
}

function failing(cancelOrder: OrdersClient['cancelOrder']): Promise<ToolOutcome> {
  return registerSupport(new Runtime(), { toolsets: { orders: { client: client(cancelOrder) } } }).execute(cancel)
}

function ofExecutor(execute: () => unknown): Promise<ToolOutcome> {
  return registerSupport(new Runtime(), { toolsets: { orders: { executor: { execute } } } }).execute(cancel)
}

const shipped = {
  status: 'failed',
  error: {
    reason: 'order_shipped',
    message: 'Order A-1 has left the warehouse; offer a return.',
    data: { orderId: 'A-1' },
  },
  hint: {
    reason: 'domain_rejection',
    action: 'replan',
    tool: 'orders.cancelOrder',
    message: 'Order A-1 has left the warehouse; offer a return.',
    failure: 'order_shipped',
    data: { orderId: 'A-1' },
  },
}

describe('a declared failure', () => {
  it('has its name and data in the outcome if a service throws it', async () => {
    const thrown = orderShipped({ orderId: 'A-1' }, { cause: new Error('row 7') })
    const outcome = await failing(() => Promise.reject(thrown))
    expect(outcome).toMatchObject(shipped)
    if (outcome.status !== 'failed') throw new Error('The call did not fail.')
    expect(outcome.error.cause).toBe(thrown)
    expect(thrown).toMatchObject({ message: shipped.error.message, cause: { message: 'row 7' } })
    expect(renderForModel(outcome)).toBe('Order A-1 has left the warehouse; offer a return. Try another way.')
  })

  it('fails the call if an executor returns it', async () => {
    expect(await ofExecutor(() => orderShipped({ orderId: 'A-1' }))).toMatchObject(shipped)
    const described = await ofExecutor(() => provenanced(orderShipped({ orderId: 'A-1' }), { service: 'orders-v2' }))
    expect(described).toMatchObject({ ...shipped, provenance: { service: 'orders-v2', attempts: 1 } })
    expect(await ofExecutor(() => new ToolFailure('No.'))).toMatchObject({ error: { reason: 'domain_rejection' } })
  })

  it('fails the call if a service returns it', async () => {
    expect(await failing(async () => orderShipped({ orderId: 'A-1' }))).toMatchObject(shipped)
  })

  it('fails the call if a mapper returns it', async () => {
    const support = registerSupport(new Runtime(), {
      toolsets: {
        orders: {
          client: client(async () => order),
          mappers: { cancelOrder: { result: ({ id }) => orderShipped({ orderId: id }) } },
        },
      },
    })
    expect(await support.execute(cancel)).toMatchObject(shipped)
    const ofPayload = registerSupport(new Runtime(), {
      toolsets: {
        orders: {
          client: client(() => Promise.reject(new Error('The method was called.'))),
          mappers: { cancelOrder: { payload: async ({ orderId }) => orderShipped({ orderId }) } },
        },
      },
    })
    expect(await ofPayload.execute(cancel)).toMatchObject(shipped)
  })

  it('has the message and the action of its declaration, and no data if it declares none', async () => {
    const outcome = await ofExecutor(() => orderLocked())
    if (outcome.status !== 'failed') throw new Error('The call did not fail.')
    expect(outcome.error).toEqual({ reason: 'order_locked', message: 'The order is being changed by somebody else.' })
    expect(outcome.hint).toMatchObject({ action: 'finish', failure: 'order_locked' })
    expect(outcome.hint).not.toHaveProperty('data')
    const message = 'The order is being changed by somebody else. Do not call it again.'
    expect(renderForModel(outcome)).toBe(message)
  })

  it('drops undeclared fields of its data', async () => {
    const found = { orderId: 'A-1', customer: 'C-7' }
    const outcome = await ofExecutor(() => orderShipped(found))
    expect(outcome).toMatchObject(shipped)
    expect(JSON.stringify(outcome)).not.toContain('C-7')
  })

  it('becomes internal if its data are invalid, with the issues for developers only', async () => {
    const thrown = orderShipped({ orderId: 'A-1', carrier: 7 } as never)
    const outcome = await ofExecutor(() => {
      throw thrown
    })
    if (outcome.status !== 'failed') throw new Error('The call did not fail.')
    expect(outcome.error).toMatchObject({ reason: 'internal', issues: [{ path: '/carrier' }] })
    expect(outcome.error.cause).toMatchObject({
      message: expect.stringContaining("The data of the failure 'order_shipped' of 'service.orders.cancelOrder'"),
      cause: thrown,
    })
    expect(outcome.hint).toEqual({
      reason: 'internal',
      action: 'replan',
      tool: 'orders.cancelOrder',
      message: 'The tool failed because of an internal error.',
    })
  })

  it('of another tool is a rejection with its message', async () => {
    const outcome = await ofExecutor(() => addressUnknown({ address: 'Oak 1', similar: [] }))
    if (outcome.status !== 'failed') throw new Error('The call did not fail.')
    expect(outcome.error).toEqual({ reason: 'domain_rejection', message: 'There is no address Oak 1.' })
    expect(outcome.hint).toEqual({
      reason: 'domain_rejection',
      action: 'correct_call',
      tool: 'orders.cancelOrder',
      message: 'There is no address Oak 1.',
    })
  })

  it('can be the answer of `classify` and the cause of another error', async () => {
    class Shipped extends Error {}
    const runtime = new Runtime({
      classify: (error) => (error instanceof Shipped ? orderShipped({ orderId: 'A-1' }, { cause: error }) : undefined),
    })
    const throwing = (error: Error) => client(() => Promise.reject(error))
    const classified = registerSupport(runtime, { toolsets: { orders: { client: throwing(new Shipped()) } } })
    expect(await classified.execute(cancel)).toMatchObject(shipped)
    const wrapped = new Error('wrapped', { cause: orderShipped({ orderId: 'A-1' }) })
    const wrapping = registerSupport(new Runtime(), { toolsets: { orders: { client: throwing(wrapped) } } })
    expect(await wrapping.execute(cancel)).toMatchObject(shipped)
  })

  it('of another copy of the package is recognized', async () => {
    const { message, action, failure, data } = orderShipped({ orderId: 'A-1' })
    const copy = Object.assign(new Error(message), { name: 'ToolFailure', noExample: false })
    expect(
      await ofExecutor(() => Object.assign(copy, { reason: 'domain_rejection', action, failure, data })),
    ).toMatchObject(shipped)
  })
})

it('the types of the outcome have the failures of the tool', async () => {
  const support = registerSupport(new Runtime(), {
    toolsets: { orders: { client: client(() => Promise.reject(orderShipped({ orderId: 'A-1' }))) } },
  })
  const outcome = await support.execute(cancel)
  expect(outcome.status === 'failed' && outcome.error.reason === 'order_shipped' && outcome.error.data.orderId).toBe(
    'A-1',
  )
  const specs = support.specs.map(({ failures = [] }) => failures.map(({ name }) => name))
  expect(specs).toEqual([[], ['order_shipped', 'order_locked'], ['order_shipped', 'address_unknown']])
  const change = newChangeOrderCall({ orderId: 'A-1', address: 'Oak 1' })
  expect(await support.execute(change)).toMatchObject({ status: 'completed' })
  expect(await support.execute(newGetOrderCall({ orderId: 'A-1' }))).toMatchObject({ status: 'completed' })
})
