import { renderForModel } from '@toolgen/runtime'
import {
  type Agent,
  type AgentRun,
  answer,
  base,
  callTools,
  type RunInput,
  useHook,
  usePlanner,
  useTools,
} from '@toolgen/runtime/agents'
import { useCodeMode } from '@toolgen/runtime/code-mode'
import { calls, type ScriptedModel, type ScriptedResponse, says, scriptedModel } from '@toolgen/runtime/testing'
import { type UseToolSearchOptions, useToolSearch } from '@toolgen/runtime/tool-search'
import { describe, expect, it } from 'vitest'
import { nurses, office } from './office.fixture.js'

const search = (query: string, limit = 1): ScriptedResponse =>
  calls({ tool: 'search_tools', arguments: { query, limit }, toolCallId: `search ${query}` })

function searching(model: ScriptedModel, options: UseToolSearchOptions = {}): Agent {
  return base(model).with(useToolSearch(options)).build()
}

async function run(steps: readonly ScriptedResponse[], options?: UseToolSearchOptions, input: RunInput = 'Help me.') {
  const model = scriptedModel(steps)
  return { model, run: await office(searching(model, options)).run(input), offered: offeredBy(model) }
}

/** Returns the names of the tools of each request. */
const offeredBy = ({ requests }: ScriptedModel): readonly (readonly string[])[] =>
  requests.map(({ tools }) => tools.map(({ toolName }) => toolName))

const jsonOf = ({ outcomes }: AgentRun): readonly unknown[] =>
  outcomes.map((outcome) => JSON.parse(renderForModel(outcome)))

describe('useToolSearch', () => {
  it('offers found tools from the next step on, and only appends definitions', async () => {
    const { run: ended, offered } = await run(
      [
        search('send an e-mail'),
        calls({ tool: 'sendMessage', arguments: { to: 'a@example.org', body: 'Hello' } }),
        search('money back', 2),
        search('send an e-mail'),
        says('Done.'),
      ],
      { keep: ['calendar.listEvents', 'getOrder'] },
    )
    const first = ['search_tools', 'getOrder', 'listEvents']
    const second = [...first, 'sendMessage']
    const third = [...second, 'refundPayment']
    expect(offered).toEqual([first, second, second, third, third])
    expect(jsonOf(ended)[0]).toEqual({ tools: [{ name: 'sendMessage', description: 'Send an e-mail.' }] })
    expect(jsonOf(ended)[1]).toEqual({ tool: 'sendMessage', to: 'a@example.org', body: 'Hello' })
  })

  it('describes the toolsets', async () => {
    const { model } = await run([says('Hello.')])
    expect(model.requests[0]?.tools[0]?.description).toBe(
      [
        'Finds tools for a task. You can call the found tools in your next message. There are tools for:',
        '- orders (3 tools): Hand-written tools: getOrder, cancelOrder, refundPayment.',
        '- mail (3 tools): Hand-written tools: sendMessage, searchMailbox, archive-message.',
        '- calendar (2 tools): Hand-written tools: createEvent, listEvents.',
      ].join('\n'),
    )
  })

  it('keeps the loaded tools in a continued conversation', async () => {
    const { run: first } = await run([search('appointment tomorrow', 2), says('Which day?')])
    const messages = JSON.parse(JSON.stringify([...first.messages, { role: 'user', content: 'Monday' }]))
    const { offered } = await run([search('cancel an order'), says('Done.')], {}, { messages })
    expect(offered).toEqual([
      ['search_tools', 'createEvent', 'listEvents'],
      ['search_tools', 'createEvent', 'listEvents', 'cancelOrder'],
    ])
  })

  it('keeps the loaded tools of a suspended run', async () => {
    const model = scriptedModel([
      search('e-mail'),
      calls({ tool: 'callNurse', arguments: {}, toolCallId: 'nurse' }),
      says('She comes.'),
    ])
    const agent = base(model).with(useToolSearch()).with(useTools(nurses)).build()
    const bound = office(agent)
    const env = { approval: { approve: async () => 'suspend' as const } }
    const suspended = await bound.run('I need help.', { env })
    expect(suspended.status).toBe('suspended')
    const stored = JSON.parse(JSON.stringify(suspended.suspension))
    const resumed = await bound.resume(stored, { nurse: 'approve' }, { env })
    expect(resumed.result).toEqual({ text: 'She comes.' })
    const loaded = offeredBy(model)[1] ?? []
    expect(loaded).toHaveLength(2)
    expect(offeredBy(model)).toEqual([['search_tools'], loaded, [...loaded, 'callNurse']])
  })

  it('runs a call of a tool that was not loaded, and loads the tool', async () => {
    const { run: ended, offered } = await run([
      calls({ tool: 'listEvents', arguments: { day: 'Monday' } }),
      calls({ tool: 'createEvents', arguments: {} }),
      says('Done.'),
    ])
    expect(jsonOf({ ...ended, outcomes: ended.outcomes.slice(0, 1) })).toEqual([{ tool: 'listEvents', day: 'Monday' }])
    expect(ended.outcomes[1]).toMatchObject({ status: 'failed', hint: { reason: 'unknown_tool' } })
    expect(offered).toEqual([['search_tools'], ['search_tools', 'listEvents'], ['search_tools', 'listEvents']])
  })

  it('reports a search without a match, and an empty query', async () => {
    const { run: ended, offered } = await run([search('xylophone'), search(' '), says('Sorry.')])
    const [none, empty] = ended.outcomes
    expect(none).toMatchObject({
      status: 'completed',
      result: { data: { tools: [], hint: expect.stringContaining('- mail (3 tools)') } },
    })
    expect(empty).toMatchObject({
      status: 'failed',
      hint: { message: 'The query is empty. Describe the task in a few words, for example "refund an order".' },
    })
    expect(offered.at(-1)).toEqual(['search_tools'])
  })

  it('does not find the tools that the model always sees', async () => {
    const { run: ended } = await run([search('order', 5), says('Done.')], { keep: ['orders.getOrder'] })
    expect(renderForModel(ended.outcomes[0] as never)).not.toContain('getOrder')
  })

  it('leaves out tools that a hook removes', async () => {
    const model = scriptedModel([search('order', 5), says('Done.')])
    const agent = base(model)
      .with(useToolSearch())
      .with(useHook('beforeStep', ({ tools }) => ({ tools: tools.filter(({ toolName }) => toolName !== 'getOrder') })))
      .build()
    await office(agent).run('Help me.')
    const last = offeredBy(model)[1] ?? []
    expect(last).toContain('cancelOrder')
    expect(last).not.toContain('getOrder')
  })

  it('selects the tools of a planner without a model too', async () => {
    const offered: unknown[] = []
    const agent = base()
      .with(
        usePlanner(({ tools, outcomes }) => {
          offered.push(tools.map(({ toolName }) => toolName))
          return outcomes.length > 0
            ? answer('Done.')
            : callTools({ tool: 'search_tools', arguments: '{"query":"refund","limit":1}' })
        }),
      )
      .with(useToolSearch())
      .build()
    await office(agent).run('Help me.')
    expect(offered).toEqual([['search_tools'], ['search_tools', 'refundPayment']])
  })

  it('rejects unknown names, limits and a second feature of its kind', () => {
    const model = scriptedModel([])
    expect(() => office(searching(model, { keep: ['getOrders'] }))).toThrow(
      "useToolSearch: `keep` names a tool that does not exist: 'getOrders'. Did you mean 'getOrder'",
    )
    expect(() => office(searching(model, { keep: ['xyz'] }))).toThrow('Expected getOrder, cancelOrder,')
    for (const limit of [0, 51, 1.5, Number.NaN])
      expect(() => useToolSearch({ limit })).toThrow(
        `useToolSearch: \`limit\` is ${limit}. Use an integer from 1 to 50.`,
      )
    for (const feature of [useToolSearch(), useCodeMode()])
      expect(() => base(model).with(feature).with(useToolSearch())).toThrow('use useCodeMode({ search: true })')
  })
})
