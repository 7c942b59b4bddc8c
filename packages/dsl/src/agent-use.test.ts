import { describe, expect, it } from 'vitest'
import { defineTool } from './tool.js'
import { defineToolset } from './toolset.js'
import { fromAgent, fromExecutor } from './uses.js'

const tool = defineTool({ description: 'x', payload: {}, result: {} })
const investigation = defineToolset('investigation', { description: 'x', tools: { investigate: tool, lookUp: tool } })

/** Calls the function with arguments of any type, like JavaScript code. */
const use = (...given: unknown[]): unknown => Reflect.apply(fromAgent, undefined, given)

describe('fromAgent', () => {
  it('says which toolset is used, and names no agent', () => {
    const made = fromAgent(investigation)
    expect(Object.keys(made)).toEqual(['~toolgen', 'provider', 'toolset'])
    expect(made).toMatchObject({ '~toolgen': 'use', provider: 'agent' })
    expect(made.toolset).toBe(investigation)
  })

  it('keeps its options as frozen copies', () => {
    const rename = { investigate: 'find_out' }
    const made = fromAgent(investigation, { as: 'team', only: ['investigate'], rename })
    expect(JSON.parse(JSON.stringify(made))).toMatchObject({ as: 'team', only: ['investigate'], rename })
    expect([made, made.only, made.rename].every((part) => part !== undefined && Object.isFrozen(part))).toBe(true)
    expect(Object.isFrozen(rename)).toBe(false)
  })

  it('keeps hostile names as own properties', () => {
    const names = { ['__proto__']: 'x', constructor: 'y' }
    expect(Object.entries(Object(use(investigation, { rename: names })).rename)).toEqual(Object.entries(names))
  })

  it('drops what is undefined', () => {
    const made = Object(use(investigation, { as: undefined, only: undefined, rename: undefined }))
    expect(Object.keys(made)).toEqual(['~toolgen', 'provider', 'toolset'])
  })

  it('leaves names of tools to the generator, which knows where they stand', () => {
    expect(() => use(investigation, { only: ['x'], rename: { y: 'z' } })).not.toThrow()
  })

  it.each<[string, unknown[], string]>([
    ['no toolset', [], 'fromAgent: first argument: expected a toolset, got undefined. '],
    ['a tool', [tool], 'expected a toolset, got a tool. Pass the result of defineToolset(...).'],
    ['options that are text', [investigation, 'research'], 'expected a plain object, got a string. '],
    ['an empty name', [investigation, { as: '' }], 'fromAgent("investigation"): as: is empty. '],
    ['only as text', [investigation, { only: 'investigate' }], 'only: expected an array, got a string. '],
    ['a rename to nothing', [investigation, { rename: { investigate: '' } }], 'rename["investigate"]: is empty. '],
    ['a misspelt option', [investigation, { renam: {} }], 'unknown property "renam". Did you mean "rename"?'],
    ['what only a service can be told', [investigation, { tools: {} }], 'unknown property "tools". '],
  ])('refuses %s', (_, given, message) => {
    expect(() => use(...given)).toThrow(TypeError)
    expect(() => use(...given)).toThrow(message)
  })
})

describe('fromExecutor', () => {
  it('selects and renames tools', () => {
    const use = fromExecutor(investigation, { as: 'own', only: ['investigate'], rename: { investigate: 'find_out' } })
    expect(use).toMatchObject({ provider: 'executor', toolset: investigation, as: 'own', only: ['investigate'] })
    expect(use.rename).toEqual({ investigate: 'find_out' })
    // @ts-expect-error: there is no such tool
    fromExecutor(investigation, { only: ['look'] })
  })

  it('rejects what is not a toolset', () => {
    expect(() => Reflect.apply(fromExecutor, undefined, [{}])).toThrow(
      'fromExecutor: first argument: expected a toolset',
    )
  })
})
