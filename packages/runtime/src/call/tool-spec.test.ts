import { describe, expect, it } from 'vitest'
import { toolSpec } from './descriptors.js'

const payload = { schema: { type: 'object', properties: {} } } as const
const result = { schema: { type: 'string' } } as const
const said = { title: 'Get order', description: 'Fetch one order.', examples: [{}], hash: '78209c03e046436c' }

describe('toolSpec', () => {
  it('fills in what follows from the id and what is usual', () => {
    const spec = toolSpec({ id: 'orders.getOrder', ...said }, payload, result)
    expect(spec).toStrictEqual({
      id: 'orders.getOrder',
      toolset: 'orders',
      name: 'getOrder',
      namespace: 'default',
      toolName: 'orders_getOrder',
      title: 'Get order',
      description: 'Fetch one order.',
      tags: [],
      arguments: payload.schema,
      result: result.schema,
      examples: [{}],
      serverOwned: [],
      annotations: {},
      hash: '78209c03e046436c',
    })
    expect(Object.isFrozen(spec)).toBe(true)
  })

  it('keeps what is said, in the order in which a spec has it', () => {
    const parts = {
      ...said,
      callHint: 'Looking up',
      resultHint: 'Found',
      serverOwned: [{ field: 'sessionId', from: 'sessionId', schema: { type: 'string' } }],
      annotations: { readOnly: true },
      confirmation: { prompt: 'Really?' },
      tags: ['a'],
      meta: { synonyms: ['take'] },
      namespace: 'shop',
      toolName: 'get',
      toolset: 'my.orders',
      name: 'getOrder',
    } as const
    const spec = toolSpec({ ...parts, id: 'my.orders.getOrder' }, payload, result, { schema: true })
    expect(spec).toStrictEqual({
      ...parts,
      id: 'my.orders.getOrder',
      arguments: payload.schema,
      result: result.schema,
      updates: true,
    })
    expect(Object.keys(spec).join(' ')).toBe(
      'id toolset name namespace toolName title description tags meta arguments result updates examples callHint ' +
        'resultHint serverOwned annotations confirmation hash',
    )
  })

  it('takes the name to begin behind the first dot', () => {
    const { toolset, name, toolName } = toolSpec({ id: 'orders.get.order', ...said }, payload, result)
    expect({ toolset, name, toolName }).toEqual({
      toolset: 'orders',
      name: 'get.order',
      toolName: 'orders_get.order',
    })
  })
})
