import { otelTracer } from '@toolgen/runtime/otel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { retry, type ToolsetRegistration } from '../../packages/runtime/src/index.js'
import { followContext, recordTelemetry } from '../telemetry/recorded-telemetry.js'
import { inOrderOfCalls, plain, withFactsOf, withoutBeneath } from './plain.js'
import { modes, play, type Scene } from './played.js'
import type { Difference, Provider } from './provider.js'
import { find } from './shop.js'

const of = (...orderIds: readonly string[]): Scene => ({
  calls: orderIds.map((orderId) => find.call({ orderId })),
  options: { telemetryBuilder: ({ meta, outcome }) => ({ tenant: meta.labels.tenant ?? null, ended: outcome.status }) },
})

/** A scene, and the features that a provider needs for it. */
interface SharedScene extends Scene {
  readonly without?: Difference
}

const scenes: Readonly<Record<string, SharedScene>> = {
  'several that complete': of('A-1', 'A-2'),
  'a failed one beside another': of('away', 'A-2'),
  'an internal failure': of('secret'),
  'a result that breaks its contract': { ...of('malformed'), without: 'result codec' },
  'invalid arguments': { calls: [{ tool: find.spec.id, arguments: '{"orderId":5}' }], without: 'examples' },
  'one that is tried again': {
    ...of('flaky'),
    layers: (tools: ToolsetRegistration) => tools.layer(retry({ delayMs: () => 0 })),
  },
  'an unknown tool': { calls: [{ tool: 'orders.fnd', arguments: '{}' }] },
}

/** Tests that observers receive the same data from every provider, except its own facts of a call: service, model, children, tokens. */
export function observersSuite(provider: Provider, like: Provider): void {
  let unfollow: () => void
  beforeAll(() => {
    unfollow = followContext()
  })
  afterAll(() => unfollow())

  const shared = Object.entries(scenes).filter(([, { without }]) => without === undefined || !provider.lacks[without])

  describe.each(shared)('observers of %s', (_, scene) => {
    it.each(modes)('defect 3d: receive the same events, with the facts of their provider: %s', async (mode) => {
      const [own, other] = [await play(provider, scene, mode), await play(like, scene, mode)]
      const [events, expected] = [own, other].map((played) => plain(inOrderOfCalls(played.events)))
      expect(events).toEqual(withFactsOf(provider, expected))
      expect(plain(own.outcomes)).toEqual(withFactsOf(provider, plain(other.outcomes)))
    })

    it.each(modes)('defect 22: are given the same spans, with the facts of their provider: %s', async (mode) => {
      const spans: object[][] = []
      for (const each of [provider, like]) {
        const telemetry = recordTelemetry()
        await play(each, { ...scene, tracer: otelTracer({ ...telemetry, captureContent: true }) }, mode)
        spans.push(telemetry.trees().map(withoutBeneath))
      }
      expect(plain(spans[0])).toEqual(withFactsOf(provider, plain(spans[1])))
      expect(JSON.stringify(spans[0])).toContain('execute_tool')
    })
  })

  it('are told hints, titles, arguments and the attributes of the builder', async () => {
    const { events } = await play(provider, of('A-1'), 'execute')
    expect(plain(events)).toMatchObject([
      { type: 'call_started', title: 'Find order', hint: 'Looking up A-1', arguments: '{"orderId":"A-1"}' },
      {
        type: 'call_ended',
        hint: 'A-1 costs 12.5',
        telemetry: { status: 'completed', structured: true, attributes: { tenant: 'acme', ended: 'completed' } },
      },
    ])
  })
}
