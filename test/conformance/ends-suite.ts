import { describe, expect, it } from 'vitest'
import { callTools } from '../../packages/runtime/src/agents.js'
import {
  type BoundAgent,
  type RunEvent,
  runConfig,
  type ToolLayer,
  type ToolOutcome,
  timeout,
} from '../../packages/runtime/src/index.js'
import { agentOver, caller } from './played.js'
import type { Provider } from './provider.js'
import { find } from './shop.js'

const never = { ...find.call({ orderId: 'never' }), toolCallId: 'never' }
const given = { ...caller, env: {} }

/** All ways to end a call that does not return. */
const ends: Readonly<Record<string, { readonly reason: string; readonly end: (agent: BoundAgent<any>) => Ended }>> = {
  'the signal of the call': {
    reason: 'cancelled',
    end: async (agent) => [await agent.execute(never, { ...given, signal: soon() })],
  },
  'a signal that was aborted before': {
    reason: 'cancelled',
    end: async (agent) => [await agent.execute(never, { ...given, signal: AbortSignal.abort() })],
  },
  'the deadline of the call': {
    reason: 'timeout',
    // The clock of the runtime always returns 1,000.
    end: async (agent) => [await agent.execute(never, { ...given, deadline: 1_005 })],
  },
  'a layer that limits its time': {
    reason: 'timeout',
    end: async (agent) => [await agent.layer(timeout(5)).execute(never, given)],
  },
  'the signal of the run': {
    reason: 'cancelled',
    end: async (agent) => {
      const controller = new AbortController()
      const onEvent = ({ type }: RunEvent): void => (type === 'call_started' ? controller.abort() : undefined)
      return (await agent.run('?', { ...given, signal: controller.signal, onEvent })).outcomes
    },
  },
  'the limit of the policy': {
    reason: 'timeout',
    end: async (agent) =>
      (await agent.run('?', { ...given, config: runConfig().policy({ toolTimeoutMs: 5 }) })).outcomes,
  },
  'the time budget of the run': {
    reason: 'timeout',
    end: async (agent) =>
      (await agent.run('?', { ...given, config: runConfig().policy({ timeBudgetMs: 200 }) })).outcomes,
  },
}

type Ended = Promise<readonly ToolOutcome[]>

/** Tests that an ended call has one outcome and that its tool is notified. */
export function endsSuite(provider: Provider): void {
  describe.each(Object.entries(ends))('a call that %s ends', (_, { reason, end }) => {
    it('has one outcome, one start and one end are told of it, and its tool is told', async () => {
      const { support, events, shop } = agentOver(provider, {}, ({ turn }) =>
        turn === 1 ? callTools(never) : { kind: 'answer', text: 'done' },
      )
      const outcomes = await end(support)
      expect(outcomes).toMatchObject([{ status: 'failed', error: { reason }, hint: { reason } }])
      const ofCalls = events.filter(({ type }) => type === 'call_started' || type === 'call_ended')
      expect(ofCalls.map(({ type }) => type)).toEqual(['call_started', 'call_ended'])
      await expect.poll(() => shop.told).toBe(shop.asked.length)
    })
  })

  it('calls beside one that is ended have their own outcomes', async () => {
    const { support } = agentOver(provider, {}, ({ turn }) =>
      turn === 1
        ? callTools(find.call({ orderId: 'A-1' }), never, find.call({ orderId: 'A-3' }))
        : { kind: 'answer', text: 'done' },
    )
    // Only the call that never returns has a time limit, so that a slow machine does not end the others.
    const brief: ToolLayer = (next) => {
      const limited = timeout(30)(next)
      return (request) => (request.meta.toolCallId === never.toolCallId ? limited : next)(request)
    }
    const { status, outcomes } = await support.run('?', { ...given, config: runConfig().layer(brief) })
    expect(status).toBe('completed')
    expect(outcomes.map((outcome) => (outcome.status === 'failed' ? outcome.hint.reason : outcome.status))).toEqual([
      'completed',
      'timeout',
      'completed',
    ])
  })
}

function soon(): AbortSignal {
  const controller = new AbortController()
  setTimeout(() => controller.abort(), 5)
  return controller.signal
}
