import { describe, expect, it } from 'vitest'
import { defineTool } from './tool.js'
import { defineToolset } from './toolset.js'
import { fromService, serviceClient } from './uses.js'

const tool = defineTool({ description: 'x', payload: {}, result: {} })
const orders = defineToolset('orders', { description: 'Orders.', tools: { getOrder: tool, cancelOrder: tool } })
const client = serviceClient()

/** Calls the function with arguments of any type, like JavaScript code. */
const use = (...given: unknown[]): unknown => Reflect.apply(fromService, undefined, given)

describe('serviceClient', () => {
  it('is frozen and empty but for its kind; each is a value of its own', () => {
    expect(client).toEqual({ '~toolgen': 'client' })
    expect(Object.isFrozen(client)).toBe(true)
    expect(serviceClient()).not.toBe(client)
  })
})

describe('fromService', () => {
  it('refers to the very toolset and client', () => {
    const made = fromService(orders, client)
    expect(Object.keys(made)).toEqual(['~toolgen', 'provider', 'toolset', 'client'])
    expect(made).toMatchObject({ '~toolgen': 'use', provider: 'service' })
    expect(made.toolset).toBe(orders)
    expect(made.client).toBe(client)
  })

  it('keeps its options as frozen copies', () => {
    const constants = { filter: { open: [true] } }
    const options = {
      as: 'shop',
      only: ['getOrder'],
      rename: { getOrder: 'get' },
      tools: {
        getOrder: {
          method: 'orders.fetch',
          rename: { orderId: 'id' },
          constants,
          result: { from: 'data' },
          collect: 'last',
        },
      },
    }
    const made = fromService(orders, client, {
      as: 'shop',
      only: ['getOrder'],
      rename: { getOrder: 'get' },
      tools: {
        getOrder: {
          method: 'orders.fetch',
          rename: { orderId: 'id' },
          constants,
          result: { from: 'data' },
          collect: 'last',
        },
      },
    })
    expect(JSON.parse(JSON.stringify(made))).toMatchObject(options)
    const getOrder = made.tools?.getOrder
    const parts = [made, made.only, made.rename, made.tools, getOrder, getOrder?.rename, getOrder?.constants]
    expect(parts.every((part) => part !== undefined && Object.isFrozen(part))).toBe(true)
    expect(Object.isFrozen(getOrder?.constants?.filter)).toBe(true)
    expect(Object.isFrozen(constants) || Object.isFrozen(constants.filter)).toBe(false)
  })

  it('keeps hostile names as own properties', () => {
    const names = { ['__proto__']: 'x', constructor: 'y' }
    const made = Object(
      use(orders, client, { rename: names, tools: { ['__proto__']: { rename: names, constants: names } } }),
    )
    expect(Object.entries(made.rename)).toEqual(Object.entries(names))
    expect(Object.keys(made.tools)).toEqual(['__proto__'])
    const [options] = Object.values<any>(made.tools)
    expect(Object.entries(options.rename)).toEqual(Object.entries(names))
    expect(Object.entries(options.constants)).toEqual(Object.entries(names))
  })

  it('drops what is undefined', () => {
    const made = Object(
      use(orders, client, { as: undefined, only: undefined, tools: { getOrder: { method: undefined } } }),
    )
    expect(Object.keys(made)).toEqual(['~toolgen', 'provider', 'toolset', 'client', 'tools'])
    expect(Object.keys(made.tools.getOrder)).toEqual([])
  })

  it('leaves names of tools, fields and methods to the generator, which knows where they stand', () => {
    expect(() =>
      use(orders, client, { only: ['x'], rename: { y: 'z' }, tools: { w: { method: 'v.u' } } }),
    ).not.toThrow()
  })

  it.each<[string, unknown[], string]>([
    ['no toolset', [], 'fromService: first argument: expected a toolset, got undefined. '],
    ['a tool', [tool, client], 'expected a toolset, got a tool. Pass the result of defineToolset(...).'],
    ['no client', [orders], 'fromService("orders"): second argument: expected a service client, got undefined. '],
    ['a real client', [orders, new Map()], 'expected a service client, got an instance of a class. Pass an exported '],
    ['options that are text', [orders, client, 'getOrder'], 'expected a plain object, got a string. '],
    ['options that are null', [orders, client, null], 'expected a plain object, got null. '],
    ['only as text', [orders, client, { only: 'getOrder' }], 'only: expected an array, got a string. '],
    ['a rename to nothing', [orders, client, { rename: { getOrder: '' } }], 'rename["getOrder"]: is empty. '],
    [
      'a tool as text',
      [orders, client, { tools: { getOrder: 'x' } }],
      'tools["getOrder"]: expected an object, got a string. ',
    ],
    [
      'a misspelt option of a tool',
      [orders, client, { tools: { getOrder: { methd: 'x' } } }],
      'fromService("orders"): tools["getOrder"]: unknown property "methd". Did you mean "method"?',
    ],
    [
      'a method that is a function',
      [orders, client, { tools: { a: { method: () => 1 } } }],
      'method: expected a string, got a function. ',
    ],
    [
      'an unknown part of a result',
      [orders, client, { tools: { a: { result: { from: 'date' } } } }],
      'result: from: got "date". Did you mean "data"?',
    ],
    [
      'a name as a result',
      [orders, client, { tools: { a: { result: 'checked' } } }],
      'result: expected an object, got "checked". Write { from: "data" }, { checked: true } or both in one object.',
    ],
    [
      'a result that is checked by a name',
      [orders, client, { tools: { a: { result: { checked: 'yes' } } } }],
      'result: checked: expected a boolean, got a string. ',
    ],
    [
      'an unknown part of a stream',
      [orders, client, { tools: { a: { collect: 'lasst' } } }],
      'collect: got "lasst". Did you mean "last"?',
    ],
    ['a result far from any', [orders, client, { tools: { a: { result: { from: 'xx' } } } }], 'Write one of data.'],
    [
      'a constant that is no JSON',
      [orders, client, { tools: { a: { constants: { b: new Date(0) } } } }],
      'constants["b"]: is an instance of a class. ',
    ],
    ['an unknown option', [orders, client, { methods: {} }], 'unknown property "methods". '],
  ])('refuses %s', (_, given, message) => {
    expect(() => use(...given)).toThrow(TypeError)
    expect(() => use(...given)).toThrow(message)
  })
})
