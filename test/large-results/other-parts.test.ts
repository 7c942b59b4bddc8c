import { approval, type HasApproval, Runtime, renderForModel, type ToolOutcome, tool, toolset } from '@toolgen/runtime'
import { base, type Decision, usePlanner, useTools } from '@toolgen/runtime/agents'
import { codeMode, quickJsSandbox, typescriptChecker, useCodeMode } from '@toolgen/runtime/code-mode'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { useToolSearch } from '@toolgen/runtime/tool-search'
import { afterAll, describe, expect, it } from 'vitest'

const items = Array.from({ length: 250 }, (_, index) => `A-${index}`)

const search = tool({
  name: 'search',
  description: 'Find orders.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
  maxResult: { items: 3 },
  run: () => ({ items }),
})

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

describe('tool search', () => {
  const many = toolset(
    'tools',
    ...Array.from({ length: 20 }, (_, index) =>
      tool({
        name: `refund_${index}`,
        description: `Refund an order of kind ${index}, ${'with a long description, '.repeat(5)}`,
        parameters: { type: 'object', properties: {} },
        run: () => 'r'.repeat(3_000),
      }),
    ),
  )
  const design = { name: 'desk', description: 'Refunds.', maxResult: { bytes: 500 } }
  const found = (limit: number) =>
    calls({ tool: 'search_tools', arguments: { query: 'refund an order', limit }, toolCallId: 'call_1' })

  it('loads all found tools under a small maximum of the agent', async () => {
    const model = scriptedModel([
      found(15),
      calls({ tool: 'refund_3', arguments: {}, toolCallId: 'call_2' }),
      says('Done.'),
    ])
    const agent = base(model)
      .with(useToolSearch({ limit: 15 }))
      .build()
    const run = await new Runtime().registerAgent(design, [many], { agent }).run('Refund')
    expect(model.requests[1]?.tools.map(({ toolName }) => toolName)).toHaveLength(2 + 15)
    expect(run.outcomes.map(({ provenance }) => provenance.cut?.max)).toEqual([undefined, { bytes: 500 }])
  })

  it('declares all found functions for programs', async () => {
    const model = scriptedModel([found(15), says('Done.')])
    const agent = base(model)
      .with(useCodeMode({ checker, sandbox, search: { limit: 15 } }))
      .build()
    const run = await new Runtime().registerAgent(design, [many], { agent }).run('Refund')
    const { declarations } = JSON.parse(renderForModel(run.outcomes[0] as ToolOutcome))
    expect(declarations.match(/function /g)).toHaveLength(15)
  })
})

describe('code mode', () => {
  const program = { tool: 'run_program', toolCallId: 'call_1' }

  it('gives programs whole results, and does not declare read_result', async () => {
    const runtime = new Runtime()
    const bound = runtime.registerToolset(toolset('orders', search))
    const programs = runtime.registerToolset(codeMode(bound, { checker, sandbox }))
    expect(programs.specs.map(({ toolName }) => toolName)).toEqual(['run_program'])
    expect(programs.specs[0]?.description).not.toContain('read_result')
    const outcome = await programs.execute({
      ...program,
      arguments: JSON.stringify({ code: 'return JSON.stringify(await orders.search()).length' }),
    })
    expect(outcome).toMatchObject({ json: JSON.stringify({ value: JSON.stringify({ items }).length }) })
  })

  it('says that the value of a program is nested too deeply, with the calls that were completed', async () => {
    const deep = tool({
      name: 'deep',
      description: 'Returns nested arrays.',
      parameters: {},
      run: () => JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`),
    })
    const runtime = new Runtime()
    const programs = runtime.registerToolset(
      codeMode(runtime.registerToolset(toolset('nested', deep)), { checker, sandbox }),
    )
    const run = async (code: string) => programs.execute({ ...program, arguments: JSON.stringify({ code }) })
    expect(await run('return Array.isArray(await nested.deep())')).toMatchObject({ json: '{"value":true}' })
    expect(renderForModel(await run('return await nested.deep()'))).toBe(
      'The result is nested deeper than 500 levels. These calls were completed: nested.deep(). Do not repeat calls with effects. Try another way.',
    )
  })

  it('shortens the value of a program to the maximum of the agent', async () => {
    const agent = base()
      .with(usePlanner(async () => ({ kind: 'answer', text: '' })))
      .with(useTools(toolset('orders', search)))
      .with(useCodeMode({ checker, sandbox }))
      .build()
    const design = { name: 'desk', description: 'Finds.', maxResult: { items: 2 } }
    const bound = new Runtime().registerAgent(design, [], { agent })
    const outcome = await bound.execute(
      { ...program, arguments: JSON.stringify({ code: 'return await orders.search()' }) },
      { sessionId: 's-1' },
    )
    expect(JSON.parse(renderForModel(outcome))).toEqual({
      cut: [{ pointer: '/value/items', shown: 2, total: 250, unit: 'items' }],
      more: [{ tool: 'read_result', arguments: { id: 'call_1', pointer: '/value/items', offset: 2 } }],
      result: { value: { items: ['A-0', 'A-1'] } },
    })
    const large = "console.log('c'.repeat(2_000))\nreturn 'v'.repeat(2_000)"
    const small = new Runtime().registerAgent({ ...design, maxResult: { bytes: 500 } }, [], { agent })
    const both = await small.execute({ ...program, arguments: JSON.stringify({ code: large }) })
    const text = renderForModel(both)
    expect(text.length).toBeLessThanOrEqual(500)
    const { cut, result } = JSON.parse(text)
    expect(cut.map(({ pointer }: { readonly pointer: string }) => pointer)).toEqual(['/value', '/console/0'])
    expect(result).toEqual({
      value: expect.stringMatching(/^v+…$/),
      console: [expect.stringMatching(/^c+…$/)],
    })
    const seen: string[][] = []
    const planner = base()
      .with(
        usePlanner(async ({ tools }) => {
          seen.push(tools.map(({ toolName }) => toolName))
          return { kind: 'answer', text: '' }
        }),
      )
      .with(useTools(toolset('orders', search)))
      .with(useCodeMode({ checker, sandbox }))
      .build()
    await new Runtime().registerAgent(design, [], { agent: planner }).run('Find')
    expect(seen).toEqual([['run_program', 'read_result']])
  })
})

it('a run that continues in another process has whole results; kept results are gone, and the model reads what to do', async () => {
  const note = tool({
    name: 'note',
    description: 'Write a note.',
    parameters: { type: 'object', properties: {} },
    run: () => ({}),
  }).layer(approval())
  const lengths: unknown[] = []
  const call = (name: string, args = '{}') => ({ tool: name, arguments: args, toolCallId: `call_${name}` })
  const newAgent = () => {
    const agent = base()
      .with(
        usePlanner(async ({ outcomes, turn }): Promise<Decision> => {
          if (turn === 1) return { kind: 'calls', calls: [call('search'), call('note')] }
          const [found] = outcomes
          lengths.push(found?.status === 'completed' && (found.result.data as { items: unknown[] }).items.length)
          if (turn > 2) return { kind: 'answer', text: 'Done.' }
          return { kind: 'calls', calls: [call('read_result', '{"id":"call_search"}')] }
        }),
      )
      .with(useTools(toolset('orders', search, note)))
      .build()
    return new Runtime().registerAgent({ name: 'desk', description: 'Finds.' }, [], { agent })
  }
  const env: HasApproval = { approval: { approve: async () => 'suspend' } }
  const suspended = await newAgent().run('Find', { env, sessionId: 's-1' })
  const stored = JSON.parse(JSON.stringify(suspended.suspension))
  const answers = Object.fromEntries(stored.pending.map(({ id }: { readonly id: string }) => [id, 'approve']))
  const run = await newAgent().resume(stored, answers, { env, sessionId: 's-1' })
  expect(lengths).toEqual([250, 250])
  expect(run.outcomes[0]?.provenance.cut).toMatchObject({ id: 'call_search', max: { items: 3 } })
  const told = run.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []))
  expect(told[0]).toMatch(/^{"cut":\[{"pointer":"\/items","shown":3/)
  expect(told.at(-1)).toBe(
    'There is no kept result "call_search". Results are removed after some time, and when the application restarts. Call the tool again that returned it. Try another way.',
  )
})
