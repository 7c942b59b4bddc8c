import { describe, expect, it } from 'vitest'
import { defineTool } from './tool.js'
import { defineToolset } from './toolset.js'
import { serviceClient } from './uses.js'

const tool = defineTool({ description: 'x', payload: {}, result: {} })

/** Calls the function with arguments of any type, like JavaScript code. */
const define = (...given: unknown[]): unknown => Reflect.apply(defineToolset, undefined, given)

describe('defineToolset', () => {
  it('keeps name, description and the order of its tools, in the default namespace', () => {
    const toolset = defineToolset('orders', { description: 'Orders.', tools: { b: tool, a: tool } })
    expect(toolset.name).toBe('orders')
    expect(toolset.description).toBe('Orders.')
    expect(toolset.namespace).toBe('default')
    expect(Object.keys(toolset.tools)).toEqual(['b', 'a'])
    expect(toolset.tools.a).toBe(tool)
    expect(defineToolset('o', { description: '', tools: {}, namespace: 'shop' }).namespace).toBe('shop')
  })

  it('is frozen, without freezing what was given', () => {
    const tools = { tool }
    const toolset = defineToolset('orders', { description: 'Orders.', tools })
    expect(Object.isFrozen(toolset) && Object.isFrozen(toolset.tools)).toBe(true)
    expect(Object.isFrozen(tools)).toBe(false)
  })

  it('keeps tools with hostile names as own properties, and has no others', () => {
    const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'päckchen', '']
    const toolset = defineToolset('orders', {
      description: 'Orders.',
      tools: Object.fromEntries(names.map((name) => [name, tool])),
    })
    expect(Object.keys(toolset.tools)).toEqual(names)
    expect(names.every((name) => toolset.tools[name] === tool)).toBe(true)
    expect(toolset.tools.valueOf).toBeUndefined()
  })

  it('makes equal values when it is evaluated twice', () => {
    const make = () => defineToolset('orders', { description: 'Orders.', tools: { tool } })
    expect(make()).toEqual(make())
  })

  it.each<[string, unknown[], string]>([
    ['no name', [{ description: 'x', tools: {} }], 'defineToolset: name: expected a string, got an object. '],
    ['an empty name', ['', { description: 'x', tools: {} }], 'defineToolset: name: is empty. Write a name.'],
    ['no definition', ['orders'], 'defineToolset("orders"): expected a plain object, got undefined. '],
    ['no tools', ['orders', { description: 'x' }], 'defineToolset("orders"): "tools" is missing. '],
    ['tools that are null', ['orders', { description: 'x', tools: null }], 'tools: expected an object, got null. '],
    [
      'a definition that no defineTool made',
      ['orders', { description: 'x', tools: { 'a b': { description: 'x' } } }],
      'defineToolset("orders"): tools["a b"]: expected a tool, got an object. Create the tool with defineTool({ ... }).',
    ],
    [
      'a client',
      ['orders', { description: 'x', tools: { a: serviceClient() } }],
      'expected a tool, got a service client. ',
    ],
    [
      'a tool as the prototype',
      ['orders', { description: 'x', tools: { __proto__: tool } }],
      "tools: expected a plain object, got an instance of a class. Write a plain object; a name such as __proto__ needs brackets and quotes: ['__proto__'].",
    ],
    [
      'text as a namespace that is empty',
      ['orders', { description: 'x', tools: {}, namespace: '' }],
      'namespace: is empty. ',
    ],
    ['a misspelt property', ['orders', { descripton: 'x', tools: {} }], 'Did you mean "description"?'],
    [
      'control characters',
      ['a\u001b[31m\n', { tools: {} }],
      'defineToolset("a\\u001b[31m\\n"): "description" is missing. ',
    ],
  ])('refuses %s', (_, given, message) => {
    expect(() => define(...given)).toThrow(TypeError)
    expect(() => define(...given)).toThrow(message)
  })
})
