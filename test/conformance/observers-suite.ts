import { otelTracer } from '@toolgen/runtime/otel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { retry, type ToolsetRegistration } from '../../packages/runtime/src/index.js'
import { followContext, recordTelemetry, type SpanTree } from '../telemetry/recorded-telemetry.js'
import { isAgent } from './calls-suite.js'
import { inOrderOfCalls, plain } from './plain.js'
import { modes, play, type Scene } from './played.js'
import type { Provider } from './provider.js'
import { find } from './shop.js'

const of = (...orderIds: readonly string[]): Scene => ({
  calls: orderIds.map((orderId) => find.call({ orderId })),
  options: { telemetryBuilder: ({ meta, outcome }) => ({ tenant: meta.labels.tenant ?? null, ended: outcome.status }) },
})

const scenes: Readonly<Record<string, Scene>> = {
  'several that complete': of('A-1', 'A-2'),
  'a failed one beside another': of('away', 'A-2'),
  'an internal failure': of('secret'),
  'one that is tried again': {
    ...of('flaky'),
    layers: (tools: ToolsetRegistration) => tools.layer(retry({ delayMs: () => 0 })),
  },
  'an unknown tool': { calls: [{ tool: 'orders.fnd', arguments: '{}' }] },
}

/** Those who watch are told the same of every provider, but for what {@link plain} leaves out. */
export function observersSuite(provider: Provider, like: Provider): void {
  let unfollow: () => void
  beforeAll(() => {
    unfollow = followContext()
  })
  afterAll(() => unfollow())

  describe.each(Object.entries(scenes))('observers of %s', (_, scene) => {
    it.each(modes)('are told the same events: %s', async (mode) => {
      const [own, other] = [await play(provider, scene, mode), await play(like, scene, mode)]
      expect(plain(inOrderOfCalls(own.events))).toEqual(plain(inOrderOfCalls(other.events)))
      expect(plain(own.outcomes)).toEqual(plain(other.outcomes))
      const handoffs = own.events.filter(({ type }) => type === 'handoff').length
      expect(handoffs > 0).toBe(isAgent(provider) && scene.calls.some(({ tool }) => tool === find.spec.id))
    })

    it.each(modes)('are given the same spans: %s', async (mode) => {
      const spans: object[][] = []
      for (const each of [provider, like]) {
        const telemetry = recordTelemetry()
        await play(each, { ...scene, tracer: otelTracer({ ...telemetry, captureContent: true }) }, mode)
        spans.push(telemetry.trees().map(withoutBeneath))
      }
      expect(plain(spans[0])).toEqual(plain(spans[1]))
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

  if (!isAgent(provider)) return

  it('are told of an agent besides: who served the call, and at which cost', async () => {
    const { events } = await play(provider, of('A-1'), 'execute')
    expect(events.map(({ type }) => type)).toEqual(['call_started', 'handoff', 'handoff', 'call_ended'])
    const telemetry = { service: 'clerk', promptTokens: 0, completionTokens: 0 }
    expect(events.at(-1)).toMatchObject({ telemetry, outcome: { provenance: { service: 'clerk' } } })
  })
}

/** A span without those of the run that serves a call. */
function withoutBeneath({ children, ...span }: SpanTree): object {
  return { ...span, inside: span.name.startsWith('execute_tool') ? [] : children.map(withoutBeneath) }
}
