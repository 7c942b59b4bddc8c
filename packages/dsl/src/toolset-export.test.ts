import { describe, expect, it } from 'vitest'
import { defineTool } from './tool.js'
import { defineToolset, exportToolset } from './toolset.js'

const tool = defineTool({ description: 'x', payload: {}, result: {} })
const investigation = defineToolset('investigation', { description: 'x', tools: { investigate: tool, lookUp: tool } })

/** Calls the function with arguments of any type, like JavaScript code. */
const offer = (...given: unknown[]): unknown => Reflect.apply(exportToolset, undefined, given)

describe('exportToolset', () => {
  it('names the offered toolset, without options of its tools by default', () => {
    const made = exportToolset(investigation)
    expect(made).toEqual({ '~toolgen': 'export', toolset: investigation, tools: {} })
    expect(made.toolset).toBe(investigation)
  })

  it('keeps options of single tools as frozen copies', () => {
    const tools = {
      investigate: { template: 'Find out all about {{topic}}.', systemPrompt: 'Be thorough.', prose: true },
      lookUp: { text: 'Look it up.' },
    }
    const made = exportToolset(investigation, { tools })
    expect(JSON.parse(JSON.stringify(made.tools))).toEqual(tools)
    const parts = [made, made.tools, made.tools.investigate, made.tools.lookUp]
    expect(parts.every((part) => part !== undefined && Object.isFrozen(part))).toBe(true)
    expect(Object.isFrozen(tools) || Object.isFrozen(tools.investigate)).toBe(false)
  })

  it('keeps hostile names as own properties', () => {
    const tools = { ['__proto__']: { text: 'x' }, constructor: { text: 'y' } }
    expect(Object.entries(Object(offer(investigation, { tools })).tools)).toEqual(Object.entries(tools))
  })

  it('drops what is undefined', () => {
    expect(Object(offer(investigation, { tools: undefined })).tools).toEqual({})
    const made = Object(offer(investigation, { tools: { investigate: { text: undefined, prose: undefined } } }))
    expect(Object.keys(made.tools.investigate)).toEqual([])
  })

  it('leaves names of tools and fields, and a text beside a template, to the generator, which knows their place', () => {
    expect(() => offer(investigation, { tools: { x: { text: 'a', template: '{{b}}' } } })).not.toThrow()
  })

  it.each<[string, unknown[], string]>([
    ['no toolset', [], 'exportToolset: first argument: expected a toolset, got undefined. '],
    [
      'a toolset by name',
      ['investigation'],
      'expected a toolset, got a string. Pass the result of defineToolset(...).',
    ],
    ['options that are null', [investigation, null], 'expected a plain object, got null. '],
    ['tools as a list', [investigation, { tools: [] }], 'expected a plain object, got an array. '],
    ['a tool as text', [investigation, { tools: { a: 'x' } }], 'tools["a"]: expected an object, got a string. '],
    [
      'an empty text',
      [investigation, { tools: { a: { text: ' ' } } }],
      'tools["a"]: text: is empty. Write a text for the model, or omit the field.',
    ],
    ['a template that is a function', [investigation, { tools: { a: { template: () => 1 } } }], 'got a function. '],
    ['prose that is no flag', [investigation, { tools: { a: { prose: 'yes' } } }], 'prose: expected a boolean, '],
    [
      'a misspelt option of a tool',
      [investigation, { tools: { a: { systemPromt: 'x' } } }],
      'exportToolset("investigation"): tools["a"]: unknown property "systemPromt". Did you mean "systemPrompt"?',
    ],
    ['an unknown option', [investigation, { only: [] }], 'unknown property "only". Use one of tools.'],
  ])('refuses %s', (_, given, message) => {
    expect(() => offer(...given)).toThrow(TypeError)
    expect(() => offer(...given)).toThrow(message)
  })
})
