import { type Effects, type RunEvent, Runtime } from '@toolgen/runtime'
import { RuntimeMetrics } from '@toolgen/runtime/metrics'
import { otelTracer } from '@toolgen/runtime/otel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inOrderOfCalls, plain, withFactsOf, withoutBeneath } from '../conformance/plain.js'
import { planner, scenarios } from './parity-scenarios.js'
import { followContext, type MetricPoint, recordTelemetry } from './recorded-telemetry.js'
import { newShop, providers } from './shop.js'

let unfollow: () => void
beforeAll(() => {
  unfollow = followContext()
})
afterAll(() => unfollow())

interface Told {
  readonly ended: string
  readonly events: readonly RunEvent[]
  readonly spans: readonly object[]
  /** The points of the counter and the histogram of calls. */
  readonly metrics: readonly object[]
  /** The figures of `RuntimeMetrics` by tool, without times. */
  readonly figures: object
}

/** What observers are told of a scenario, of the tools of the shop alone. */
async function toldOf(kind: keyof typeof providers, scenario: string): Promise<Told> {
  const play = scenarios[scenario]
  if (play === undefined) throw new Error(`there is no ${scenario}`)
  const recorded = recordTelemetry()
  const events: RunEvent[] = []
  const metrics = new RuntimeMetrics({ tracer: otelTracer({ ...recorded, captureContent: true }) })
  const runtime = new Runtime({ tracer: metrics, sinks: [(event) => void events.push(event)], effects: fixedEffects() })
  const support = { name: 'support', description: 'Answers customers.' }
  let stick = (): void => undefined
  const stuck = new Promise<void>((resolve) => {
    stick = resolve
  })
  const tools = providers[kind].register(newShop(stick), runtime)
  const { status } = await play(runtime.registerAgent(support, [tools], { planner }), stuck)
  const points = [
    ...(await recorded.points('toolgen.tool.calls')),
    ...(await recorded.points('gen_ai.execute_tool.duration')),
  ].filter(({ attributes }) => attributes['gen_ai.agent.name'] !== 'clerk')
  // Points come as calls end; of calls beside each other either may end first.
  const text = ({ attributes }: MetricPoint): string => JSON.stringify(Object.entries(attributes).sort())
  points.sort((one, other) => (text(one) < text(other) ? -1 : 1))
  const figures = Object.entries(metrics.snapshot().tools).flatMap(([name, { latencyMs: _, ...counts }]) =>
    name === 'notes.note' ? [] : [[name, counts] as const],
  )
  const spans = recorded.trees().map(withoutBeneath)
  return named({
    ended: status,
    events: inOrderOfCalls(events),
    spans,
    metrics: points,
    figures: Object.fromEntries(figures),
  })
}

/** A clock that stands still, and ids that are counted by what they name. */
function fixedEffects(): Effects {
  const counts = new Map<string, number>()
  return {
    now: () => 1_000,
    newId: (kind) => {
      const count = (counts.get(kind) ?? 0) + 1
      counts.set(kind, count)
      return `${kind}-${count}`
    },
  }
}

/** Titles and examples are given by who makes the tools; a hand-written tool has no example of its own. */
function named(told: Told): Told {
  const titles: Readonly<Record<string, string>> = {
    'Get order': 'getOrder',
    'Stock level': 'stockLevel',
    'Cancel order': 'cancelOrder',
  }
  const json = JSON.stringify(told, (key, value) => {
    if (key === 'example') return typeof value
    return key === 'title' ? (titles[value] ?? value) : value
  })
  return plain(JSON.parse(json))
}

/** What a layer, not the codec, finds wrong with the arguments of a hand-written tool is found after the call began. */
const foundByLayer = new Map([
  ['wrong argument', 'Looking up order 5'],
  ['missing argument', 'Looking up order '],
])

function withoutEarlyHint(scenario: string, event: RunEvent): RunEvent {
  const early = foundByLayer.get(scenario)
  if (early === undefined || event.type !== 'call_started') return event
  const { hint, ...rest } = event
  expect(hint).toBe(early)
  return rest
}

const ends: Readonly<Record<string, readonly [status: string, types: string]>> = {
  completed: ['completed', 'call_started call_ended'],
  'rate limited': ['failed', 'call_started call_ended'],
  retried: ['completed', 'call_started call_ended'],
  malformed: ['failed', 'call_started call_ended'],
  'wrong argument': ['failed', 'call_started call_ended'],
  'missing argument': ['failed', 'call_started call_ended'],
  'broken JSON': ['failed', 'call_started call_ended'],
  'unknown tool': ['failed', 'call_started call_ended'],
  denied: ['failed', 'call_started call_ended'],
  suspended: ['suspended', 'call_started call_ended'],
  cancelled: ['failed', 'call_started call_ended'],
  run: [
    'completed',
    'run_started step_started call_started call_started call_ended call_ended step_ended step_started call_started call_ended step_ended step_started step_ended run_ended',
  ],
}

describe.each(Object.keys(scenarios))('%s', (scenario) => {
  it('the generated service toolset reports the expected events', async () => {
    const { ended, events, spans } = await toldOf('service', scenario)
    expect([ended, events.map(({ type }) => type).join(' ')]).toEqual(ends[scenario])
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    expect(spans).toHaveLength(1)
  })

  const others = (['mcp', 'openapi', 'agent', 'function'] as const).filter(
    (kind) => !providers[kind].lacks.includes(scenario),
  )
  it.each(others)('defect 23: the real executor of %s gives the same events, spans and metrics', async (kind) => {
    const { events, ...told } = await toldOf(kind, scenario)
    const expected = withFactsOf(providers[kind], await toldOf('service', scenario))
    const early = kind === 'function' ? events.map((event) => withoutEarlyHint(scenario, event)) : events
    expect({ ...told, events: early }).toEqual(expected)
  })
})

it('defect 22: the telemetry of a failed call has the facts of its provider', async () => {
  for (const kind of ['service', 'mcp', 'openapi', 'agent', 'function'] as const) {
    for (const scenario of ['rate limited', 'cancelled', 'wrong argument']) {
      const { events } = await toldOf(kind, scenario)
      const ended = events.at(-1)
      if (ended?.type !== 'call_ended' || ended.outcome.status !== 'failed') throw new Error(ended?.type)
      const { attempts } = ended.outcome.provenance
      const { service, model, children, usage } = providers[kind].facts({
        toolCallId: ended.call.toolCallId,
        status: 'failed',
        reason: ended.outcome.hint.reason,
        attempts,
      })
      const { promptTokens, completionTokens } = usage ?? {}
      const facts = { service, model, promptTokens, completionTokens, children: children?.length, attempts }
      const { telemetry } = ended
      for (const [name, fact] of Object.entries(facts))
        expect([name, Reflect.get(telemetry, name)]).toEqual([name, fact])
    }
  }
})

it('events carry hints, adapted results and the attributes of the builder on every path', async () => {
  for (const kind of ['service', 'mcp', 'openapi', 'agent', 'function'] as const) {
    const { events } = await toldOf(kind, 'completed')
    expect(events).toMatchObject([
      { type: 'call_started', title: 'getOrder', hint: 'Looking up order A-1', arguments: '{"orderId":"A-1"}' },
      {
        type: 'call_ended',
        hint: 'Order A-1 is open',
        outcome: { json: expect.stringContaining('"A-one"'), result: { data: { id: 'A-1' } } },
        telemetry: { status: 'completed', structured: true, attributes: { tenant: 'acme', ended: 'completed' } },
      },
    ])
  }
})
