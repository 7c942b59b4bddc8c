import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import {
  type BoundAgent,
  type MaxResult,
  Runtime,
  type RuntimeOptions,
  renderForModel,
  type ToolOutcome,
  tool,
  toolset,
} from '@toolgen/runtime'
import { base, useModel, usePlanner, useTools } from '@toolgen/runtime/agents'
import { aiSdkTools } from '@toolgen/runtime/ai-sdk'
import { serveMcp } from '@toolgen/runtime/mcp'
import { openAiDriver } from '@toolgen/runtime/openai'
import { cache } from '@toolgen/runtime/resilience'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { describe, expect, it, onTestFinished } from 'vitest'
import { estimateTokens } from '../../packages/runtime/src/call/estimate-tokens.js'
import { generated, scripted, toldIn } from '../integrations/ai-sdk.framework.js'
import { asks, call, modelServer, says } from '../openai/model-server.fixture.js'

const items = Array.from({ length: 250 }, (_, index) => ({ id: `A-${index + 1}`, total: index }))

/** A hand-written tool with a long result. */
function search(maxResult: MaxResult | undefined = { bytes: 600 }, result: unknown = { items, next: null }) {
  return tool({
    name: 'search',
    description: 'Find orders.',
    parameters: { type: 'object', properties: {} },
    annotations: { readOnly: true },
    ...(maxResult !== undefined && { maxResult }),
    run: () => result,
  })
}

interface Shown {
  readonly cut?: readonly { readonly pointer: string; readonly shown: number; readonly total: number }[]
  readonly more?: readonly { readonly tool: string; readonly arguments: object }[]
  readonly result: any // `any`: any JSON
}

function shownIn(outcome: ToolOutcome): Shown {
  return JSON.parse(renderForModel(outcome))
}

function agentOf(options: RuntimeOptions = {}, max?: MaxResult): BoundAgent {
  return new Runtime(options).registerAgent(
    { name: 'desk', description: 'Finds orders.', ...(max !== undefined && { maxResult: max }) },
    [toolset('orders', search(max === undefined ? { bytes: 600 } : undefined))],
    {},
  )
}

const find = { tool: 'search', arguments: '{}', toolCallId: 'call_1' }
const read = (args: object) => ({ tool: 'read_result', arguments: JSON.stringify(args) })
const inSession = (sessionId: string) => ({ sessionId })

describe('a result that is longer than its maximum', () => {
  it('is shortened for models, with the calls that read on; code reads the whole value', async () => {
    const outcome = await agentOf().execute(find, inSession('s-1'))
    if (outcome.status !== 'completed') throw new Error(outcome.status)
    const { cut, more, result } = shownIn(outcome)
    const shown = cut?.[0]?.shown ?? 0
    expect(shown).toBeGreaterThan(5)
    expect(cut).toEqual([{ pointer: '/items', shown, total: 250, unit: 'items' }])
    expect(more).toEqual([{ tool: 'read_result', arguments: { id: 'call_1', pointer: '/items', offset: shown } }])
    expect(result).toEqual({ items: items.slice(0, shown), next: null })
    expect(outcome.json.length).toBeLessThanOrEqual(600)
    expect(outcome.result.data).toEqual({ items, next: null })
    expect(outcome.provenance.cut).toEqual({
      max: { bytes: 600 },
      before: { bytes: JSON.stringify({ items, next: null }).length, tokens: expect.any(Number) },
      after: { bytes: outcome.json.length, tokens: expect.any(Number) },
      parts: cut,
      id: 'call_1',
    })
  })

  it('is read to the end with read_result', async () => {
    const agent = agentOf()
    let shown = shownIn(await agent.execute(find, inSession('s-1')))
    const all = [...shown.result.items]
    while (shown.more !== undefined) {
      const [next] = shown.more
      shown = shownIn(await agent.execute(read(next?.arguments ?? {}), inSession('s-1')))
      all.push(...shown.result)
    }
    expect(all).toEqual(items)
    const part = await agent.execute(read({ id: 'call_1', pointer: '/items/7', limit: 9 }), inSession('s-1'))
    expect(shownIn(part)).toEqual({ result: items[7] })
    const two = shownIn(
      await agent.execute(read({ id: 'call_1', pointer: '/items', offset: 3, limit: 2 }), inSession('s-1')),
    )
    expect(two).toMatchObject({ cut: [{ offset: 3, shown: 2, total: 250 }], result: [items[3], items[4]] })
  })

  it('is unchanged within the maximum, and failed outcomes are', async () => {
    const local = (result: () => unknown, max: MaxResult) =>
      new Runtime().registerToolset(toolset('orders', tool({ ...search(max).definition, run: result })))
    for (const max of [{ tokens: 200 }, { bytes: 500 }, { items: 3 }] as const) {
      const outcome = await local(() => [1, 2, 3], max).execute(find)
      expect(outcome).toMatchObject({ status: 'completed', json: '[1,2,3]' })
      expect(outcome.provenance).not.toHaveProperty('cut')
    }
    const failed = await local(
      () => {
        throw new Error('x'.repeat(5_000))
      },
      { bytes: 500 },
    ).execute(find)
    expect(failed.status).toBe('failed')
  })

  it('has a maximum of items, or of estimated tokens', async () => {
    const byItems = await agentOf({}, { items: 2 }).execute(find)
    expect(shownIn(byItems)).toMatchObject({ cut: [{ shown: 2, total: 250 }], result: { items: items.slice(0, 2) } })
    const byTokens = await agentOf({}, { tokens: 300 }).execute(find)
    expect(byTokens.provenance.cut?.after.tokens).toBeLessThanOrEqual(300)
    expect(byTokens.provenance.cut?.after.tokens).toBeGreaterThan(250)
  })

  it('has the maximum of the use before those of the agent and the tool', async () => {
    const registration = toolset('orders', search({ items: 5 }))
    const shownWith = async (use: object, agent: object): Promise<number | undefined> => {
      const own = { ...registration, use: { ...registration.use, ...use } }
      const bound = new Runtime().registerAgent({ name: 'desk', description: 'Finds.', ...agent }, [own], {})
      return shownIn(await bound.execute(find)).cut?.[0]?.shown
    }
    const [maxResult, maxResults] = [{ items: 3 }, { search: { items: 2 } }]
    expect(await shownWith({}, {})).toBe(5)
    expect(await shownWith({}, { maxResult: { items: 4 } })).toBe(4)
    expect(await shownWith({ maxResult }, { maxResult: { items: 4 } })).toBe(3)
    expect(await shownWith({ maxResult, maxResults }, { maxResult: { items: 4 } })).toBe(2)
  })

  it('is shortened after all layers, so that a cached result has the id of its own call', async () => {
    const bound = new Runtime().registerToolset(toolset('orders', search()).layer(cache()))
    await bound.execute(find, inSession('s-1'))
    const hit = await bound.execute({ ...find, toolCallId: 'call_2' }, inSession('s-1'))
    expect(hit.provenance).toMatchObject({ extra: { cache: 'hit' }, cut: { id: 'call_2' } })
  })

  it.each([
    [{ items: 0 }, 'items must be an integer of at least 1, but is 0'],
    [{ bytes: 5 }, 'bytes must be an integer of at least 500, but is 5'],
    [{ chars: 5 }, 'must be an object with one of tokens, bytes and items'],
    [{ items: 5, bytes: 500 }, 'must be an object with one of tokens, bytes and items'],
  ])('is an error for the maximum %j', (max, message) => {
    const register = () => new Runtime().registerToolset(toolset('orders', search(max as never)))
    expect(register).toThrow(`maxResult of 'orders.search'`)
    expect(register).toThrow(message)
  })
})

describe('read_result', () => {
  it('is a tool only if a tool has a maximum', () => {
    const names = (bound: { readonly specs: readonly { readonly toolName: string }[] }) =>
      bound.specs.map(({ toolName }) => toolName)
    expect(names(agentOf())).toEqual(['search', 'read_result'])
    expect(
      names(
        new Runtime().registerToolset(
          toolset('orders', tool({ ...search().definition, maxResult: undefined as never })),
        ),
      ),
    ).toEqual(['search'])
  })

  it('says that a part is nested too deeply', async () => {
    const deep = JSON.parse(`${'['.repeat(499)}${']'.repeat(499)}`)
    const tools = new Runtime().registerToolset(toolset('orders', search({ items: 2 }, [deep, 1, 2, 3])))
    expect((await tools.execute(find, inSession('s-1'))).status).toBe('completed')
    expect(renderForModel(await tools.execute(read({ id: 'call_1' }), inSession('s-1')))).toBe(
      'The result is nested deeper than 500 levels. Try another way.',
    )
  })

  it('is not another tool with its id', async () => {
    const own = tool({ ...search().definition, name: 'read_result', maxResult: undefined as never, run: () => 'own' })
    const tools = new Runtime().registerToolset(toolset('toolgen', own))
    await expect(
      serveMcp(new Runtime(), { toolsets: [tools, agentOf()], transport: InMemoryTransport.createLinkedPair()[1] }),
    ).rejects.toThrow("two of the served tools have the name 'read_result'. Rename one of them with `rename`")
  })

  it('cannot be served for several runtimes', async () => {
    const transport = InMemoryTransport.createLinkedPair()[1]
    const other = new Runtime().registerToolset(toolset('others', tool({ ...search().definition, name: 'others' })))
    await expect(serveMcp(new Runtime(), { toolsets: [agentOf(), other], transport })).rejects.toThrow(
      'the served tools belong to several runtimes, so that `read_result` cannot read the results of all of them. Register them with one runtime',
    )
  })

  it('needs its name for itself', () => {
    const own = tool({ ...search().definition, name: 'read_result' })
    expect(() => new Runtime().registerToolset(toolset('orders', own))).toThrow(
      "'orders.read_result' has the tool name 'read_result', which the runtime uses for tools with a `maxResult`. Rename it with `rename`.",
    )
  })

  it.each([
    [
      { id: 'call_9' },
      'There is no kept result "call_9". Results are removed after some time, and when the application restarts. Call the tool again that returned it. Try another way.',
    ],
    [
      { id: 'call_1', pointer: '/itms' },
      'The result has no part "/itms". Did you mean "/items"? Correct the arguments and call again.',
    ],
    [
      { id: 'call_1', pointer: '/items/250' },
      'The result has no part "/items/250". "/items" is an array with 250 items. Correct the arguments and call again.',
    ],
    [
      { id: 'call_1', pointer: '/next/x' },
      'The result has no part "/next/x". The nearest existing part is "/next". Correct the arguments and call again.',
    ],
    [
      { id: 'call_1', pointer: 'items' },
      '"items" is not a JSON Pointer. Write e.g. "/items/0", or "" for the whole result. Correct the arguments and call again.',
    ],
  ])('explains %j', async (args, text) => {
    const agent = agentOf()
    await agent.execute(find, inSession('s-1'))
    expect(renderForModel(await agent.execute(read(args), inSession('s-1')))).toBe(text)
  })

  it('cannot read results of another session or run', async () => {
    const agent = agentOf()
    await agent.execute(find, inSession('s-1'))
    await agent.execute({ ...find, toolCallId: 'call_2' }, { runId: 's-1' })
    const statusOf = async (id: string, options: object) => (await agent.execute(read({ id }), options)).status
    expect(await statusOf('call_1', inSession('s-1'))).toBe('completed')
    expect(await statusOf('call_2', { runId: 's-1' })).toBe('completed')
    for (const options of [inSession('s-2'), { runId: 's-1' }, { runId: 'r-1' }, {}])
      expect(await statusOf('call_1', options)).toBe('failed')
    for (const options of [inSession('s-1'), { runId: 'r-2' }, {}])
      expect(await statusOf('call_2', options)).toBe('failed')
  })

  it('reads another result of the same id under a new id', async () => {
    const counts = [1, 2]
    const bound = new Runtime().registerToolset(
      toolset('orders', tool({ ...search().definition, run: () => ({ count: counts.shift() ?? 0, items }) })),
    )
    await bound.execute(find, inSession('s-1'))
    expect((await bound.execute(find, inSession('s-1'))).provenance.cut?.id).toBe('call_1~2')
    const countOf = async (id: string) =>
      shownIn(await bound.execute(read({ id, pointer: '/count' }), inSession('s-1'))).result
    expect([await countOf('call_1'), await countOf('call_1~2')]).toEqual([1, 2])
  })

  it('needs a random id without a session and a run, so that callers cannot read results of others', async () => {
    const bound = new Runtime({ effects: { now: () => 0, newId: () => 'id' } }).registerToolset(
      toolset('orders', search()),
    )
    const [first, second] = [await bound.execute(find), await bound.execute(find)]
    const [id = '', other = ''] = [first.provenance.cut?.id, second.provenance.cut?.id]
    expect([id, other]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), expect.stringMatching(/^[0-9a-f-]{36}$/)])
    expect(id).not.toBe(other)
    const [next] = shownIn(first).more ?? []
    expect(next).toMatchObject({ tool: 'read_result', arguments: { id } })
    expect(await bound.execute(read(next?.arguments ?? {}))).toMatchObject({ status: 'completed' })
    for (const guessed of ['call_1', 'call_1~2', 'id', ''])
      expect(await bound.execute(read({ id: guessed, offset: 1 }))).toMatchObject({ status: 'failed' })
    for (const options of [inSession(''), inSession('s-1'), { runId: '' }])
      expect(await bound.execute(read({ id }), options)).toMatchObject({ status: 'failed' })
  })

  it.each([{ bytes: 500 }, { tokens: 200 }] as const)('stays within %j for each offset', async (max) => {
    const text = 'q'.repeat(3_000)
    for (const whole of [text, Array.from(text), { text }]) {
      const bound = new Runtime().registerToolset(toolset('orders', search(max, whole)))
      await bound.execute(find, inSession('s-1'))
      const pointer = whole instanceof Object && 'text' in whole ? '/text' : ''
      for (let offset = 2_400; offset <= 3_000; offset += 1) {
        const part = await bound.execute(read({ id: 'call_1', pointer, offset }), inSession('s-1'))
        if (part.status !== 'completed') throw new Error(renderForModel(part))
        const size = 'bytes' in max ? part.json.length / max.bytes : estimateTokens(part.json) / max.tokens
        expect([offset, size <= 1]).toEqual([offset, true])
      }
    }
  })

  it('keeps a limited number of results, and removes those that were not used for the longest time', async () => {
    const agent = agentOf({ results: { maxEntries: 2 } })
    const run = (toolCallId: string) => agent.execute({ ...find, toolCallId }, inSession('s-1'))
    const isKept = async (id: string) => (await agent.execute(read({ id }), inSession('s-1'))).status === 'completed'
    await run('call_1')
    await run('call_2')
    expect(await isKept('call_1')).toBe(true)
    await run('call_3')
    expect([await isKept('call_1'), await isKept('call_2'), await isKept('call_3')]).toEqual([true, false, true])
    const small = await agentOf({ results: { maxBytes: 1_000 } }).execute(find)
    expect(shownIn(small)).not.toHaveProperty('more')
    expect(small.provenance.cut).not.toHaveProperty('id')
    expect(() => new Runtime({ results: { maxEntries: -1 } })).toThrow('results.maxEntries is -1. Expected an integer')
  })
})

describe('runs, sessions and frameworks', () => {
  it('a run reads on; its planner has the whole value', async () => {
    const seen: unknown[] = []
    const agent = base()
      .with(
        usePlanner(({ outcomes, tools, turn }) => {
          seen.push(tools.map(({ toolName }) => toolName))
          const last = outcomes.at(-1)
          if (turn === 1) return { kind: 'calls', calls: [find] }
          if (turn > 2 || last?.status !== 'completed') return { kind: 'answer', text: 'Done.' }
          seen.push((last.result.data as { items: unknown[] }).items.length)
          const [next] = shownIn(last).more ?? []
          return { kind: 'calls', calls: [{ tool: next?.tool ?? '', arguments: JSON.stringify(next?.arguments) }] }
        }),
      )
      .with(useTools(toolset('orders', search())))
      .build()
    expect(agent.tools.map(({ toolName }) => toolName)).toEqual(['search', 'read_result'])
    const run = await new Runtime().registerAgent({ name: 'desk', description: 'Finds.' }, [], { agent }).run('Go')
    expect(seen).toEqual([['search', 'read_result'], ['search', 'read_result'], 250, ['search', 'read_result']])
    expect(run.outcomes.map(({ status, call }) => [call.tool, status])).toEqual([
      ['orders.search', 'completed'],
      ['toolgen.read_result', 'completed'],
    ])
  })

  it('a session has the tool once, and reads results of all its agents', async () => {
    const runtime = new Runtime()
    const [one, two] = ['orders', 'returns'].map((name) =>
      runtime.registerToolset(toolset(name, tool({ ...search().definition, name: `${name}_search` }))),
    )
    if (one === undefined || two === undefined) throw new Error('no toolsets')
    const registry = new SessionRegistry({ agents: { one, two } })
    const session = await registry.open('s-1', { userId: 'u-1', namespaces: ['one.orders', 'two'] })
    expect(session.tools.map(({ toolName }) => toolName)).toEqual(['orders_search', 'read_result', 'returns_search'])
    await session.execute({ tool: 'returns_search', arguments: '{}', toolCallId: 'call_1' })
    expect(await session.execute(read({ id: 'call_1', pointer: '/next' }))).toMatchObject({ json: '{"result":null}' })
    await registry.close('s-1')
  })

  it('a model of the OpenAI driver reads on', async () => {
    const server = await modelServer(
      asks(call('call_1', 'search', '{}')),
      asks(
        call('call_2', 'read_result', JSON.stringify({ id: 'call_1', pointer: '/items', offset: 249, limit: null })),
      ),
      says('Done.'),
    )
    const agent = base()
      .with(useModel(openAiDriver({ client: server.client(), model: 'tiny-1' })))
      .with(useTools(toolset('orders', search())))
      .build()
    const run = await new Runtime().registerAgent({ name: 'desk', description: 'Finds.' }, [], { agent }).run('Find')
    const told = run.messages.flatMap((message) => (message.role === 'tool' ? [String(message.content)] : []))
    expect(told[0]?.startsWith('{"cut":[{"pointer":"/items"')).toBe(true)
    expect(told[1]).toBe('{"result":[{"id":"A-250","total":249}]}')
    expect(server.bodies[0]?.tools).toMatchObject([
      { function: { name: 'search' } },
      { function: { name: 'read_result' } },
    ])
  })

  it('a model of the AI SDK reads on', async () => {
    const model = scripted([
      [{ id: 'call_1', tool: 'search', arguments: '{}' }],
      [{ id: 'call_2', tool: 'read_result', arguments: '{"id":"call_1","pointer":"/items","offset":249}' }],
    ])
    const tools = aiSdkTools(agentOf(), { context: { sessionId: 's-1' } })
    const { steps } = await generateText({ model, tools, prompt: 'Find', stopWhen: stepCountIs(5) })
    // `text` marks a result that has not the form of the design.
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({ result: { cut: [{}] }, text: expect.any(String) })
    const prompts = model.doGenerateCalls.map(({ prompt }) => toldIn(prompt))
    expect(prompts[1]?.[0]?.text).toMatch(/^{"cut":\[{"pointer":"\/items"/)
    expect(prompts[2]).toMatchObject([{ id: 'call_2', text: '{"result":[{"id":"A-250","total":249}]}' }])
  })

  it('a model of the AI SDK without a session reads on with the id of the result', async () => {
    const told: string[] = []
    const model = new MockLanguageModelV3({
      doGenerate: async ({ prompt }) => {
        const [last] = toldIn(prompt)
        if (last === undefined) return generated([{ id: 'call_1', tool: 'search', arguments: '{}' }])
        told.push(last.text)
        const [next] = (JSON.parse(last.text) as Shown).more ?? []
        if (next === undefined) return generated([])
        const args = JSON.stringify({ ...next.arguments, offset: 249 })
        return generated([{ id: 'call_2', tool: next.tool, arguments: args }])
      },
    })
    await generateText({ model, tools: aiSdkTools(agentOf()), prompt: 'Find', stopWhen: stepCountIs(5) })
    expect(told).toEqual([
      expect.stringMatching(/"arguments":{"id":"[0-9a-f-]{36}"/),
      '{"result":[{"id":"A-250","total":249}]}',
    ])
  })

  it('clients of an MCP server read on, each only its own results', async () => {
    const runtime = new Runtime()
    const bound = runtime.registerToolset(toolset('orders', search()))
    const other = runtime.registerToolset(toolset('returns', tool({ ...search().definition, name: 'returns' })))
    const connect = async (): Promise<Client> => {
      const [forClient, forServer] = InMemoryTransport.createLinkedPair()
      await serveMcp(runtime, { toolsets: [bound, other], transport: forServer })
      const client = new Client({ name: 'test', version: '1' })
      await client.connect(forClient)
      onTestFinished(() => client.close())
      return client
    }
    const [one, two] = [await connect(), await connect()]
    const { tools } = await one.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['search', 'read_result', 'returns'])
    const textOf = ({ content }: Awaited<ReturnType<Client['callTool']>>): string =>
      (content as { text: string }[])[0]?.text ?? ''
    const first: Shown = JSON.parse(textOf(await one.callTool({ name: 'search', arguments: {} })))
    const [next] = first.more ?? []
    const readOn = (client: Client) =>
      client.callTool({ name: 'read_result', arguments: { ...next?.arguments, offset: 249 } })
    expect(textOf(await readOn(one))).toBe('{"result":[{"id":"A-250","total":249}]}')
    expect(textOf(await readOn(two))).toContain('There is no kept result')
  })
})
