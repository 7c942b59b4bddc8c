import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AgentBuilder,
  type AgentRun,
  answer,
  ask,
  base,
  type ChatMessage,
  callTools,
  type Hook,
  type HookPhase,
  hookBand,
  useContext,
  useGuards,
  useHook,
  usePlanner,
  useTools,
  validateHistory,
} from '../../packages/runtime/src/index.js'
import { answers, calls, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { callOf, script } from '../runs/agents.fixture.js'
import { bound, echo, looksUp } from './agents.fixture.js'

const note: ChatMessage = { role: 'user', content: 'A note.' }
const phases: readonly HookPhase[] = [
  'beforeRun',
  'afterRun',
  'beforeStep',
  'afterStep',
  'beforeModel',
  'afterModel',
  'beforeTool',
  'afterTool',
  'onStop',
  'onError',
]

/** An agent whose model looks up an order, then says that it is done. */
function lookingUp(): { readonly model: ReturnType<typeof scriptedModel>; readonly builder: AgentBuilder } {
  const model = scriptedModel([looksUp, says('Done.')])
  return { model, builder: base(model) }
}

/** A run of an agent with one hook more. */
function runWith<Name extends HookPhase>(
  phase: Name,
  hook: Hook<Name>,
  builder = lookingUp().builder,
): PromiseLike<AgentRun> {
  return bound(builder.with(useHook(phase, hook, { name: 'mine' })).build()).run('?')
}

describe('hooks', () => {
  it('are told of each phase as it comes, with the env of the run', async () => {
    const heard: string[] = []
    const hear = (phase: HookPhase) =>
      useHook(phase, ({ env }) => {
        heard.push(`${phase} ${JSON.stringify(env)}`)
      })
    const builder = phases.map(hear).reduce((made, feature) => made.with(feature), lookingUp().builder)
    await bound(builder.with(useGuards({ maxSteps: 1 })).build()).run('?', { env: { a: 1 } })
    expect(heard).toEqual(
      [
        'beforeRun',
        'beforeStep',
        'beforeModel',
        'afterModel',
        'beforeTool',
        'afterTool',
        'afterStep',
        'afterRun',
        'onStop',
      ].map((phase) => `${phase} {"a":1}`),
    )
  })

  it('run by falling priority, equal ones as they were installed, before and after', async () => {
    const bands = Object.values(hookBand)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...bands, 0.5, 1_000), { maxLength: 8 }), async (priorities) => {
        const heard: number[] = []
        const builder = priorities.reduce(
          (made, priority, place) =>
            (['beforeTool', 'afterTool'] as const).reduce(
              (both, phase) => both.with(useHook(phase, () => void heard.push(place), { priority })),
              made,
            ),
          lookingUp().builder,
        )
        await bound(builder.build()).run('?')
        const places = priorities.map((_, place) => place)
        const expected = places.sort((a, b) => (priorities[b] ?? 0) - (priorities[a] ?? 0) || a - b)
        expect(heard).toEqual([...expected, ...expected])
      }),
      { numRuns: 25 },
    )
    expect(bands).toEqual([200, 100, 0, -50, -100, -200, -210])
  })

  it('stand outside of the layers of their agent, whenever those are added', async () => {
    const heard: string[] = []
    const agent = lookingUp()
      .builder.with(useHook('beforeTool', () => void heard.push('hook')))
      .layer((next) => (request) => {
        heard.push('layer')
        return next(request)
      })
      .build()
    await bound(agent).run('?')
    expect(heard).toEqual(['hook', 'layer'])
  })

  it('hear in the order of their priority what those before them changed', async () => {
    const { model, builder } = lookingUp()
    const adds = useHook('beforeModel', ({ messages }) => ({
      messages: [...messages, { role: 'user', content: String(messages.length) }],
    }))
    await bound(builder.with(adds).with(adds).build()).run('?')
    expect(model.requests[0]?.messages.slice(2)).toMatchObject([{ content: '2' }, { content: '3' }])
  })

  it.each(phases.filter((phase) => !phase.startsWith('on')))('may not change what %s does not allow', async (phase) => {
    const wrongs: readonly (readonly [unknown, RegExp])[] = [
      [{ turn: 3 }, /changed 'turn': it may change/],
      [{ constructor: 1 }, /changed 'constructor': it may change/],
      ['text', /returned no fields/],
    ]
    for (const [wrong, message] of wrongs) {
      const run = await runWith(phase, () => wrong as never)
      const cause = phase.endsWith('Tool') ? run.outcomes[0] : run
      expect(cause?.status).toBe('failed')
      expect(String(cause && 'error' in cause && cause.error?.cause)).toMatch(message)
      expect(String(cause && 'error' in cause && cause.error?.cause)).toContain(`hook 'mine' (${phase})`)
    }
    expect((await runWith(phase, () => ({ turn: undefined }) as never)).status).toBe('completed')
  })

  it.each([
    ['beforeRun', { messages: [{}] }],
    ['beforeRun', { fields: [] }],
    ['beforeStep', { tools: [{ name: 'x' }] }],
    ['beforeStep', { stop: true }],
    ['beforeModel', { runStart: -1 }],
    ['afterModel', { text: null }],
    ['afterStep', { messages: 'none' }],
    ['afterRun', { result: {} }],
    ['afterRun', { result: { value: () => 1 } }],
  ] as const)('may not change a field of %s to something else: %j', async (phase, wrong) => {
    const run = await runWith(phase, () => wrong as never)
    expect(run.status).toBe('failed')
    expect(String(run.error?.cause)).toContain('to something else than')
  })

  it('get a context that they cannot change', async () => {
    for (const phase of phases.filter((each) => !each.startsWith('on'))) {
      const run = await runWith(phase, (context) => {
        expect(() => Object.assign(context, { meta: 1 })).toThrow(TypeError)
      })
      expect(run.status).toBe('completed')
    }
  })

  it('change nothing of a run but by what they return', async () => {
    const told: object[] = []
    const { builder } = lookingUp()
    const agent = builder
      .with(
        useHook(
          'beforeStep',
          ({ messages, tools, outcomes }) => void told.push(messages, tools, outcomes, ...outcomes),
        ),
      )
      .with(
        useHook('afterModel', ({ calls: asked, message }) => {
          told.push(asked, ...asked)
          if (message?.tool_calls !== undefined) told.push(message, message.tool_calls, ...message.tool_calls)
        }),
      )
      .with(
        useHook('afterTool', ({ outcome }) => {
          told.push(outcome, outcome.provenance, ...(outcome.status === 'completed' ? [outcome.result] : []))
        }),
      )
      .with(
        useHook('afterStep', ({ result }) => {
          told.push(result, result.messages, result.account, result.outcomes, ...result.outcomes)
        }),
      )
      .with(
        useHook('afterRun', ({ run }) => {
          told.push(run, run.messages, run.stops, run.usage, run.outcomes, ...run.outcomes)
        }),
      )
      .build()
    await bound(agent).run('?')
    expect(told.length).toBeGreaterThan(20)
    expect(told.filter((part) => !Object.isFrozen(part))).toEqual([])
  })

  it('are told the cause of an error, and the value of a tool as it is', async () => {
    const cause = new Error('down')
    const value = { id: 'A-1', total: 1 }
    const heard: unknown[] = []
    const agent = base(scriptedModel([looksUp, looksUp, says('Done.')]))
      .with(
        useHook('afterTool', ({ outcome }) => {
          heard.push(outcome.status === 'failed' ? outcome.error.cause : outcome)
        }),
      )
      .build()
    let count = 0
    await bound(agent, () => {
      count += 1
      if (count === 1) throw cause
      return value
    }).run('?')
    expect(heard).toMatchObject([cause, { result: { data: value } }])
    expect(heard[0]).toBe(cause)
  })

  it.each(phases)('that throw in %s are told where they belong', async (phase) => {
    const error = new Error('broken hook')
    const builder = phase === 'onStop' ? lookingUp().builder.with(useGuards({ maxSteps: 1 })) : lookingUp().builder
    const throwing = (): never => {
      throw error
    }
    const failing = phase === 'onError' ? builder.with(useHook('beforeRun', throwing)) : builder
    const run = await runWith(phase, throwing, failing)
    if (phase === 'onStop') expect(run.status).toBe('stopped')
    else if (phase === 'onError') expect(run.error?.cause).toBe(error)
    else if (phase.endsWith('Tool')) {
      expect(run.status).toBe('completed')
      expect(run.outcomes).toMatchObject([{ status: 'failed', error: { reason: 'internal', cause: error } }])
    } else expect(run).toMatchObject({ status: 'failed', error: { cause: error } })
  })
})

describe('hooks around runs', () => {
  it('change what the run begins with, and how its result reads', async () => {
    const { model, builder } = lookingUp()
    const agent = builder
      .with(useHook('beforeRun', ({ messages }) => ({ messages: [...messages, note], fields: { seed: 3 } })))
      .with(useHook('afterRun', ({ run }) => ({ result: { text: run.result?.text?.toUpperCase() ?? '' } })))
      .build()
    const run = await bound(agent).run('?')
    expect(model.requests[0]).toMatchObject({
      messages: [{ role: 'system' }, { role: 'user' }, note],
      fields: { seed: 3 },
    })
    expect(run.messages).toContainEqual(note)
    expect(run.result).toEqual({ text: 'DONE.' })
  })

  it('change no result of a run that has none', async () => {
    const stopped = lookingUp().builder.with(useGuards({ maxSteps: 1 }))
    expect(await runWith('afterRun', () => ({ result: { text: 'x' } }), stopped)).not.toHaveProperty('result')
  })

  it('hear that a run was stopped or cancelled, with all its reasons, and of no other end', async () => {
    const heard: unknown[] = []
    const hear = useHook('onStop', ({ run: { stop, stops } }) => heard.push([stop.reason, stops.length]))
    await bound(lookingUp().builder.with(hear).build()).run('?')
    await bound(
      base()
        .with(usePlanner(() => ask('Which?')))
        .with(hear)
        .build(),
    ).run('?')
    expect(heard).toEqual([])
    await bound(
      lookingUp()
        .builder.with(hear)
        .with(useGuards({ maxSteps: 1, maxTokens: 0 }))
        .build(),
    ).run('?')
    await bound(lookingUp().builder.with(hear).build()).run('?', { signal: AbortSignal.abort() })
    expect(heard).toEqual([
      ['max_tokens', 1],
      ['cancelled', 1],
    ])
  })

  it('hear why a run failed: what the planner or a layer threw, or what ended the run else', async () => {
    const error = new Error('broken')
    const fail = (): never => {
      throw error
    }
    const heard: unknown[] = []
    const hear = useHook('onError', (context) => heard.push(context.error))
    await bound(base().with(usePlanner(fail)).with(hear).build()).run('?')
    await bound(
      lookingUp()
        .builder.with(hear)
        .runLayer(() => fail)
        .build(),
    ).run('?')
    await bound(
      lookingUp()
        .builder.with(hear)
        .stepLayer(() => fail)
        .build(),
    ).run('?')
    expect(heard).toEqual([error, error, error])
  })
})

describe('hooks around steps', () => {
  it('change what is asked: the conversation from here on, a selection of tools, the fields', async () => {
    const { model, builder } = lookingUp()
    const agent = builder
      .with(useTools(echo('weather')))
      .with(
        useHook('beforeStep', ({ messages, tools, turn }) => ({
          ...(turn === 1 && { messages: [...messages, note] }),
          tools: tools.filter(({ toolset }) => toolset === 'orders'),
          fields: { seed: turn },
        })),
      )
      .build()
    const run = await bound(agent).run('?')
    expect(model.requests.map(({ messages, tools, fields }) => [messages.length, tools.length, fields])).toEqual([
      [3, 1, { seed: 1 }],
      [5, 1, { seed: 2 }],
    ])
    expect(run.messages[2]).toEqual(note)
  })

  it('change the conversation after a step', async () => {
    const { model, builder } = lookingUp()
    const run = await runWith('afterStep', ({ result }) => ({ messages: [...result.messages, note] }), builder)
    expect(model.requests[1]?.messages.at(-1)).toEqual(note)
    expect(run.messages.filter((message) => message === note)).toHaveLength(2)
  })

  it('leave a step out that they stop, and keep what was reached', async () => {
    const { model, builder } = lookingUp()
    const run = await runWith('beforeStep', ({ turn }) => (turn === 2 ? { stop: 'Enough.' } : undefined), builder)
    expect(run).toMatchObject({
      status: 'stopped',
      stop: { reason: 'stopped', by: 'mine', message: 'Enough.' },
      outcomes: [{ status: 'completed' }],
    })
    expect(model.requests).toHaveLength(1)
  })

  it('are told of the beginning of a step, however the conversation ends that was given', async () => {
    const open: ChatMessage = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'q', type: 'function', function: { name: 'orders_getOrder', arguments: '{}' } }],
    }
    const agent = lookingUp()
      .builder.with(useHook('beforeStep', () => ({ stop: 'No steps.' }), { name: 'mine' }))
      .build()
    const run = await bound(agent).run([note, open])
    expect(run).toMatchObject({ status: 'stopped', stop: { by: 'mine' }, outcomes: [] })
  })

  it('stop after a step whose calls are done', async () => {
    const run = await runWith('afterStep', () => ({ stop: 'Enough.' }))
    expect(run).toMatchObject({ status: 'stopped', outcomes: [{ status: 'completed' }], usage: { turns: 1 } })
  })
})

describe('hooks of a run that is resumed', () => {
  it('are not told of its beginning again, nor of the step whose calls waited; what they changed stays', async () => {
    const heard: string[] = []
    const hear = (phase: HookPhase) => useHook(phase, () => void heard.push(phase))
    const seen: unknown[] = []
    const agent = phases
      .reduce((builder, phase) => builder.with(hear(phase)), base())
      .with(
        usePlanner(({ turn, fields }) => {
          seen.push(fields)
          return turn === 1 ? callTools(callOf()) : answer('Done.')
        }),
      )
      .with(useHook('beforeRun', () => ({ fields: { seed: 1 } })))
      .layer((next) => async (request) => (heard.includes('afterRun') ? next(request) : request.suspend('approval')))
      .build()
    const support = bound(agent)
    const { suspension } = await support.run('?')
    if (suspension?.kind !== 'approval') throw new Error('not suspended')
    const before = ['beforeRun', 'beforeStep', 'beforeModel', 'afterModel', 'beforeTool', 'afterRun']
    expect(heard).toEqual(before)
    heard.splice(0, 5)
    const run = await support.resume(suspension, { [String(suspension.pending[0]?.id)]: 'approve' })
    expect(heard.slice(1)).toEqual([
      ...['beforeTool', 'afterTool', 'afterStep'],
      ...['beforeStep', 'beforeModel', 'afterModel', 'afterStep', 'afterRun'],
    ])
    expect(run).toMatchObject({ status: 'completed', outcomes: [{ status: 'completed' }] })
    expect(seen).toEqual([{ seed: 1 }, { seed: 1 }])
  })

  it('hear of the end of a step when its calls have ended, and add to the conversation only then', async () => {
    const agent = base()
      .with(usePlanner(script(callTools(callOf(), callOf('B-2')), answer('Done.'))))
      .layer((next) => async (request) => (request.answer === undefined ? request.suspend('approval') : next(request)))
      .with(
        useHook('afterStep', ({ result: { messages, outcomes } }) =>
          outcomes.length > 0 ? { messages: [...messages, note] } : undefined,
        ),
      )
      .build()
    const support = bound(agent)
    let run = await support.run('?')
    for (const waiting of [2, 1]) {
      if (run.suspension?.kind !== 'approval') throw new Error('not suspended')
      expect(run.suspension.pending).toHaveLength(waiting)
      expect(run.messages).not.toContainEqual(note)
      run = await support.resume(run.suspension, { [String(run.suspension.pending[0]?.id)]: 'approve' })
    }
    expect(run).toMatchObject({ status: 'completed', outcomes: [{ status: 'completed' }, { status: 'completed' }] })
    expect(run.messages.slice(2).map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user', 'assistant'])
    expect(validateHistory(run.messages)).toEqual([])
  })

  it('are told of the question that a run asks', async () => {
    const heard: string[] = []
    const asking = base()
      .with(usePlanner(() => ask('Which?')))
      .with(useHook('afterStep', ({ result }) => void heard.push(result.kind)))
    await bound(asking.build()).run('?')
    expect(heard).toEqual(['done'])
  })

  it('stop it before the next step: calls that waited are answered first', async () => {
    const agent = base()
      .with(usePlanner(script(callTools(callOf()), answer('Not reached.'))))
      .layer((next) => async (request) => (request.answer === undefined ? request.suspend('approval') : next(request)))
      .with(useHook('beforeStep', ({ turn }) => (turn === 2 ? { stop: 'Enough.' } : undefined)))
      .build()
    const support = bound(agent)
    const { suspension } = await support.run('?')
    if (suspension?.kind !== 'approval') throw new Error('not suspended')
    const run = await support.resume(suspension, { [String(suspension.pending[0]?.id)]: 'approve' })
    expect(run).toMatchObject({ status: 'stopped', stop: { by: 'beforeStep' }, outcomes: [{ status: 'completed' }] })
    expect(run.messages.at(-1)).toMatchObject({ role: 'tool' })
  })
})

describe('stops', () => {
  it('accumulate: all are told, the most severe is reported, of equal ones that of the outermost', async () => {
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
    expect(both.stop).toEqual({ reason: 'max_turns', limit: 1 })
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

  it('hear what it said', async () => {
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
    expect(silent.error?.message).toContain('The planner decided nothing')
  })
})

describe('hooks around tool calls', () => {
  it('change the arguments, which are decoded anew', async () => {
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

  it('deny a call: no layer and no tool hears of it, those after it do', async () => {
    const heard: string[] = []
    const agent = lookingUp()
      .builder.with(useHook('beforeTool', () => ({ deny: 'Not on Sundays.' }), { priority: hookBand.guard }))
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
    expect(String(both.outcomes[0]?.status === 'failed' && both.outcomes[0].error.cause)).toContain('one of both')
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

  it('do not hear the end of a call that waits', async () => {
    const heard: string[] = []
    const agent = base(scriptedModel([looksUp]))
      .layer(() => async (request) => request.suspend('external'))
      .with(useHook('afterTool', ({ outcome }) => void heard.push(outcome.status)))
      .build()
    expect((await bound(agent).run('?')).status).toBe('suspended')
    expect(heard).toEqual([])
  })

  it('hear of calls outside of runs, and of tools that features added', async () => {
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

describe('a hook', () => {
  it('is a plain function: a test calls it with a context made by hand', () => {
    const redact: Hook<'beforeModel'> = ({ messages }) => ({
      messages: messages.filter(({ role }) => role !== 'system'),
    })
    const meta = { runId: 'r', agent: 'a', labels: {}, signal: AbortSignal.abort() }
    const context = { env: {}, meta, turn: 1, messages: [note], tools: [] }
    expect(redact(context)).toEqual({ messages: [note] })
  })
})
