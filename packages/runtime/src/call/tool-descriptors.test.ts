import { describe, expect, it } from 'vitest'
import { toolOf } from '../agents/orders.fixture.js'
import type { ToolDescriptor } from '../types/tool.js'
import { specsOf, toolDescriptors, toolsOf } from './descriptors.js'

const getOrder = toolOf<{ readonly orderId: string }, string>('orders.getOrder')
const proto = toolOf<object, number>('orders.__proto__')

describe('toolDescriptors', () => {
  it('gives back the same object with its descriptors, frozen', () => {
    const given = { getOrder: { ...getOrder }, ['__proto__']: { ...proto } }
    const tools: {
      readonly getOrder: ToolDescriptor<{ readonly orderId: string }, unknown, string, never>
      readonly __proto__: ToolDescriptor<object, unknown, number, never>
    } = toolDescriptors(given)
    expect(tools).toBe(given)
    expect(Object.isFrozen(tools)).toBe(true)
    expect(Object.values(tools).map((tool) => Object.isFrozen(tool))).toEqual([true, true])
  })

  it('are listed in their order, whatever they are called', () => {
    const tools = { getOrder, ['__proto__']: proto }
    expect(toolsOf(tools)).toEqual([getOrder, proto])
    expect(specsOf(tools)).toEqual([getOrder.spec, proto.spec])
  })
})
