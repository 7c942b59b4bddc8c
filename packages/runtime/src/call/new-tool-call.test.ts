import { describe, expect, it } from 'vitest'
import { getOrder } from '../agents/orders.fixture.js'
import { isToolgenError } from '../is-toolgen-error.js'
import { newToolCall } from './descriptors.js'

describe('a call builder', () => {
  it('encodes the arguments and invents nothing', () => {
    const call = getOrder.call({ orderId: 'A-1', quantity: undefined })
    expect(call).toEqual({ tool: 'orders.getOrder', arguments: '{"orderId":"A-1"}' })
    expect(Object.isFrozen(call)).toBe(true)
  })

  it('takes ids and the name of the use', () => {
    const options = { toolCallId: 'c', parentToolCallId: 'p', as: 'archive' }
    expect(getOrder.call({ orderId: 'A-1' }, options)).toEqual({
      tool: 'archive.getOrder',
      arguments: '{"orderId":"A-1"}',
      toolCallId: 'c',
      parentToolCallId: 'p',
    })
  })

  it('throws one error that lists every issue', () => {
    const build = (): unknown => getOrder.call({ orderId: '', quantity: 0 })
    expect(build).toThrow(/Invalid arguments for 'orders.getOrder':\n {2}- \/orderId: .*\n {2}- \/quantity: /)
    try {
      build()
    } catch (error) {
      expect(isToolgenError(error, 'InvalidArgumentsError') && error.tool).toBe('orders.getOrder')
      expect(isToolgenError(error, 'InvalidArgumentsError') && error.issues.map((issue) => issue.path)).toEqual([
        '/orderId',
        '/quantity',
      ])
    }
    expect.assertions(3)
  })

  it('lets an error of the codec itself pass', () => {
    const encode = (): never => {
      throw new RangeError('a bug')
    }
    expect(() => newToolCall(getOrder.spec, { encode }, {})).toThrow(RangeError)
  })
})
