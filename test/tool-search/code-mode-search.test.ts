import { Runtime, renderForModel, type ToolOutcome, tool, toolset } from '@toolgen/runtime'
import { base } from '@toolgen/runtime/agents'
import {
  type CodeModeOptions,
  codeMode,
  quickJsSandbox,
  typescriptChecker,
  useCodeMode,
} from '@toolgen/runtime/code-mode'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { useToolSearch } from '@toolgen/runtime/tool-search'
import { afterAll, describe, expect, it } from 'vitest'
import { office } from './office.fixture.js'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

const searching = (options: CodeModeOptions = { search: true }, tools = office()) =>
  new Runtime().registerToolset(codeMode(tools, { checker, sandbox, ...options }))

async function search(query: string, options?: CodeModeOptions): Promise<ToolOutcome> {
  return searching(options).execute({ tool: 'search_tools', arguments: JSON.stringify({ query }) })
}

describe('code mode with search', () => {
  it('offers the tools `run_program` and `search_tools`, and lists only namespaces', () => {
    const { specs } = searching()
    expect(specs.map(({ toolName }) => toolName)).toEqual(['run_program', 'search_tools'])
    const [{ description = '' } = {}] = specs
    expect(description).toContain('- mail (3 tools): Hand-written tools: sendMessage, searchMailbox, archive-message.')
    expect(description).not.toContain('declare')
    expect(searching({}).specs.map(({ toolName }) => toolName)).toEqual(['run_program'])
  })

  it('returns declarations that programs can use', async () => {
    const outcome = await search('send an e-mail to a customer. appointment tomorrow', { search: { limit: 2 } })
    if (outcome.status !== 'completed') throw new Error(renderForModel(outcome))
    const { declarations } = JSON.parse(outcome.json)
    expect(declarations).toMatch(/declare namespace mail {\n\/\*\* Send an e-mail \*\/\nfunction sendMessage\(args: {/)
    expect(declarations).toContain('function createEvent(')
    expect(declarations).not.toContain('getOrder')
  })

  it('declares tools by the names that they have among all tools', async () => {
    const twins = new Runtime().registerToolset(
      toolset(
        'local',
        ...['read-log', 'read_log'].map((name) =>
          tool({
            name,
            description: name === 'read_log' ? 'Weather report.' : 'Log.',
            parameters: {},
            run: () => name,
          }),
        ),
      ),
    )
    const program = new Runtime().registerToolset(codeMode(twins, { checker, sandbox, search: { limit: 1 } }))
    const found = await program.execute({ tool: 'search_tools', arguments: '{"query":"weather"}' })
    expect(renderForModel(found)).toContain('/** Weather report */\\nfunction read_log2(')
    const run = await program.execute({ tool: 'run_program', arguments: '{"code":"return await local.read_log2()"}' })
    expect(run).toMatchObject({ status: 'completed', json: '{"value":"read_log"}' })
  })

  it('declares types by the names that they have among all tools', async () => {
    const text = { type: 'string' }
    const properties = { customerId: text, reason: text, requestedBy: text }
    const order = { type: 'object', properties, required: ['customerId'] }
    const parameters = { type: 'object', properties: { order }, required: ['order'] }
    const named = (name: string, description: string) => tool({ name, description, parameters, run: () => name })
    const orders = new Runtime().registerToolset(
      toolset('orders', named('getOrders', 'Weather.'), named('cancelAll', 'Storm.'), named('archiveAll', 'Storm.')),
    )
    const program = new Runtime().registerToolset(codeMode(orders, { checker, sandbox, search: true }))
    const found = await program.execute({ tool: 'search_tools', arguments: '{"query":"storm"}' })
    const { declarations } = JSON.parse(renderForModel(found))
    const [, type] = /cancelAll\(args: { order: (\w+)/.exec(declarations) ?? []
    expect(declarations).toContain(`type ${type} = `)
    expect(declarations).not.toContain('function getOrders')
    const code = `const order: orders.${type} = { customerId: 'C-1' }\nreturn await orders.cancelAll({ order })`
    const run = await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
    expect(renderForModel(run)).toBe('{"value":"cancelAll"}')
  })

  it('lists what exists if nothing matches, and rejects an empty query', async () => {
    expect(renderForModel(await search('xylophone'))).toBe(
      JSON.stringify({
        declarations: '',
        hint: [
          'No tool matches. Search with other words. There are tools for:',
          '- orders (3 tools): Hand-written tools: getOrder, cancelOrder, refundPayment.',
          '- mail (3 tools): Hand-written tools: sendMessage, searchMailbox, archive-message.',
          '- calendar (2 tools): Hand-written tools: createEvent, listEvents.',
        ].join('\n'),
      }),
    )
    const hint = 'The query is empty. Describe the task in a few words, for example "refund an order".'
    expect(await search(' ')).toMatchObject({ status: 'failed', hint: { message: hint } })
    expect(() => searching({ search: { limit: 0 } })).toThrow(
      'codeMode: search: `limit` is 0. Use an integer from 1 to 50.',
    )
  })

  it('runs programs that call tools without a search', async () => {
    const code = `return await calendar.listEvents({ day: 'Monday' })`
    const outcome = await searching().execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
    expect(outcome).toMatchObject({ status: 'completed', json: '{"value":{"tool":"listEvents","day":"Monday"}}' })
  })

  it('does not offer programs the search tool of an agent', () => {
    const agent = base(scriptedModel([])).with(useToolSearch()).build()
    const [{ description = '' } = {}] = searching({}, office(agent)).specs
    expect(description).toContain('function getOrder(')
    expect(description).not.toContain('search_tools')
  })

  it('works in an agent, next to tools that the model calls directly', async () => {
    const model = scriptedModel([
      calls({ tool: 'search_tools', arguments: { query: 'money back', limit: 1 } }),
      calls({ tool: 'run_program', arguments: { code: `return await orders.refundPayment({ paymentId: 'P-1' })` } }),
      says('Done.'),
    ])
    const agent = base(model)
      .with(useCodeMode({ checker, sandbox, search: true, keep: ['getOrder'] }))
      .build()
    const run = await office(agent).run('Refund P-1.')
    expect(run.result).toEqual({ text: 'Done.' })
    const [first] = model.requests
    expect(first?.tools.map(({ toolName }) => toolName)).toEqual(['getOrder', 'run_program', 'search_tools'])
    expect(run.outcomes.map((outcome) => outcome.status === 'completed' && outcome.json)).toEqual([
      expect.stringContaining('refundPayment'),
      '{"value":{"tool":"refundPayment","paymentId":"P-1"}}',
    ])
  })
})
