import { describe, expect, it } from 'vitest'
import { decodes } from '../../packages/runtime/src/agents/orders.fixture.js'
import { encodeProvenanced, type ToolCallRef } from '../../packages/runtime/src/index.js'
import type { StandardCheck } from '../../packages/runtime/src/types/json.js'
import { agent } from './agent-providers.js'
import { agentOver, caller, modes, play } from './played.js'
import type { Provider } from './provider.js'
import { hand } from './providers.js'
import { find } from './shop.js'

const call = find.call({ orderId: 'A-1' })
const sent = '{"orderId":"A-1"}'
const given = { ...caller, env: {} }

/** Tests of calls, their arguments, and the provenance of their results. */
export function callsSuite(provider: Provider): void {
  const payload = provider.lacks.defaults ? { orderId: 'A-1' } : { orderId: 'A-1', quantity: 1 }

  describe.each(modes)('a call that completes: %s', (mode) => {
    it('has its result in an envelope with where it comes from', async () => {
      const { outcomes, texts, shop } = await play(provider, { calls: [call] }, mode)
      expect(shop.asked).toEqual([{ tool: 'find', payload }])
      expect(texts).toEqual(['{"id":"A-1","total":12.5}'])
      const [outcome] = outcomes
      if (outcome?.status !== 'completed') throw new Error(outcome?.status)
      expect(outcome).toMatchObject({
        call: { tool: 'orders.find', toolCallId: 'call-0' },
        provenance: { tool: 'orders.find', durationMs: 0, attempts: 1 },
        result: { data: { id: 'A-1', total: 12.5 } },
      })
      expect(outcome.result.provenance).toEqual(outcome.provenance)
      const { data, provenance } = JSON.parse(encodeProvenanced(outcome.result, find.result))
      expect(data).toEqual({ id: 'A-1', total: 12.5 })
      expect(Object.keys(provenance).slice(0, 3)).toEqual(['tool', 'duration_ms', 'attempts'])
      const { usage, ...facts } = provider.facts({ toolCallId: 'call-0', status: 'completed', attempts: 1 })
      const { model, service, children } = facts
      expect(Object.entries(provenance).slice(3)).toEqual([
        ...(model === undefined ? [] : [['model', model]]),
        ...(service === undefined ? [] : [['service', service]]),
        ...(children === undefined ? [] : [['children', children.map(jsonNames)]]),
        ...(usage === undefined ? [] : [['extra', { runId: expect.stringMatching(/^run-/), ...usage }]]),
      ])
    })

    it('passes its arguments and its result through the adapters of the registration, once', async () => {
      const seen: string[] = []
      const options = {
        payloadAdapter: (json: string) => {
          seen.push(json)
          return json.replace('A-1', 'A-2')
        },
        resultAdapter: (json: string) => {
          seen.push(json)
          return json.replace('12.5', '"cheap"')
        },
      }
      const { outcomes, texts } = await play(provider, { calls: [call], options }, mode)
      expect(seen).toEqual([sent, '{"id":"A-2","total":12.5}'])
      expect(texts).toEqual(['{"id":"A-2","total":"cheap"}'])
      expect(outcomes).toMatchObject([{ result: { data: { id: 'A-2', total: 12.5 } } }])
    })

    it('is held against the checks of the registration before its tool runs', async () => {
      const check: StandardCheck = {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: () => ({ issues: [{ message: 'Not on Sundays.', path: ['orderId'] }] }),
        },
      }
      const { outcomes, shop } = await play(provider, { calls: [call], options: { checks: { find: check } } }, mode)
      expect(shop.asked).toEqual([])
      expect(outcomes).toMatchObject([
        { hint: { reason: 'invalid_arguments', issues: [{ path: '/orderId', message: 'Not on Sundays.' }] } },
      ])
    })
  })

  it('a call is decoded once, whatever layers ask', async () => {
    const before = decodes.count
    await play(
      provider,
      {
        calls: [call],
        layers: (tools) =>
          tools.layer((next) => async (request) => {
            await Promise.all([request.decode(), request.decode()])
            return next(request)
          }),
      },
      'execute',
    )
    // The test cannot count the decodes of hand-written tools, because the runtime creates their codecs.
    expect(decodes.count - before).toBe(provider === hand ? 0 : 1)
  })

  it('is offered under its tool name, and answers to its id and to that name', async () => {
    const { support } = agentOver(provider)
    const name = provider.lacks['tool names'] ? 'find' : 'orders_find'
    expect(support.specs.map(({ id, toolName }) => [id, toolName])[0]).toEqual(['orders.find', name])
    for (const tool of ['orders.find', name]) {
      const outcome = await support.execute({ tool, arguments: sent }, given)
      expect(outcome).toMatchObject({ status: 'completed', call: { tool: 'orders.find' } })
    }
  })

  it('a call needs of its caller what its own tool needs; of an agent what any tool of that agent needs', async () => {
    const { support } = agentOver(provider)
    const outcome = await support.execute(call, { env: {} })
    const message = "The caller of 'orders.find' must pass options.sessionId (for store.mine) to `execute`."
    if (provider === agent) expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'internal', message } })
    else expect(outcome.status).toBe('completed')
  })

  it('a call of a generated builder carries the same text whoever serves it', async () => {
    const { support } = agentOver(provider)
    const built = find.call({ orderId: 'A-1', quantity: 2 }, { toolCallId: 'c' })
    expect(built).toEqual({ tool: 'orders.find', arguments: '{"orderId":"A-1","quantity":2}', toolCallId: 'c' })
    expect(await support.execute(built, given)).toMatchObject({
      status: 'completed',
      json: '{"id":"A-1","total":12.5}',
    })
  })
}

/** Returns the reference of a call with the names of its JSON form. */
function jsonNames({ tool, toolCallId, parentToolCallId }: ToolCallRef): object {
  return { tool, tool_call_id: toolCallId, parent_tool_call_id: parentToolCallId }
}
