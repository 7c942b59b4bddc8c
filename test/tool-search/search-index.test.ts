import { join } from 'node:path'
import { type AgentToolSpec, Runtime, renderForModel, tool, toolset } from '@toolgen/runtime'
import { base } from '@toolgen/runtime/agents'
import { codeMode } from '@toolgen/runtime/code-mode'
import { type ToolSearchIndex, toolSearchIndex } from '@toolgen/runtime/projections'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { toolIndex, useToolSearch } from '@toolgen/runtime/tool-search'
import { describe, expect, it } from 'vitest'
import { office } from './office.fixture.js'

const index = toolSearchIndex(office().specs)

/** An index that finds only the word "zebra" for each tool, which shows that a search used it. */
const zebras: ToolSearchIndex = {
  ...index,
  tools: Object.fromEntries(Object.keys(index.tools).map((hash) => [hash, 'zebra||||||'])),
}

const named = (name: string, description: string, more: object = {}) =>
  tool({ name, description, parameters: {}, run: () => name, ...more })
const registered = (...tools: ReturnType<typeof named>[]) => new Runtime().registerToolset(toolset('a', ...tools))

describe('the generated search index', () => {
  it.each([
    'test/goldens/hostile/gen/agents/agent',
    'test/goldens/mcp/gen/agents/reader',
    'test/goldens/nested/gen/agents/shop',
    'test/goldens/openapi/gen/agents/shop',
  ])('%s is that of its registered tools', async (folder) => {
    const [specs, generated] = await Promise.all(
      ['specs.ts', 'search-index.ts'].map((name) => import(join(import.meta.dirname, '../..', folder, name))),
    )
    const tools: readonly AgentToolSpec[] = specs.advertisedSpecs()
    expect(generated.searchIndex).toEqual(toolSearchIndex(tools))
    expect(Object.keys(generated.searchIndex.tools)).toHaveLength(tools.length)
  })

  it('gives the same results as the texts of the tools', () => {
    const queries = ['money back', 'send an e-mail. appointment', 'find', 'confidential', 'day of the week', 'x']
    for (const query of queries) {
      const options = { limit: 8 }
      expect(toolIndex(office(), { index }).search(query, options)).toEqual(toolIndex(office()).search(query, options))
    }
  })

  it('replaces the texts of the tools', () => {
    const search = toolIndex(office(), { index: zebras })
    expect(search.search('zebra', { limit: 50 })).toHaveLength(8)
    expect(search.search('money back')).toEqual([])
  })

  it('is not used for tools with other texts', () => {
    const tools = [
      named('same', 'One text.'),
      named('described', 'New text.'),
      named('titled', 'Text.', { title: 'New title' }),
      named('field', 'Text.', { parameters: { type: 'object', properties: { newField: {} } } }),
      named('added', 'New tool.'),
    ]
    const before = toolSearchIndex(
      registered(
        named('same', 'One text.'),
        named('described', 'Old text.'),
        named('titled', 'Text.'),
        named('field', 'Text.'),
      ).specs,
    )
    const old = { ...before, tools: Object.fromEntries(Object.keys(before.tools).map((hash) => [hash, 'zebra||||||'])) }
    const search = toolIndex(registered(...tools), { index: old })
    expect(search.search('zebra').map(({ name }) => name)).toEqual(['same'])
    const changed = search.search('new', { limit: 9 }).map(({ name }) => name)
    expect(changed.sort()).toEqual(['added', 'described', 'field', 'titled'])
  })

  it('is not used if it has another version', () => {
    const search = toolIndex(office(), { index: { ...zebras, version: zebras.version + 1 } })
    expect(search.search('zebra')).toEqual([])
    expect(search.search('money back')[0]?.toolName).toBe('refundPayment')
  })

  it('can be one of several', () => {
    const both = new Runtime().registerAgent({ name: 'b', description: 'B' }, [
      toolset('a', named('one', 'First.')),
      toolset('b', named('two', 'Second.')),
    ])
    const indexes = both.specs.map((spec) => toolSearchIndex([spec]))
    expect(
      toolIndex(both, { index: indexes })
        .search('second')
        .map(({ name }) => name),
    ).toEqual(['two'])
  })

  it('is used by useToolSearch', async () => {
    const model = scriptedModel([
      calls({ tool: 'search_tools', arguments: { query: 'zebra', limit: 1 } }),
      says('Done.'),
    ])
    const agent = base(model)
      .with(useToolSearch({ index: zebras, keep: ['getOrder'] }))
      .build()
    const { outcomes } = await office(agent).run('Help me.')
    expect(outcomes.map((outcome) => JSON.parse(renderForModel(outcome)))).toMatchObject([
      { tools: [{ name: 'cancelOrder' }] },
    ])
  })

  it('is used by code mode', async () => {
    const program = new Runtime().registerToolset(codeMode(office(), { search: { index: zebras, limit: 1 } }))
    const found = await program.execute({ tool: 'search_tools', arguments: '{"query":"zebra"}' })
    expect(renderForModel(found)).toContain('function getOrder(')
  })

  it('must be a generated index', () => {
    const expected = '`index` must be a generated search index, for example `searchIndex` of gen/agents/'
    for (const wrong of [null, 'index', {}, { version: 1 }, [index, undefined]]) {
      expect(() => toolIndex(office(), { index: wrong as never })).toThrow(`toolIndex: ${expected}`)
      expect(() => useToolSearch({ index: wrong as never })).toThrow(`useToolSearch: ${expected}`)
      const options = { search: { index: wrong as never } }
      expect(() => codeMode(office(), options)).toThrow(`codeMode: search: ${expected}`)
    }
  })
})
