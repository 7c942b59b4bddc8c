import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { base, type Hook, type HookPhase, hookPriority, useGuards, useHook } from '../../packages/runtime/src/agents.js'
import { says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { bound, looksUp } from './agents.fixture.js'
import { lookingUp, note, phases, runWith } from './hooks.fixture.js'

describe('hooks', () => {
  it('receive each phase in order, with the env of the run', async () => {
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
    const bands = Object.values(hookPriority)
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

  it('run in the order of their priority, and receive the changes of earlier ones', async () => {
    const { model, builder } = lookingUp()
    const adds = useHook('beforeModel', ({ messages }) => ({
      messages: [...messages, { role: 'user', content: String(messages.length) }],
    }))
    await bound(builder.with(adds).with(adds).build()).run('?')
    expect(model.requests[0]?.messages.slice(2)).toMatchObject([{ content: '2' }, { content: '3' }])
  })

  it.each(phases.filter((phase) => !phase.startsWith('on')))('may not change what %s does not allow', async (phase) => {
    const wrongs: readonly (readonly [unknown, RegExp])[] = [
      [{ turn: 3 }, /must not change 'turn'\. It can change/],
      [{ constructor: 1 }, /must not change 'constructor'\. It can change/],
      ['text', /must return an object or nothing/],
    ]
    for (const [wrong, message] of wrongs) {
      const run = await runWith(phase, () => wrong as never)
      const cause = phase.endsWith('Tool') ? run.outcomes[0] : run
      expect(cause?.status).toBe('failed')
      expect(String(cause && 'error' in cause && cause.error?.cause)).toMatch(message)
      expect(String(cause && 'error' in cause && cause.error?.cause)).toContain(`Hook 'mine' (${phase})`)
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
    expect(String(run.error?.cause)).toMatch(/returned an invalid '\w+'\. Expected an? /)
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
          told.push(result, result.messages, result.usage, result.outcomes, ...result.outcomes)
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

  it('receive the cause of an error, and the unchanged value of a tool', async () => {
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

  it.each(phases)('that throw in %s are reported with their phase', async (phase) => {
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
