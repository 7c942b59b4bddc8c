import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { operationsOf } from '../../packages/codegen/src/imports/openapi-operations.js'
import { declareOperations } from '../../packages/codegen/src/imports/openapi-tools.js'
import { isObject } from '../../packages/codegen/src/schema/json-schema.js'
import { dataFolder, hasData } from '../data.js'
import { parsedDocument } from './documents.fixture.js'

// The makers of the document serve it as MCP tools as well: what they made of each operation was captured.
describe.skipIf(!hasData)('the document of Notion and the tools of its MCP server (needs the data folder)', () => {
  const root = hasData ? parsedDocument('notion.json') : {}
  const { tools } = declareOperations(hasData ? operationsOf(root).operations : [], { toolset: 'notion', root })
  const captured: any[] = hasData
    ? JSON.parse(readFileSync(join(dataFolder() ?? '', 'mcp/notionhq__notion-mcp-server.json'), 'utf8')).tools
    : []

  it('has the same tools', () => {
    expect(tools.map(({ id }) => `API-${id}`).sort()).toEqual(captured.map(({ name }) => name).sort())
  })

  it('gives each the same fields, of which the same are required, but for the version that the server sends itself', () => {
    for (const { id, payload } of tools) {
      const theirs = captured.find(({ name }) => name === `API-${id}`).inputSchema
      const ours: any = isObject(payload) ? payload : {}
      const fields = Object.keys(ours.properties).filter((name) => name !== 'Notion-Version')
      expect([id, fields.sort()]).toEqual([id, Object.keys(theirs.properties).sort()])
      const required = (ours.required ?? []).filter((name: string) => name !== 'Notion-Version')
      expect([id, required.sort()]).toEqual([id, [...(theirs.required ?? [])].sort()])
    }
  })

  it('promises that the same tools change nothing', () => {
    const reading = captured.filter(({ annotations }) => annotations?.readOnlyHint === true).map(({ name }) => name)
    const ours = tools.filter(({ facts }) => facts.readOnly === true).map(({ id }) => `API-${id}`)
    expect(ours.sort()).toEqual(reading.sort())
  })
})
