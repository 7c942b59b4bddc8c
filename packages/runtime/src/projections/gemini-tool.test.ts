import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../types/json.js'
import { geminiTool } from './gemini.js'
import { specOf } from './spec.fixture.js'

function written(schema: JsonSchema, more: object = {}): unknown {
  const { tool } = geminiTool(specOf({ type: 'object', properties: { a: schema }, ...more }))
  return Object(tool.parametersJsonSchema.properties).a
}

describe('a tool for Gemini', () => {
  it.each<[string, JsonSchema, unknown]>([
    [
      'a text',
      { type: 'string', minLength: 1, format: 'email' },
      { type: 'string', format: 'email', description: 'At least 1 character.' },
    ],
    ['a literal', { const: 'x' }, { type: 'string', enum: ['x'] }],
    ['a flag as literal', { const: true }, { type: 'boolean', description: 'Must be true.' }],
    ['null as literal', { const: null }, { type: 'null' }],
    ['null among literals', { enum: ['x', null] }, { anyOf: [{ type: 'string', enum: ['x'] }, { type: 'null' }] }],
    [
      'an empty string among literals',
      { type: 'string', enum: ['', 'x'] },
      { type: 'string', description: 'One of "", "x".' },
    ],
    ['a bound of whole numbers', { type: 'integer', exclusiveMinimum: 0 }, { type: 'integer', minimum: 1 }],
    ['a bound of numbers', { type: 'number', exclusiveMinimum: 0 }, { type: 'number', description: 'More than 0.' }],
    [
      'parts',
      { allOf: [{ type: 'string' }, { minLength: 2 }] },
      { type: 'string', description: 'At least 2 characters.' },
    ],
    ['anything', true, {}],
  ])('says %s in the keywords that Gemini reads', (_, schema, expected) => {
    expect(written(schema)).toEqual(expected)
  })

  it('leaves a reference alone', () => {
    const $defs = { A: { type: 'string' } }
    expect(written({ $ref: '#/$defs/A', description: 'What' }, { $defs })).toEqual({
      description: 'What',
      anyOf: [{ $ref: '#/$defs/A' }],
    })
  })

  it('requires no field that leads back to itself', () => {
    const Node = {
      type: 'object',
      properties: { id: { type: 'string' }, of: { type: 'array', items: { $ref: '#/$defs/Node' } } },
      required: ['id', 'of'],
    }
    const { tool, changes } = geminiTool(
      specOf({ type: 'object', properties: { a: { $ref: '#/$defs/Node' } }, required: ['a'], $defs: { Node } }),
    )
    expect(tool.parametersJsonSchema).toMatchObject({ $defs: { Node: { required: ['id'] } } })
    expect(tool.parametersJsonSchema).not.toHaveProperty('required')
    expect(changes.map(({ pointer, keyword, loosens }) => [pointer, keyword, loosens])).toEqual([
      ['', 'required', true],
      ['/$defs/Node', 'required', true],
    ])
  })

  it('reports an empty string among literals', () => {
    const { changes } = geminiTool(specOf({ type: 'object', properties: { a: { enum: ['', 'x'] } } }))
    expect(changes).toMatchObject([
      { pointer: '/properties/a', keyword: 'enum', kind: 'moved_to_description', loosens: true },
    ])
  })

  it('reports a name that Gemini refuses', () => {
    expect(geminiTool(specOf({ type: 'object' }, { toolName: '2fa' })).changes).toMatchObject([
      { keyword: 'toolName', kind: 'fallback' },
    ])
  })
})
