import { describe, expect, it } from 'vitest'
import {
  base,
  compiledRequest,
  type MessageCompiler,
  type ModelDriver,
  type ModelRequest,
  useHook,
  useMessageCompiler,
  useModel,
} from '../../packages/runtime/src/agents.js'
import { says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { bound, looksUp, stubbornDriver } from './agents.fixture.js'

describe('the messages for a model', () => {
  const three = [
    { role: 'user', content: '1' },
    { role: 'assistant', content: '2' },
    { role: 'user', content: '3' },
  ] as const

  it('are what a compiler makes of the conversation and of what the run added; the run keeps its own', async () => {
    const model = scriptedModel([looksUp, says('Done.')])
    const seen: unknown[] = []
    const agent = base(model)
      .with(
        useMessageCompiler(({ conversation, trace, meta, tools }) => {
          seen.push([conversation.length, trace.length, meta.agent, tools.length])
          return [...conversation.slice(-1), ...trace]
        }),
      )
      .build()
    const run = await bound(agent).run(three)
    expect(seen).toEqual([
      [4, 0, 'support', 1],
      [4, 2, 'support', 1],
    ])
    expect(model.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user'],
      ['user', 'assistant', 'tool'],
    ])
    expect(run.messages).toHaveLength(7)
  })

  it('count what a hook adds before the run to the conversation', async () => {
    const seen: unknown[] = []
    const agent = base(scriptedModel([looksUp, says('Done.')]))
      .with(useHook('beforeRun', ({ messages }) => ({ messages: [...messages, { role: 'user', content: 'More.' }] })))
      .with(
        useMessageCompiler(({ conversation, trace }) => {
          seen.push([conversation.length, trace.length])
          return [...conversation, ...trace]
        }),
      )
      .build()
    await bound(agent).run(three)
    expect(seen).toEqual([
      [5, 0],
      [5, 2],
    ])
  })

  it.each([
    ['none', () => undefined],
    ['an empty list', () => []],
    ['something else', () => [null]],
  ])('are refused where a compiler gives %s', async (_, compiler) => {
    const model = scriptedModel([says('Not reached.')])
    const agent = base(model)
      .with(useMessageCompiler(compiler as never))
      .build()
    const run = await bound(agent).run('?')
    expect(run.status).toBe('failed')
    expect(String(run.error?.cause)).toContain('A message compiler must return an array of chat messages')
    expect(model.requests).toEqual([])
  })

  it('are all of them by default, whatever compiler the driver had before', async () => {
    const sent: unknown[] = []
    const driverWith = (compiler: MessageCompiler): ModelDriver => ({
      name: 'compiling',
      withMessageCompiler: driverWith,
      ask: async (request) => {
        sent.push((await compiledRequest(request, compiler)).messages)
        return { message: { role: 'assistant', content: 'Done.' }, calls: [] }
      },
    })
    const run = await bound(base(driverWith(() => [])).build()).run(three)
    expect(sent).toEqual([run.messages.slice(0, -1)])
  })

  it('are all of them for a driver that takes no compiler', async () => {
    const driver = stubbornDriver()
    await bound(
      base(driver)
        .with(useMessageCompiler(() => []))
        .build(),
    ).run(three)
    expect(driver.requests[0]?.messages.slice(1)).toEqual(three)
  })

  it.each([[undefined], ['text'], [[{}]], [[null]]])('are not %j: the run fails and says why', async (wrong) => {
    const agent = base(scriptedModel([says('x')]))
      .with(useMessageCompiler(() => wrong as never))
      .build()
    const run = await bound(agent).run('?')
    expect(run.status).toBe('failed')
    expect(String(run.error?.cause)).toContain('A message compiler must return an array of chat messages')
  })
})

describe('the fields of a chat request', () => {
  it('go from the caller of a run to the driver unchanged, before those of the agent', async () => {
    const odd = { nested: [null, { deep: true }] }
    const model = scriptedModel([looksUp, says('Done.'), says('Again.')])
    const agent = bound(
      base(model)
        .with(useModel(model, { temperature: 0, seed: 1 }))
        .build(),
    )
    await agent.run({ messages: [{ role: 'user', content: '?' }], temperature: 1, odd })
    await agent.run('?')
    const fields = model.requests.map((request: ModelRequest) => request.fields)
    expect(fields).toEqual([
      { temperature: 1, seed: 1, odd },
      { temperature: 1, seed: 1, odd },
      { temperature: 0, seed: 1 },
    ])
    expect(fields[0]?.odd).toEqual(odd)
  })
})
