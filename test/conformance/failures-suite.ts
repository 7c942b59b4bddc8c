import { describe, expect, it } from 'vitest'
import { answering } from './agent-providers.js'
import { caller, modes, play } from './played.js'
import type { Difference, Provider } from './provider.js'
import { find, mine } from './shop.js'

interface Failure {
  readonly sent: string
  readonly tool?: string
  readonly hint: object
  readonly text: string
  /** What the provider has not that makes it answer otherwise; then what it comes to. */
  readonly without?: { readonly what: Difference; readonly comes: object; readonly text?: string }
}

const example = { orderId: 'A-1' }
const ofOrder = (orderId: string): string => JSON.stringify({ orderId })

const failures: Readonly<Record<string, Failure>> = {
  'a missing field': {
    sent: '{}',
    hint: {
      reason: 'missing_fields',
      action: 'correct_call',
      missing: [{ path: '/orderId', description: 'Order number as printed on the invoice' }],
      rejected: '{}',
      example,
    },
    text: 'orderId',
    without: { what: 'examples', comes: { reason: 'missing_fields', missing: [{ path: '/orderId' }], rejected: '{}' } },
  },
  'a field of another type': {
    sent: '{"orderId":5}',
    hint: {
      reason: 'invalid_arguments',
      action: 'correct_call',
      issues: [{ path: '/orderId', constraint: 'invalid_type' }],
      example,
    },
    text: 'orderId',
    without: { what: 'examples', comes: { reason: 'invalid_arguments', issues: [{ path: '/orderId' }] } },
  },
  'an unknown field': {
    sent: '{"orderId":"A-1","colour":"red"}',
    hint: { reason: 'invalid_arguments', issues: [{ constraint: 'unknown_field', field: 'colour' }] },
    text: 'colour',
    without: { what: 'examples', comes: { reason: 'invalid_arguments', issues: [{ constraint: 'unknown_field' }] } },
  },
  'broken JSON': {
    sent: '{"orderId":',
    hint: { reason: 'invalid_arguments', issues: [{ constraint: 'invalid_json' }] },
    text: 'JSON',
    without: { what: 'examples', comes: { reason: 'invalid_arguments', issues: [{ constraint: 'invalid_json' }] } },
  },
  'an unknown tool': {
    tool: 'orders.fnd',
    sent: '{}',
    hint: { reason: 'unknown_tool', action: 'replan' },
    text: 'find',
  },
  'a rejection that was thrown for the model': {
    sent: ofOrder('shipped'),
    hint: { reason: 'domain_rejection', action: 'finish', message: 'The order has shipped.' },
    text: 'The order has shipped.',
  },
  'a rate limit': {
    sent: ofOrder('limited'),
    hint: { reason: 'rate_limited', action: 'wait', retryAfterMs: 60_000 },
    text: '60 s',
  },
  'a service that is away': {
    sent: ofOrder('away'),
    hint: { reason: 'unavailable', action: 'wait' },
    text: 'not available',
  },
  'a time-out of the service': { sent: ofOrder('late'), hint: { reason: 'timeout', action: 'wait' }, text: 'too long' },
  'a service that refuses': {
    sent: ofOrder('forbidden'),
    hint: { reason: 'denied', action: 'replan' },
    text: 'refused',
  },
  'an error that nobody was to see': {
    sent: ofOrder('secret'),
    hint: { reason: 'internal', message: 'The tool failed for an internal reason.' },
    text: 'internal reason',
  },
  'a result that breaks its contract': {
    sent: ofOrder('malformed'),
    hint: { reason: 'malformed_result', action: 'replan' },
    text: 'breaks its contract',
    without: { what: 'result codec', comes: { data: { id: 'malformed', total: 'much' } }, text: '"much"' },
  },
}

/** Every failure is the same hint, and the same text for a model. */
export function failuresSuite(provider: Provider, like: Provider): void {
  describe.each(Object.entries(failures))('%s', (_, { tool = 'orders.find', sent, hint, text, without }) => {
    const scene = { calls: [{ tool, arguments: sent }] }
    const lacks = without !== undefined && provider.lacks[without.what] !== undefined

    it.each(modes)('%s', async (mode) => {
      const { outcomes, texts, shop } = await play(provider, scene, mode)
      const [outcome] = outcomes
      expect(outcomes).toHaveLength(1)
      expect(
        outcome?.status === 'failed' ? outcome.hint : outcome?.status === 'completed' && outcome.result,
      ).toMatchObject(lacks ? without.comes : hint)
      expect(texts[0]).toContain(lacks ? (without.text ?? text) : text)
      expect(JSON.stringify([outcome, texts])).not.toMatch(/hunter2|\/srv|10\.0\.0/)
      // Who answers with what does not fit is asked once more.
      expect(shop.asked.length).toBeLessThanOrEqual(provider === answering ? 2 : 1)
    })

    if (lacks) return

    it(`says what ${like.name} says, word for word`, async () => {
      const [own, other] = [await play(provider, scene, 'execute'), await play(like, scene, 'execute')]
      expect(own.texts).toEqual(other.texts)
      expect(hintOf(own)).toEqual(hintOf(other))
    })
  })

  it('a model may not send a field that only the runtime fills', async () => {
    const scene = { calls: [{ tool: mine.spec.id, arguments: '{"sessionId":"of another"}' }] }
    const { outcomes, shop } = await play(provider, scene, 'execute')
    expect(shop.asked).toEqual([])
    expect(outcomes[0]).toMatchObject({
      status: 'failed',
      hint: {
        reason: 'invalid_arguments',
        issues: [{ constraint: provider.lacks['server-owned fields'] ? 'unknown_field' : 'server_owned_field' }],
      },
    })
  })

  it('a field that only the runtime fills is filled, and stands in `meta` for hand-written tools', async () => {
    const { outcomes, shop } = await play(provider, { calls: [mine.call({})] }, 'sequential')
    const payload = provider.lacks['server-owned fields'] ? {} : { sessionId: caller.sessionId }
    expect(shop.asked).toEqual([{ tool: 'mine', payload }])
    expect(outcomes).toMatchObject([{ status: 'completed', json: '{"id":"s-1","total":1}' }])
  })

  it('a failure does not keep the calls beside it from their results', async () => {
    const calls = [find.call({ orderId: 'secret' }), find.call({ orderId: 'A-2' }), find.call({ orderId: 'limited' })]
    for (const mode of modes) {
      const { outcomes } = await play(provider, { calls }, mode)
      expect(outcomes.map(({ status }) => status)).toEqual(['failed', 'completed', 'failed'])
      expect(outcomes.map(({ call }) => call.toolCallId)).toEqual(['call-0', 'call-1', 'call-2'])
    }
  })
}

function hintOf({ outcomes: [outcome] }: Awaited<ReturnType<typeof play>>): unknown {
  return outcome?.status === 'failed' ? outcome.hint : outcome
}
