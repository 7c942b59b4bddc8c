import { describe, expect, it } from 'vitest'
import { defineTool } from './tool.js'
import { defineToolset } from './toolset.js'
import { fromMcp } from './uses.js'

const tool = defineTool({ description: 'x', payload: {}, result: {} })
const files = defineToolset('files', { description: 'x', tools: { readFile: tool, listFiles: tool } })

/** Calls the function with arguments of any type, like JavaScript code. */
const use = (...given: unknown[]): unknown => Reflect.apply(fromMcp, undefined, given)

describe('fromMcp', () => {
  it('says which toolset is used, and names no server', () => {
    const made = fromMcp(files)
    expect(Object.keys(made)).toEqual(['~toolgen', 'provider', 'toolset'])
    expect(made).toMatchObject({ '~toolgen': 'use', provider: 'mcp' })
    expect(made.toolset).toBe(files)
  })

  it('keeps its options as frozen copies', () => {
    const tools = { readFile: { name: 'read_file' } }
    const made = fromMcp(files, { as: 'disk', only: ['readFile'], rename: { readFile: 'open' }, tools })
    expect(JSON.parse(JSON.stringify(made))).toMatchObject({ as: 'disk', only: ['readFile'], tools })
    expect([made, made.only, made.rename, made.tools, made.tools?.readFile].every(Object.isFrozen)).toBe(true)
    expect(Object.isFrozen(tools.readFile)).toBe(false)
  })

  it('keeps hostile names as own properties', () => {
    const tools = { ['__proto__']: { name: 'x' }, constructor: { name: 'y' } }
    expect(Object.entries(Object(use(files, { tools })).tools)).toEqual(Object.entries(tools))
  })

  it('drops what is undefined', () => {
    const made = Object(use(files, { as: undefined, tools: { readFile: { name: undefined }, listFiles: undefined } }))
    expect(Object.keys(made)).toEqual(['~toolgen', 'provider', 'toolset', 'tools'])
    expect(JSON.stringify(made.tools)).toBe('{"readFile":{}}')
  })

  it.each<[string, unknown[], string]>([
    ['no toolset', [], 'fromMcp: first argument: expected a toolset, got undefined. '],
    [
      'a name that is no text',
      [files, { tools: { readFile: { name: 1 } } }],
      'name: expected a string, got a number. ',
    ],
    ['an empty name', [files, { tools: { readFile: { name: '' } } }], 'tools["readFile"]: name: is empty. '],
    [
      'what only a service can be told',
      [files, { tools: { readFile: { method: 'x' } } }],
      'unknown property "method". ',
    ],
    ['a misspelt option', [files, { tool: {} }], 'unknown property "tool". Did you mean "tools"?'],
  ])('refuses %s', (_, given, message) => {
    expect(() => use(...given)).toThrow(TypeError)
    expect(() => use(...given)).toThrow(message)
  })
})

describe('a toolset of an MCP server', () => {
  it('keeps the names of its tools there, frozen and without a prototype', () => {
    const names = { readFile: 'read_file' }
    const server = { name: 'disk', version: '1.0.0' }
    const { mcp } = defineToolset('files', { description: 'x', tools: { readFile: tool }, mcp: { server, names } })
    expect(mcp).toEqual({ server, names })
    expect([mcp, mcp?.server, mcp?.names].every(Object.isFrozen)).toBe(true)
    expect(mcp?.names.constructor).toBeUndefined()
  })

  it('needs to say nothing more', () => {
    expect(defineToolset('files', { description: 'x', tools: {}, mcp: {} }).mcp).toEqual({ names: {} })
    expect('mcp' in files).toBe(false)
  })

  it.each<[string, unknown, string]>([
    ['a name that is empty', { names: { readFile: '' } }, 'mcp: names["readFile"]: is empty'],
    ['a server without a version', { server: { name: 'disk' } }, '"version" is missing'],
    ['an unknown property', { url: 'x' }, 'unknown property "url"'],
  ])('refuses %s', (_, mcp, message) => {
    const define = () => Reflect.apply(defineToolset, undefined, ['files', { description: 'x', tools: {}, mcp }])
    expect(define).toThrow(TypeError)
    expect(define).toThrow(message)
  })
})
