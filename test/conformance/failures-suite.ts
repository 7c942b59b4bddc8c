import { describe, expect, it } from 'vitest'
import { answering } from './agent-providers.js'
import { failures } from './failures.js'
import { caller, modes, play } from './played.js'
import type { Provider } from './provider.js'
import { find, mine } from './shop.js'

/** Tests that each failure has the same hint, and the same text for a model. */
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
      // The runtime asks the planner once more after a malformed result.
      expect(shop.asked.length).toBeLessThanOrEqual(provider === answering ? 2 : 1)
    })

    if (lacks) {
      it(`is not what ${like.name} says`, async () => {
        const [own, other] = [await play(provider, scene, 'execute'), await play(like, scene, 'execute')]
        expect(hintOf(own)).not.toEqual(hintOf(other))
      })
      return
    }

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
