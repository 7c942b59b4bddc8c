import { join } from 'node:path'
import { Runtime } from '@toolgen/runtime'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { list, object, oneOf, string } from '../../packages/codegen/src/services/bound-design.fixture.js'
import { type BoundClient, bindPublished, executorFile } from './client-project.js'
import { faultsOf, removeProject } from './generated-executor.js'

let bound: BoundClient
/** The generated entry of the agent, and that of its toolset. */
let generated: any

beforeAll(async () => {
  bound = await bindPublished({
    // As the client of Notion declares its answers.
    types: `type Full = { object: 'page'; id: string; url: string; archived: boolean; parent: { page_id: string }; created: Date }
type Part = { object: 'page'; id: string }
type Block = { object: 'block'; id: string; type: 'text'; has_children: boolean } | { object: 'block'; id: string; type: 'code'; code: string } | { object: 'block'; id: string }
interface Client {
  page(p: { page_id: string }): Promise<Full | Part>
  blocks(p: { block_id: string }): Promise<{ results: Block[] }>
  search(p: { query: string }): Promise<{ results: (Full | Part | Block)[] }>
  wrapped(p: { id: string }): Promise<{ data: { id: string; state: string } | { id: string }; status: number }>
}`,
    tools: {
      retrieve: { method: 'page', payload: object({ page_id: string }), result: object({ id: string }) },
      describe: {
        method: 'page',
        payload: object({ page_id: string }),
        result: object({ id: string, 'url?': string, 'parent?': object({ page_id: string }) }),
      },
      children: {
        method: 'blocks',
        payload: object({ block_id: string }),
        result: object({ results: list(object({ id: string, 'type?': string })) }),
      },
      search: { payload: object({ query: string }), result: object({ results: list(object({ id: string })) }) },
      strict: {
        method: 'page',
        payload: object({ page_id: string }),
        result: object({ id: string, url: string }),
        answer: 'checked',
      },
      unwrapped: {
        method: 'wrapped',
        payload: object({ id: string }),
        result: object({ id: string, 'state?': oneOf('open', 'done') }),
        answer: 'checked data',
      },
    },
  })
  const [agent, toolset] = await Promise.all([
    import(join(bound.root, 'gen/agents/keeper/index.ts')),
    import(join(bound.root, 'gen/toolsets/zoo/index.ts')),
  ])
  generated = { ...agent, ...toolset }
})

afterAll(() => removeProject(bound.root))

/** What a tool makes of an answer: its result, or why it failed. */
async function resultOf(tool: string, method: string, payload: object, answer: unknown): Promise<unknown> {
  const keeper = generated.registerKeeper(new Runtime(), {
    toolsets: { zoo: { client: { [method]: async () => answer } } },
  })
  const call = generated[`new${tool.charAt(0).toUpperCase()}${tool.slice(1)}Call`](payload)
  const outcome = await keeper.execute(call)
  return outcome.status === 'completed' ? outcome.result.data : outcome.hint?.reason
}

const full = { object: 'page', id: 'p1', url: '/p1', archived: false, parent: { page_id: 'p0' }, created: new Date(0) }
const part = { object: 'page', id: 'p2' }
const page = { page_id: 'p' }

describe('an answer that is a union', () => {
  it('defect 11a: gives its common fields without a mapper', async () => {
    expect(bound.verdicts).toEqual({
      children: 'pass / convert',
      describe: 'pass / convert',
      retrieve: 'pass / convert',
      search: 'pass / convert',
      strict: 'pass / checked',
      unwrapped: 'pass / checked',
    })
    expect(await resultOf('retrieve', 'page', page, full)).toEqual({ id: 'p1' })
    expect(await resultOf('retrieve', 'page', page, part)).toEqual({ id: 'p2' })
    const results = [full, part, { object: 'block', id: 'b1' }]
    const ids = { results: [{ id: 'p1' }, { id: 'p2' }, { id: 'b1' }] }
    expect(await resultOf('search', 'search', { query: 'x' }, { results })).toEqual(ids)
  })

  it('defect 11a: gives an optional field that only some alternatives have', async () => {
    expect(await resultOf('describe', 'page', page, full)).toEqual({ id: 'p1', url: '/p1', parent: { page_id: 'p0' } })
    expect(await resultOf('describe', 'page', page, part)).toEqual({ id: 'p2' })
    const results = [
      { object: 'block', id: 'b1', type: 'code', code: '1' },
      { object: 'block', id: 'b2' },
    ]
    const blocks = { results: [{ id: 'b1', type: 'code' }, { id: 'b2' }] }
    expect(await resultOf('children', 'blocks', { block_id: 'b' }, { results })).toEqual(blocks)
  })

  it('defect 11b: is checked at run time where only one alternative fits', async () => {
    expect(await resultOf('strict', 'page', page, full)).toEqual({ id: 'p1', url: '/p1' })
    expect(await resultOf('strict', 'page', page, part)).toBe('malformed_result')
  })

  it('defect 11c: is checked at run time after `.data` was taken out', async () => {
    const id = { id: 'x' }
    expect(await resultOf('unwrapped', 'wrapped', id, { data: id, status: 200 })).toEqual(id)
    const open = { id: 'x', state: 'open' }
    expect(await resultOf('unwrapped', 'wrapped', id, { data: open, status: 200 })).toEqual(open)
    expect(await resultOf('unwrapped', 'wrapped', id, { data: { id: 'x', state: '?' }, status: 200 })).toBe(
      'malformed_result',
    )
  })

  it.each(['5.9', '7.0'] as const)('is bound by code that TypeScript %s accepts', (version) => {
    expect(faultsOf(bound.root, version, [executorFile])).toBe('')
  })
})
