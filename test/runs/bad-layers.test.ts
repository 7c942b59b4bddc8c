import { describe, expect, it } from 'vitest'
import type { RunEvent, ToolLayer, ToolRequest } from '../../packages/runtime/src/index.js'
import { agentOf, callOf, callsAtOnce, later, never, order, within } from './agents.fixture.js'

/** A layer around one call alone, which has the id `bad`. */
const only =
  (layer: ToolLayer): ToolLayer =>
  (next) => {
    const layered = layer(next)
    return (request) => (request.meta.toolCallId === 'bad' ? layered(request) : next(request))
  }

const nothing = (() => async () => undefined) as unknown as ToolLayer
const half = (() => async () => ({ status: 'completed' })) as unknown as ToolLayer
const suspended = (() => async () => ({ status: 'suspended' })) as unknown as ToolLayer
const ownRequest: ToolLayer = (next) => (request) => next({ ...request })
const badMeta: ToolLayer = (next) => (request) => next(request.withMeta(undefined as never))
const throws: ToolLayer = () => () => {
  throw new Error('secret at /etc')
}
const throwsNothing: ToolLayer = () => async () => {
  throw undefined
}
const throwsAfter: ToolLayer = (next) => async (request) => {
  await next(request)
  throw new Error('secret at /etc')
}
const twice: ToolLayer = (next) => async (request) => {
  await next(request)
  return next(request)
}
const waitsForEver: ToolLayer = () => never

const faults: readonly (readonly [string, ToolLayer, string])[] = [
  ['returns nothing', nothing, 'internal'],
  ['returns half an outcome', half, 'internal'],
  ['returns half a suspension', suspended, 'internal'],
  ['passes on a request of its own making', ownRequest, 'internal'],
  ['passes on a request without meta', badMeta, 'internal'],
  ['throws', throws, 'internal'],
  ['throws nothing', throwsNothing, 'internal'],
  ['throws when the tool has answered', throwsAfter, 'internal'],
  ['calls next twice', twice, 'internal'],
]

function pairs(events: readonly RunEvent[]): readonly (readonly [string, number, number])[] {
  const ids = new Set(events.flatMap((event) => ('call' in event ? [event.call.toolCallId] : [])))
  const count = (id: string, type: string): number =>
    events.filter((event) => event.type === type && 'call' in event && event.call.toolCallId === id).length
  return [...ids].map((id) => [id, count(id, 'call_started'), count(id, 'call_ended')])
}

describe('a layer that returns a deep copy', () => {
  const copied: ToolLayer = (next) => async (request) => structuredClone(await next(request))

  it('defect 6c: of its outcome is accepted, also among others and where it changed the copy', async () => {
    const redacted: ToolLayer = (next) => async (request) => {
      const copy = JSON.parse(JSON.stringify(await next(request)))
      return copy.status === 'completed' ? { ...copy, json: '"redacted"' } : copy
    }
    const agent = agentOf(() => order, {
      planner: callsAtOnce(callOf('A', 'one'), { ...callOf('A', 'two'), arguments: '{}' }),
    })
    const run = await agent
      .layer(copied)
      .layer(redacted)
      .layer((next) => next)
      .layer(copied)
      .run('?')
    expect(run.outcomes).toMatchObject([
      { status: 'completed', json: '"redacted"', result: { data: order }, call: { toolCallId: 'one' } },
      { status: 'failed', hint: { reason: 'missing_fields' }, call: { toolCallId: 'two' } },
    ])
    const waiting = agentOf(() => order, { planner: callsAtOnce(callOf('A', 'one')) })
      .layer(() => (request) => request.suspend('external'))
      .layer(copied)
    const { suspension } = await waiting.run('?')
    expect(suspension?.pending).toMatchObject([{ id: 'one' }])
  })

  it('defect 6c: with the outcome of another call is rejected, with the fix', async () => {
    let kept: unknown
    const careless: ToolLayer = (next) => async (request) => {
      if (kept !== undefined) return structuredClone(kept) as never
      kept = await next(request)
      return kept as never
    }
    const agent = agentOf(() => order).layer(careless)
    await agent.execute(callOf('A', 'call_1'))
    const outcome = await agent.execute(callOf('B', 'call_1'))
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'internal' } })
    const message = String(outcome.status === 'failed' && outcome.error.cause)
    expect(message).toContain("A layer of 'orders.getOrder' returned the outcome of another call")
    expect(message).toContain('request.complete(value)')
  })
})

describe('a layer that', () => {
  it.each(faults)('%s makes its call fail, and no other', async (_, layer, reason) => {
    const planner = callsAtOnce(callOf('A', 'one'), callOf('B', 'bad'), callOf('C', 'two'))
    const bare = agentOf(() => order, { planner })
    for (const agent of [
      bare.layer(only(layer)),
      bare.layer(only(layer)).layer((next) => (request) => next(request)),
    ]) {
      const run = await agent.run('?')
      expect(run).toMatchObject({ status: 'completed', result: { text: 'done' } })
      expect(run.outcomes.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed'])
      expect(run.outcomes[1]).toMatchObject({ hint: { reason }, call: { toolCallId: 'bad' } })
      expect(JSON.stringify(run)).not.toContain('secret')
      expect(pairs(run.events)).toEqual([
        ['one', 1, 1],
        ['bad', 1, 1],
        ['two', 1, 1],
      ])
      const outcome = await agent.execute(callOf('A', 'bad'))
      expect(outcome).toMatchObject({ status: 'failed', hint: { reason } })
    }
  })

  it('calls next twice runs the tool once', async () => {
    let tried = 0
    const agent = agentOf(() => {
      tried += 1
      return order
    }).layer((next) => async (request) => {
      const [first] = await Promise.all([next(request), next(request)])
      return first
    })
    expect(await agent.execute(callOf())).toMatchObject({ status: 'completed', provenance: { attempts: 1 } })
    expect(tried).toBe(1)
  })

  it('never settles ends with the abort of the caller, after a moment of grace; siblings are unharmed', async () => {
    const agent = agentOf(() => order, { planner: callsAtOnce(callOf('A', 'one'), callOf('B', 'bad')) })
    const controller = new AbortController()
    const onEvent = ({ type }: RunEvent): void => (type === 'call_ended' ? controller.abort() : undefined)
    const run = await within(agent.layer(only(waitsForEver)).run('?', { signal: controller.signal, onEvent }))
    expect(run).toMatchObject({
      status: 'cancelled',
      outcomes: [{ status: 'completed' }, { hint: { reason: 'cancelled' } }],
    })
    expect(run === 'hangs' ? [] : pairs(run.events)).toEqual([
      ['one', 1, 1],
      ['bad', 1, 1],
    ])
  })

  it('never settles ends with the time-out of the policy', async () => {
    const agent = agentOf(() => order, { planner: callsAtOnce(callOf('B', 'bad')), policy: { toolTimeoutMs: 20 } })
    const run = await within(agent.layer(only(waitsForEver)).run('?'))
    expect(run).toMatchObject({ status: 'completed', outcomes: [{ hint: { reason: 'timeout' } }] })
  })

  it('calls next after the call has ended does not run the tool', async () => {
    let tried = 0
    const kept: Promise<unknown>[] = []
    const late: ToolLayer = (next) => async (request) => {
      kept.push(later(20, undefined).then(() => next(request)))
      return request.complete(order)
    }
    const agent = agentOf(() => {
      tried += 1
      return order
    }).layer(late)
    expect(await agent.execute(callOf())).toMatchObject({ status: 'completed', provenance: { attempts: 0 } })
    expect(await kept[0]).toMatchObject({ status: 'failed', hint: { reason: 'cancelled' } })
    expect(tried).toBe(0)
  })

  it('keeps its request emits nothing after the end', async () => {
    const kept: ToolRequest[] = []
    const agent = agentOf(() => order).layer((next) => (request) => {
      kept.push(request)
      return next(request)
    })
    const events: RunEvent[] = []
    await agent.execute(callOf(), { onEvent: (event) => void events.push(event) })
    await expect(kept[0]?.emit(1)).rejects.toMatchObject({ reason: 'cancelled' })
    expect(events.map(({ type }) => type)).toEqual(['call_started', 'call_ended'])
  })

  it('is invalid is rejected where it is attached', () => {
    const agent = agentOf(() => order)
    for (const wrong of [undefined, null, [], {}, 'timeout']) {
      expect(() => agent.layer(wrong as never)).toThrow(TypeError)
      expect(() => agent.stepLayer(wrong as never)).toThrow(TypeError)
      expect(() => agent.runLayer(wrong as never)).toThrow(TypeError)
    }
    expect(() => agent.layer((() => undefined) as never)).toThrow(TypeError)
  })
})

describe('a layer around steps or runs that', () => {
  const wrongs: readonly (readonly [string, unknown])[] = [
    ['returns nothing', () => async () => undefined],
    ['returns half', () => async () => ({})],
    ['throws', () => async () => Promise.reject(new Error('secret at /etc'))],
    [
      'throws when its service has answered',
      (next: (request: unknown) => Promise<unknown>) => async (request: unknown) => {
        await next(request)
        throw new Error('secret at /etc')
      },
    ],
  ]
  it.each(wrongs)('%s ends the run as failed; each call that began has its events', async (_, layer) => {
    const bare = agentOf(() => order, { planner: callsAtOnce(callOf('A', 'one')) })
    for (const agent of [bare.stepLayer(layer as never), bare.runLayer(layer as never)]) {
      const run = await within(agent.run('?'))
      expect(run).toMatchObject({ status: 'failed', stop: { reason: 'failed' }, error: { reason: 'internal' } })
      if (run === 'hangs') return
      expect(JSON.stringify(run)).not.toContain('secret')
      expect(run.events.at(-1)).toMatchObject({ type: 'run_ended' })
      for (const [, started, ended] of pairs(run.events)) expect([started, ended]).toEqual([1, 1])
    }
  })

  it('is no function that gives a service fails the run', async () => {
    const agent = agentOf(() => order, { planner: callsAtOnce(callOf()) })
    for (const wrong of [() => undefined, () => 1]) {
      expect((await within(agent.stepLayer(wrong as never).run('?'))) as object).toMatchObject({
        status: 'failed',
      })
      expect((await within(agent.runLayer(wrong as never).run('?'))) as object).toMatchObject({
        status: 'failed',
      })
    }
  })

  it('calls next after the run has ended begins no step and no call', async () => {
    for (const scope of ['stepLayer', 'runLayer'] as const) {
      let executed = 0
      let asked = 0
      const kept: Promise<unknown>[] = []
      const late = (next: (request: unknown) => Promise<unknown>) => async (request: unknown) => {
        kept.push(
          later(20, undefined)
            .then(() => next(request))
            .catch(() => undefined),
        )
        throw new Error('early')
      }
      const planner = () => {
        asked += 1
        return callsAtOnce(callOf())({ turn: asked } as never)
      }
      const bare = agentOf(
        () => {
          executed += 1
          return order
        },
        { planner },
      )
      const agent = scope === 'stepLayer' ? bare.stepLayer(late as never) : bare.runLayer(late as never)
      const events: RunEvent[] = []
      expect((await agent.run('?', { onEvent: (event) => void events.push(event) })).status).toBe('failed')
      await kept[0]
      expect([scope, asked, executed]).toEqual([scope, 0, 0])
      expect(events.at(-1)).toMatchObject({ type: 'run_ended' })
    }
  })

  it('ends the run while calls go on cancels them before the run ends', async () => {
    const agent = agentOf(never, { planner: callsAtOnce(callOf('A', 'one')) }).stepLayer((next) => async (request) => {
      void next(request)
      await later(10, undefined)
      throw new Error('enough')
    })
    const events: RunEvent[] = []
    const run = await agent.run('?', { onEvent: (event) => void events.push(event) })
    expect(run.status).toBe('failed')
    await later(20, undefined)
    expect(events.at(-1)).toMatchObject({ type: 'run_ended' })
    expect(pairs(events)).toEqual([['one', 1, 1]])
  })
})
