import {
  type Agent,
  defineAgent,
  defineTool,
  defineToolset,
  fromMcp,
  fromOpenApi,
  fromService,
  type Snapshot,
  serviceClient,
  type Toolset,
} from '@toolgen/dsl'
import { describe, expect, it } from 'vitest'
import { compileDesign } from '../../packages/codegen/src/ir/compile-design.js'
import { loaded } from '../../packages/codegen/src/ir/design.fixture.js'
import { lintDesign } from '../../packages/codegen/src/lint/lint-design.js'

/** A tool that `missing-description` finds. */
const tool = (description: string) =>
  defineTool({
    description,
    payload: { type: 'object', properties: { shelf: { type: 'string' } }, required: ['shelf'] },
    result: { type: 'object', properties: { done: { type: 'boolean' } } },
  })

const tools = { look: tool('Says what stands on a shelf.'), sweep: tool('Cleans below it.') }
const shop = defineToolset('shop', { description: 'A shop.', tools })
const snapshotOf = (kind: Snapshot['kind']): Snapshot => ({
  '~toolgen': 'snapshot',
  kind,
  toolset: 'shop',
  file: `./shop.${kind}.json`,
})
const written = defineToolset('shop', {
  description: 'A shop.',
  openapi: {
    server: 'https://shop.example.com',
    operations: {
      look: { method: 'GET', path: '/look', parameters: [{ field: 'shelf', in: 'query' }] },
      sweep: { method: 'PUT', path: '/sweep', parameters: [{ field: 'shelf', in: 'query' }] },
    },
  },
  tools,
})
const served: typeof written = { ...written, imported: { snapshot: snapshotOf('openapi') } }
const described: typeof shop = { ...shop, imported: { snapshot: snapshotOf('functions') } }
const client = serviceClient<{ look(): void; sweep(): void }>()
const clerk = (use: Agent['uses'][number], lint?: Readonly<Record<string, string>>): Agent =>
  defineAgent('clerk', { description: 'Knows the shop.', uses: [use], ...(lint !== undefined && { lint }) })

/** What is found of a toolset that stands in a file. */
function lintIn(file: string, toolset: Toolset, agents: readonly Agent[]) {
  const plain = loaded([toolset], agents, [client])
  const at = { file, line: 1, column: 1 }
  const design = { ...plain, locations: { ...plain.locations, locationOf: () => at } }
  const { value, diagnostics } = compileDesign(design)
  if (value === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'))
  return lintDesign(value, design, { root: '', levels: {}, forms: {} })
}

const imports = [
  [
    'an MCP server',
    'design/shop.mcp.ts',
    shop,
    fromMcp(shop, { only: ['look'] }),
    'The tool is from an MCP server: change, confirm or omit it in the options of `importedToolset`',
  ],
  [
    'an OpenAPI document',
    'design/shop.openapi.ts',
    served,
    fromOpenApi(served, { only: ['look'] }),
    'The tool is from an OpenAPI document: change, confirm or omit it in the options of `importedToolset`',
  ],
  [
    'descriptions of functions',
    'design/shop.functions.ts',
    described,
    fromService(described, client, { only: ['look'] }),
    'The tool is from function definitions: change, confirm or omit it in the options of `importedToolset`',
  ],
] as const

describe.each(imports)('of tools that were imported from %s, lint', (_, file, toolset, use, whose) => {
  it('says nothing where no agent has them', () => {
    const { diagnostics } = lintIn(file, toolset, [clerk(use)])
    expect(diagnostics.map(({ message }) => message)).toEqual([
      '`shelf` of `shop.look` has no description. (missing-description)',
    ])
  })

  it('advises a change of the options, not of the source', () => {
    const [found] = lintIn(file, toolset, [clerk(use)]).diagnostics
    expect(found?.next.startsWith(whose)).toBe(true)
    expect(found?.next).toContain("give a reason there in `lint: { 'missing-description': '...' }` of this tool")
  })

  it('says nothing where the agent that has them gives a reason', () => {
    const { diagnostics, suppressed } = lintIn(file, toolset, [clerk(use, { 'missing-description': 'known to all' })])
    expect(diagnostics).toEqual([])
    expect(suppressed).toMatchObject([{ rule: 'missing-description', reason: 'known to all' }])
  })
})

it('of a toolset that was imported and that no agent has, lint says nothing', () => {
  expect(lintIn('design/shop.openapi.ts', served, []).diagnostics).toEqual([])
})

it('of a toolset of the design lint says all, whether an agent has the tool or not', () => {
  const { diagnostics } = lintIn('design/shop.ts', shop, [clerk(fromService(shop, client, { only: ['look'] }))])
  expect(diagnostics.map(({ next }) => next)).toEqual(
    Array(2).fill(expect.stringMatching(/^Describe the content of each field/)),
  )
})
