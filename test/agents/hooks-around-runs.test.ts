import { describe, expect, it } from 'vitest'
import {
  answer,
  ask,
  base,
  callTools,
  type HookPhase,
  useGuards,
  useHook,
  usePlanner,
  useTools,
} from '../../packages/runtime/src/agents.js'
import { type ChatMessage, validateHistory } from '../../packages/runtime/src/chat.js'
import { callOf, script } from '../runs/agents.fixture.js'
import { bound, echo } from './agents.fixture.js'
import { lookingUp, note, phases, runWith } from './hooks.fixture.js'

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

  it('receive that a run was stopped or cancelled, with all reasons, and no other end', async () => {
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

  it('receive why a run failed: an error of the planner or of a layer, or another reason', async () => {
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

  it('receive the start of a step, whatever the last message of the input is', async () => {
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
  it('do not receive its start again, nor the step whose calls waited; their changes remain', async () => {
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

  it('receive the end of a step after its calls, and add to the conversation only then', async () => {
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

  it('receive the question that a run asks', async () => {
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
