import { describe, expect, it } from 'vitest'
import { anthropicTool } from './anthropic.js'
import { specOf } from './spec.fixture.js'

describe('a tool for Anthropic', () => {
  it('keeps its schema, without what is about code', () => {
    const { tool, changes } = anthropicTool(
      specOf({
        type: 'object',
        properties: { at: { type: 'string', format: 'date-time', 'x-js': 'Date' }, 'x-js': { const: { 'x-js': 1 } } },
        $defs: { A: { type: 'string', 'x-js': 'bigint' } },
      }),
    )
    expect(tool).toEqual({
      name: 'orders_getOrder',
      description: 'Finds an order.',
      input_schema: {
        type: 'object',
        properties: { at: { type: 'string', format: 'date-time' }, 'x-js': { const: { 'x-js': 1 } } },
        $defs: { A: { type: 'string' } },
      },
    })
    expect(changes).toEqual([])
  })

  it('has one object at the root', () => {
    const { tool, changes } = anthropicTool(
      specOf({
        $ref: '#/$defs/A',
        $defs: {
          A: {
            type: 'object',
            properties: { a: { type: 'string' }, b: { type: 'string' } },
            anyOf: [{ required: ['a'] }, { required: ['b'] }],
          },
        },
      }),
    )
    expect(tool.input_schema).toMatchObject({
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      description: 'Give one of these: "a"; "b".',
    })
    expect(Object.keys(tool.input_schema)).not.toContain('anyOf')
    expect(changes).toMatchObject([{ pointer: '', keyword: 'anyOf', kind: 'moved_to_description', loosens: true }])
  })

  it.each([true, false, { type: 'string' }])('of %j takes an object, of which nothing is told', (schema) => {
    const { tool, changes } = anthropicTool(specOf(schema))
    expect(tool.input_schema).toEqual({ type: 'object' })
    expect(changes).toMatchObject([{ kind: 'fallback', loosens: true }])
  })

  it('reports names that the API refuses', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'object', properties: { 'due date': { type: 'string' } } } },
    }
    expect(anthropicTool(specOf(schema)).changes).toMatchObject([
      { pointer: '/properties/a/properties/due date', keyword: 'properties', kind: 'fallback' },
    ])
  })
})
