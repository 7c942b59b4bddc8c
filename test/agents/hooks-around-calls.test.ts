import { describe, expect, it } from 'vitest'
import {
  type AgentRun,
  answer,
  ask,
  base,
  type Hook,
  hookPriority,
  useContext,
  useGuards,
  useHook,
  usePlanner,
  useTools,
} from '../../packages/runtime/src/agents.js'
import { answers, calls, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { callOf } from '../runs/agents.fixture.js'
import { bound, echo, looksUp } from './agents.fixture.js'
import { lookingUp, note, runWith } from './hooks.fixture.js'

describe('stops', () => {
  it('accumulate: all run, and the most severe result counts, of equal ones that of the outermost', async () => {
    const agent = lookingUp()
      .builder.with(useHook('afterModel', () => ({ stop: 'model' }), { name: 'm', priority: 200 }))
      .with(useHook('afterStep', () => ({ stop: 'low' }), { name: 'low', priority: -100 }))
      .with(useHook('afterStep', () => ({ stop: 'high' }), { name: 'high', priority: 100 }))
      .stepLayer((next) => async (request) => {
        const result = await next(request)
        return { ...result, stops: [{ reason: 'stopped', by: 'layer', message: '' }, ...(result.stops ?? [])] }
      })
      .build()
    const by = ({ stops }: AgentRun) => stops.map((stop) => ('by' in stop ? stop.by : stop.reason))
    const run = await bound(agent).run('?')
    expect(by(run)).toEqual(['high', 'low', 'layer', 'm'])
    expect(run.stop).toMatchObject({ by: 'high' })
    const outer = await bound(agent)
      .stepLayer((next) => async (request) => {
        const result = await next(request)
        return { ...result, stops: [{ reason: 'stopped', by: 'outer', message: '' }, ...(result.stops ?? [])] }
      })
      .run('?')
    expect(outer.stop).toMatchObject({ by: 'outer' })
    const limited = base(scriptedModel([looksUp]))
      .with(useHook('afterStep', () => ({ stop: 'x' })))
      .with(useGuards({ maxSteps: 1 }))
    const both = await bound(limited.build()).run('?')
    expect(by(both)).toEqual(['afterStep', 'max_turns'])
    expect(both.stop).toEqual({
      reason: 'max_turns',
      limit: 1,
      message:
        'The run reached its limit of 1 steps. To change the limit, set `maxTurns` of the policy or `maxSteps` of the guards.',
    })
  })
})

describe('hooks around the model', () => {
  it('change one question, and nothing of the conversation', async () => {
    const { model, builder } = lookingUp()
    const run = await runWith(
      'beforeModel',
      ({ messages, turn }) =>
        turn === 1 ? { messages: [note, ...messages], tools: [], fields: { seed: 1 }, runStart: 3 } : {},
      builder,
    )
    expect(model.requests[0]).toMatchObject({ messages: [note, {}, {}], tools: [], fields: { seed: 1 } })
    expect(model.requests[1]?.messages).toHaveLength(4)
    expect(run.messages).not.toContain(note)
  })

  it('change its words, beside calls, as an answer, as a value', async () => {
    const model = scriptedModel([{ ...looksUp, text: 'A secret.' }, says('A secret.')])
    const redacted: Hook<'afterModel'> = ({ text }) => ({ text: text.replace('secret', '***') })
    const run = await runWith('afterModel', redacted, base(model))
    expect(run.result).toEqual({ text: 'A ***.' })
    expect(run.outcomes).toHaveLength(1)
    expect(JSON.stringify(run)).not.toContain('secret')
    const structured = base(scriptedModel([answers({ word: 'secret' })])).with(
      useContext({ responseFormat: { schema: { type: 'object' } } }),
    )
    expect((await runWith('afterModel', redacted, structured)).result).toMatchObject({ value: { word: '***' } })
  })

  it('receive its message', async () => {
    const heard: unknown[] = []
    const usage = { promptTokens: 5, completionTokens: 1 }
    const model = scriptedModel([
      { ...looksUp, usage },
      { ...says('Hm'), finishReason: 'length' },
    ])
    const hear: Hook<'afterModel'> = ({ text, calls: asked, finishReason, usage: cost, turn, messages }) => {
      heard.push([turn, text, asked.map(({ tool }) => tool), finishReason, cost, messages.length])
    }
    await runWith('afterModel', hear, base(model))
    expect(heard).toEqual([
      [1, '', ['orders_getOrder'], 'tool_calls', usage, 2],
      [2, 'Hm', [], 'length', undefined, 4],
    ])
  })

  it('stop a run after the calls that it asked for', async () => {
    const run = await runWith('afterModel', () => ({ stop: 'Enough.' }))
    expect(run).toMatchObject({ stop: { by: 'mine' }, outcomes: [{ status: 'completed' }], usage: { turns: 1 } })
  })

  it('stand around a planner too', async () => {
    const seen: number[] = []
    const planner = base()
      .with(usePlanner(({ messages }) => answer(`I saw ${messages.length}.`)))
      .with(useHook('afterModel', ({ text }) => ({ text: `${text} All.` })))
    const run = await runWith(
      'beforeModel',
      ({ messages }) => {
        seen.push(messages.length)
        return { messages: [...messages, note] }
      },
      planner,
    )
    expect([seen, run.result]).toEqual([[2], { text: 'I saw 3. All.' }])
    const asking = base().with(usePlanner(() => ask('Which?')))
    const asked = await runWith('afterModel', () => ({ text: 'What?' }), asking)
    expect(asked.suspension).toMatchObject({ question: 'What?' })
    const silent = await runWith('afterModel', () => undefined, base().with(usePlanner(() => undefined as never)))
    expect(silent.error?.message).toContain('The planner did not return a decision')
  })
})

describe('hooks around tool calls', () => {
  it('change the arguments, which are decoded again', async () => {
    const heard: unknown[] = []
    const agent = lookingUp()
      .builder.with(useHook('beforeTool', () => ({ arguments: '{"orderId":"B-2"}' }), { priority: 1 }))
      .with(
        useHook('beforeTool', async ({ arguments: sent, decode, call }) => {
          heard.push(sent, await decode(), call.tool)
        }),
      )
      .build()
    const run = await bound(agent, async (request) => ({ id: await request.json(), total: 1 })).run('?')
    expect(heard).toMatchObject([
      '{"orderId":"B-2"}',
      { ok: true, value: { orderId: 'B-2', quantity: 1 } },
      'orders.getOrder',
    ])
    expect(run.outcomes).toMatchObject([{ result: { data: { id: '{"orderId":"B-2"}' } } }])
  })

  it('deny a call: no layer and no tool receives it, but later hooks do', async () => {
    const heard: string[] = []
    const agent = lookingUp()
      .builder.with(useHook('beforeTool', () => ({ deny: 'Not on Sundays.' }), { priority: hookPriority.guard }))
      .with(useHook('beforeTool', () => void heard.push('later hook')))
      .with(useHook('afterTool', ({ outcome }) => void heard.push(outcome.status)))
      .layer((next) => (request) => {
        heard.push('layer')
        return next(request)
      })
      .build()
    const run = await bound(agent, () => heard.push('tool')).run('?')
    expect(heard).toEqual(['failed'])
    expect(run.outcomes).toMatchObject([{ error: { reason: 'denied', message: 'Not on Sundays.' } }])
  })

  it('answer in place of the tool, through its codec', async () => {
    const good = await runWith('afterTool', () => ({ result: { id: 'Z', total: 9, more: 1 } }))
    expect(good.outcomes).toMatchObject([{ status: 'completed', json: '{"id":"Z","total":9}' }])
    const bad = await runWith('afterTool', () => ({ result: { id: 1 } }))
    expect(bad.outcomes).toMatchObject([{ status: 'failed', error: { reason: 'malformed_result' } }])
    const failing = await runWith('afterTool', () => ({ fail: new Error('no') }))
    expect(failing.outcomes).toMatchObject([{ status: 'failed', error: { reason: 'internal' } }])
    const both = await runWith('afterTool', () => ({ result: 1, fail: new Error('no') }))
    expect(String(both.outcomes[0]?.status === 'failed' && both.outcomes[0].error.cause)).toContain(
      'both `result` and `fail`',
    )
  })

  it('keep a final value that a layer gave', async () => {
    const agent = lookingUp()
      .builder.layer((next) => async (request) => ({ ...(await next(request)), stop: { reason: 'final', value: 1 } }))
      .with(useHook('afterTool', () => ({ result: { id: 'Z', total: 9 } })))
      .build()
    expect(await bound(agent).run('?')).toMatchObject({
      stop: { reason: 'final' },
      outcomes: [{ json: '{"id":"Z","total":9}' }],
    })
  })

  it('do not receive the end of a call that waits', async () => {
    const heard: string[] = []
    const agent = base(scriptedModel([looksUp]))
      .layer(() => async (request) => request.suspend('external'))
      .with(useHook('afterTool', ({ outcome }) => void heard.push(outcome.status)))
      .build()
    expect((await bound(agent).run('?')).status).toBe('suspended')
    expect(heard).toEqual([])
  })

  it('receive calls outside of runs, and calls of tools that features added', async () => {
    const heard: string[] = []
    const agent = base(scriptedModel([calls({ tool: 'weather_echo' }), says('Done.')]))
      .with(useTools(echo('weather')))
      .with(useHook('beforeTool', ({ tool }) => void heard.push(tool.id)))
      .build()
    const support = bound(agent)
    await support.execute(callOf())
    await support.run('?')
    expect(heard).toEqual(['orders.getOrder', 'weather.weather_echo'])
  })
})
