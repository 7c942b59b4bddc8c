import { describe, expect, it } from 'vitest'
import { executorOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { base, type ModelDriver, type ModelLayer, modelPlanner } from '../../packages/runtime/src/agents.js'
import { Runtime, runConfig, type Tracer, toolsetRegistration } from '../../packages/runtime/src/index.js'
import { openCassette, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { anyOrder, asksFor, cassetteFile, getOrder, noTool, shopOf } from '../testing/shop.fixture.js'

const named =
  (name: string, log: string[]): ModelLayer =>
  (next) =>
  async (request) => {
    log.push(`${name} ${request.messages.length}`)
    const response = await next(request)
    log.push(`${name} ${response.finishReason}`)
    return response
  }

describe('layers around requests to models', () => {
  it('wrap each request: those of the run outside those of the agent, the last added outermost', async () => {
    const log: string[] = []
    const model = scriptedModel([asksFor('A-1'), says('Shipped.')])
    const built = base(model).modelLayer(named('builder', log)).build()
    const orders = toolsetRegistration(useOf([getOrder]), executorOf(anyOrder))
    const agent = new Runtime()
      .registerAgent({ name: 'support', description: 'Support.' }, [orders], { agent: built })
      .modelLayer(named('agent', log))
    const config = runConfig().modelLayer(named('inner', log)).modelLayer(named('outer', log))
    expect((await agent.run('Where?', { config })).result).toEqual({ text: 'Shipped.' })
    const around = (size: number, end: string) => [
      ...['outer', 'inner', 'agent', 'builder'].map((name) => `${name} ${size}`),
      ...['builder', 'agent', 'inner', 'outer'].map((name) => `${name} ${end}`),
    ]
    expect(log).toEqual([...around(1, 'tool_calls'), ...around(3, 'stop')])
  })

  it('answer without the model, and change requests', async () => {
    const model = scriptedModel([says('From the model.')])
    const changed: ModelLayer = (next) => (request) => next({ ...request, messages: request.messages.slice(-1) })
    const config = runConfig().modelLayer(changed)
    await shopOf(model, { instructions: 'Be brief.' }).run('Hello', { config })
    expect(model.requests.map(({ messages }) => messages)).toEqual([[{ role: 'user', content: 'Hello' }]])
    const own = { message: { role: 'assistant', content: 'From the layer.' }, calls: [], finishReason: 'stop' } as const
    const run = await shopOf(model).run('Hello', { config: runConfig().modelLayer(() => async () => own) })
    expect([run.result?.text, model.requests.length]).toEqual(['From the layer.', 1])
  })

  it('a wrong response or an error of a layer ends the run as failed', async () => {
    const wrong = runConfig().modelLayer((() => async () => ({ calls: 'none' })) as never)
    const fails = runConfig().modelLayer(() => async () => {
      throw new Error('no disk')
    })
    const cases = [
      [wrong, 'malformed_result'],
      [fails, 'internal'],
    ] as const
    for (const [config, reason] of cases) {
      const run = await shopOf(scriptedModel([])).run('Hello', { config })
      expect(run).toMatchObject({ status: 'failed', error: { reason } })
    }
    expect(() => runConfig().modelLayer('x' as never)).toThrow(TypeError)
  })

  it('each request that reaches a model has one span', async () => {
    const spans: string[] = []
    const model: NonNullable<Tracer['model']> = async ({ provider }, work) => {
      spans.push(provider)
      return work()
    }
    const runtime = new Runtime({ tracer: { model } as unknown as Tracer })
    const agent = runtime.registerAgent({ name: 'a', description: 'A.' }, [], {
      planner: modelPlanner(scriptedModel([says('One.'), says('Two.')])),
    })
    const twice: ModelLayer = (next) => async (request) => {
      await next(request)
      return next(request)
    }
    const run = await agent.run('Hello', { config: runConfig().modelLayer(twice) })
    expect([run.result?.text, spans]).toEqual(['Two.', ['scripted', 'scripted']])
  })
})

it('a cassette records and replays a registered agent, without its model and its tools', async () => {
  const file = await cassetteFile()
  const play = async (mode: 'record' | 'replay', model: ModelDriver, execute?: () => never) => {
    const cassette = await openCassette(file, { mode })
    const config = runConfig().layer(cassette.toolLayer()).modelLayer(cassette.modelLayer())
    const run = await shopOf(model, execute && { execute }).run('Where is A-1?', { config })
    await cassette.close().catch(() => undefined)
    return run
  }
  const recorded = await play('record', scriptedModel([asksFor('A-1'), says('It has shipped.')]))
  const silent = scriptedModel([])
  const replayed = await play('replay', silent, noTool)
  expect(recorded.status).toBe('completed')
  expect(replayed.messages).toEqual(recorded.messages)
  const other = await play('replay', silent, noTool)
  expect([other.status, silent.requests]).toEqual(['completed', []])
})
