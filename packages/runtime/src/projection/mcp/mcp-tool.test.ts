import { describe, expect, it } from 'vitest'
import { specOf } from '../spec.fixture.js'
import { mcpTool } from './mcp-tool.js'

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

  it('says that a union of objects is an object, for results as for arguments', () => {
    const union = { oneOf: [plain, { $ref: '#/$defs/A' }], $defs: { A: plain } }
    const { tool, changes } = mcpTool(specOf(union, { result: union }))
    expect(tool.inputSchema).toEqual({ ...union, type: 'object' })
    expect(tool.outputSchema).toEqual({ ...union, type: 'object' })
    expect(changes).toMatchObject([{ pointer: '', keyword: 'type', kind: 'changed', loosens: false }])
  })

  it('reports arguments that are no object', () => {
    expect(mcpTool(specOf({ type: 'string' })).changes).toMatchObject([{ kind: 'fallback', keyword: 'type' }])
  })
})
