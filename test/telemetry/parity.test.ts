import { type RunEvent, Runtime } from '@toolgen/runtime'
import { otelTracer } from '@toolgen/runtime/otel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fixedEffects } from './fixed-effects.js'
import { planner, scenarios } from './parity-scenarios.js'
import { followContext, recordTelemetry, type SpanTree } from './recorded-telemetry.js'
import { newShop, providers } from './shop.js'

let unfollow: () => void
beforeAll(() => {
  unfollow = followContext()
})
afterAll(() => unfollow())

interface Told {
  readonly ended: string
  readonly events: readonly RunEvent[]
  readonly spans: readonly SpanTree[]
}

/** What observers are told of a scenario, without what belongs to one provider alone. */
async function toldOf(provider: string, scenario: string): Promise<Told> {
  const [register, play] = [providers[provider], scenarios[scenario]]
  if (register === undefined || play === undefined) throw new Error(`there is no ${provider} or ${scenario}`)
  const telemetry = recordTelemetry()
  const events: RunEvent[] = []
  const runtime = new Runtime({
    tracer: otelTracer({ ...telemetry, captureContent: true }),
    sinks: [(event) => void events.push(event)],
    effects: fixedEffects(),
  })
  const support = { name: 'support', description: 'Answers customers.' }
  const { status } = await play(runtime.registerAgent(support, [register(newShop())], { planner }))
  return plain({ ended: status, events, spans: telemetry.trees() })
}

/** Names, titles and examples are given by who makes the tools; a hand-written tool has no example of its own. */
function plain(told: Told): Told {
  const titles: Readonly<Record<string, string>> = {
    'Get order': 'getOrder',
    'Stock level': 'stockLevel',
    'Cancel order': 'cancelOrder',
  }
  return JSON.parse(
    JSON.stringify(told, (key, value) => {
      if (key === 'example') return typeof value
      if (key === 'title') return titles[value] ?? value
      if (key === 'toolgen.tool.provider') return 'provider'
      return key === 'name' || key === 'gen_ai.tool.name' ? value.replace('orders_', '') : value
    }),
  )
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
  it('the generated service toolset tells what is expected', async () => {
    const { ended, events, spans } = await toldOf('service', scenario)
    expect([ended, events.map(({ type }) => type).join(' ')]).toEqual(ends[scenario])
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    expect(spans).toHaveLength(1)
  })

  it.each(['mcp', 'agent'])('%s: the same events and spans', async (provider) => {
    expect(await toldOf(provider, scenario)).toEqual(await toldOf('service', scenario))
  })

  it('function: the same events and spans', async () => {
    const { events, ...told } = await toldOf('function', scenario)
    const expected = await toldOf('service', scenario)
    expect({ ...told, events: events.map((event) => withoutEarlyHint(scenario, event)) }).toEqual(expected)
  })
})

it('events carry hints, adapted results and the attributes of the builder on every path', async () => {
  for (const provider of Object.keys(providers)) {
    const { events } = await toldOf(provider, 'completed')
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
