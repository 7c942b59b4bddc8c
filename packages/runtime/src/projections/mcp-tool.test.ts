import { describe, expect, it } from 'vitest'
import type { JsonSchemaObject } from '../types/json.js'
import { anthropicTool } from './anthropic.js'
import { mcpTool } from './mcp.js'
import { specOf } from './spec.fixture.js'

describe('a tool for MCP', () => {
  const schema = { type: 'object', properties: { at: { type: 'string', 'x-js': 'Date' } } }
  const plain = { type: 'object', properties: { at: { type: 'string' } } }

  it('has names, schemas and hints', () => {
    const annotations = { readOnly: true, idempotent: false }
    expect(mcpTool(specOf(schema, { result: schema, annotations })).tool).toEqual({
      name: 'orders_getOrder',
      title: 'Get order',
      description: 'Finds an order.',
      inputSchema: plain,
      outputSchema: plain,
      annotations: { readOnlyHint: true, idempotentHint: false },
    })
  })

  it.each([true, { type: 'string' }, { type: ['object', 'null'] }, { anyOf: [schema, { type: 'null' }] }])(
    'has no output schema where results may be something else: %j',
    (result) => {
      expect(mcpTool(specOf(schema, { result })).tool).not.toHaveProperty('outputSchema')
    },
  )

  it('says that a union of objects is an object, in results', () => {
    const union = { oneOf: [plain, { $ref: '#/$defs/A' }], $defs: { A: plain } }
    const { tool, changes } = mcpTool(specOf(schema, { result: union }))
    expect(tool.outputSchema).toEqual({ ...union, type: 'object' })
    expect(changes).toEqual([])
  })

  it('says that arguments are an object where only their keywords say it', () => {
    const { tool, changes } = mcpTool(specOf({ enum: [{}] }))
    expect(tool.inputSchema).toEqual({ enum: [{}], type: 'object' })
    expect(changes).toMatchObject([{ pointer: '', keyword: 'type', kind: 'changed', loosens: false }])
  })

  const either = [
    { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  ]
  it.each<[string, JsonSchemaObject]>([
    ['oneOf', { oneOf: either }],
    ['anyOf', { type: 'object', anyOf: either }],
    ['allOf', { allOf: either }],
    ['$ref', { $ref: '#/$defs/Either', $defs: { Either: { anyOf: either } } }],
  ])('defect 14a: has no %s at the root of its arguments, as the form for Anthropic has none', (keyword, composed) => {
    const { tool, changes } = mcpTool(specOf(composed))
    expect(tool.inputSchema).toEqual(anthropicTool(specOf(composed)).tool.input_schema)
    expect(Object.keys(tool.inputSchema)).not.toContain(keyword)
    expect(Object.keys(tool.inputSchema.properties ?? {})).toEqual(['id', 'name'])
    const loosens = keyword !== 'allOf'
    expect(changes.filter((change) => change.loosens)).toHaveLength(loosens ? 1 : 0)
  })

  it('defect 13d: has no output schema with a name that is half of a surrogate pair', () => {
    const result = {
      type: 'object',
      properties: { a: { type: 'object', properties: { 'a\ud800': { type: 'string' } } } },
    }
    const { tool, changes } = mcpTool(specOf(schema, { result }))
    expect(tool).not.toHaveProperty('outputSchema')
    expect(changes).toMatchObject([{ keyword: 'outputSchema', kind: 'removed' }])
  })

  it('reports arguments that are no object', () => {
    expect(mcpTool(specOf({ type: 'string' })).changes).toMatchObject([{ kind: 'fallback', keyword: 'type' }])
  })
})
