import { type EventSink, type RunEvent, Runtime, tool, toolset } from '@toolgen/runtime'
import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { describe, expect, it } from 'vitest'
import { registerSupport } from '../../examples/orders/gen/agents/support/index.js'
import { newGetOrderCall, newStockLevelCall } from '../../examples/orders/gen/toolsets/orders/calls.js'
import { newShop } from './shop.js'

const planner: Planner = ({ turn }) =>
  turn <= 3 ? callTools({ tool: 'echo', arguments: `{"turn":${turn}}` }) : answer('Fine.')

const echo = tool({ name: 'echo', description: '', parameters: {}, run: (args) => args })

const helperWith = (...sinks: readonly EventSink[]) =>
  new Runtime({ sinks }).registerAgent({ name: 'helper', description: '' }, [toolset('local', echo)], { planner })

/** 1 run, 4 steps, 3 calls: each begins and ends. */
const EVENTS = 16

describe('sinks', () => {
  const boom = new Error('the sink is broken')
  it.each<[string, EventSink]>([
    [
      'throws',
      () => {
        throw boom
      },
    ],
    ['rejects', () => Promise.reject(boom)],
    ['rejects later', () => new Promise((_, reject) => setTimeout(reject, 1, boom))],
    ['never settles', () => new Promise(() => undefined)],
    [
      'answers with what cannot be awaited',
      () =>
        Object.defineProperty({}, 'then', {
          get() {
            throw boom
          },
        }) as Promise<void>,
    ],
  ])('one that %s harms nothing, and the others are told everything', async (_, broken) => {
    const before: RunEvent[] = []
    const after: RunEvent[] = []
    let asked = 0
    const counted: EventSink = (event) => {
      asked += 1
      return broken(event)
    }
    const helper = helperWith(
      (event) => void before.push(event),
      counted,
      (event) => void after.push(event),
    )
    const run = await helper.run('Hello?', { onEvent: counted })
    expect(run.status).toBe('completed')
    expect(run.events).toHaveLength(EVENTS)
    expect(before).toEqual(run.events)
    expect(after).toEqual(run.events)
    expect(asked).toBe(2 * EVENTS)
    await new Promise((resolve) => setTimeout(resolve, 5))
  })

  it('a slow sink does not delay the run, and receives all events', async () => {
    const begun: number[] = []
    const done: number[] = []
    let open: () => void = () => undefined
    const opened = new Promise<void>((resolve) => {
      open = resolve
    })
    const helper = helperWith(async ({ sequence }) => {
      begun.push(sequence)
      await opened
      done.push(sequence)
    })
    await helper.run('Hello?')
    const all = Array.from({ length: EVENTS }, (_, index) => index + 1)
    expect(begun).toEqual(all)
    expect(done).toEqual([])
    open()
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(done).toEqual(all)
  })

  it('receive frozen events, so that no sink can change the events of the next', async () => {
    const helper = helperWith((event) => {
      Object.assign(event, { type: 'changed' })
    })
    const { events } = await helper.run('Hello?')
    expect(events.map(({ type }) => type)).not.toContain('changed')
  })

  it('receive calls outside a run, each numbered from 1', async () => {
    const told: RunEvent[] = []
    const helper = helperWith((event) => void told.push(event))
    await helper.execute({ tool: 'echo', arguments: '{}', toolCallId: 'c-1' }, { sessionId: 's-1', turnId: 't-1' })
    await helper.execute({ tool: 'nobody', arguments: '{}', toolCallId: 'c-2' })
    expect(told).toMatchObject([
      {
        type: 'call_started',
        sequence: 1,
        agent: 'helper',
        sessionId: 's-1',
        turnId: 't-1',
        call: { toolCallId: 'c-1' },
      },
      { type: 'call_ended', sequence: 2, outcome: { status: 'completed' } },
      { type: 'call_started', sequence: 1, title: 'nobody', call: { tool: 'nobody', toolCallId: 'c-2' } },
      { type: 'call_ended', sequence: 2, telemetry: { status: 'failed', reason: 'unknown_tool' } },
    ])
    expect(told[0]).not.toHaveProperty('runId')
  })
})

describe('the hints of events', () => {
  const hintsOf = async (hints?: Readonly<Record<string, { readonly call?: string; readonly result?: string }>>) => {
    const told: RunEvent[] = []
    const runtime = new Runtime({ sinks: [(event) => void told.push(event)] })
    const support = registerSupport(runtime, {
      toolsets: { orders: { client: newShop(), ...(hints !== undefined && { hints }) } },
    })
    await support.execute(newGetOrderCall({ orderId: 'A-1' }), { sessionId: 's-1' })
    await support.execute(newStockLevelCall({ sku: 'LAMP-1' }))
    return told.map((event) => ('hint' in event ? event.hint : undefined))
  }

  it('are those of the design', async () => {
    expect(await hintsOf()).toEqual(['Looking up order A-1', 'Order A-1 is open', 'Counting LAMP-1', '12 in stock'])
  })

  it('are overridden by the registration, tool by tool and side by side', async () => {
    const own = { getOrder: { call: 'Session {{sessionId}} asks for {{orderId}}{{nothing}}' } }
    expect(await hintsOf(own)).toEqual([
      'Session s-1 asks for A-1',
      'Order A-1 is open',
      'Counting LAMP-1',
      '12 in stock',
    ])
  })
})
