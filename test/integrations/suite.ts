import { describe, expect, it } from 'vitest'
import type { CallResponse } from '../../packages/runtime/src/adapters/framework-options.js'

import {
  approval,
  type BoundAgent,
  renderForModel,
  runConfig,
  type ToolLayer,
} from '../../packages/runtime/src/index.js'
import { SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { find, Shop } from '../conformance/shop.js'
import type { Framework, PlayOptions } from './framework.js'
import { agentOf, call } from './shop.fixture.js'

const context = { sessionId: 's-1' }

/** Calls with various arguments and outcomes. */
const cases: readonly (readonly [string, string, object])[] = [
  ['a call that is right', 'orders_find', { orderId: 'A-1' }],
  ['a server-owned field', 'orders_mine', { status: 'open' }],
  ['a field that nobody knows', 'orders_find', { orderId: 'A-1', color: 'red' }],
  ['a server-owned field that the model gives itself', 'orders_mine', { sessionId: 's-2' }],
  ['missing fields', 'orders_find', {}],
  ['several faults at once', 'orders_find', { orderId: 7, quantity: 0, status: 'lost' }],
  ['arguments that are no object', 'orders_find', ['A-1']],
  ['a sentence that was thrown for the model', 'orders_find', { orderId: 'shipped' }],
  ['a service that is limited', 'orders_find', { orderId: 'limited' }],
  ['a service that is away', 'orders_find', { orderId: 'away' }],
  ['a service that refuses', 'orders_find', { orderId: 'forbidden' }],
  ['an error with a secret', 'orders_find', { orderId: 'secret' }],
  ['a result that breaks its contract', 'orders_find', { orderId: 'malformed' }],
  ['a confirmation that nobody can give', 'orders_cancel', { orderId: 'A-1' }],
]

/** Tests that every framework must pass. */
export function integrationSuite(framework: Framework): void {
  /** Plays the calls of one turn, and returns the results that the model reads. */
  const told = async (tools: BoundAgent, turn: Parameters<Framework['play']>[1][number], options: PlayOptions = {}) => {
    const { told } = await framework.play(tools, [turn], { context, ...options })
    return told[0]?.map(({ text }) => text)
  }

  describe(`tools in ${framework.name}`, () => {
    it.each(cases)('tell the model what the direct path tells: %s', async (_, tool, args) => {
      const direct = await agentOf().execute({ tool, arguments: JSON.stringify(args) }, context)
      expect(await told(agentOf(), [call(tool, args)])).toEqual([renderForModel(direct)])
    })

    it('defect 8: show the issues of an error to the application, and never to the model', async () => {
      const orders = { payloadAdapter: (json: string) => JSON.stringify({ ...JSON.parse(json), SECRET: 1 }) }
      const outcomes: CallResponse[] = []
      const texts = await told(agentOf({ orders }), [call('orders_find', { orderId: 'A-1' })], {
        onOutcome: (outcome) => outcomes.push(outcome),
      })
      expect(outcomes).toMatchObject([{ status: 'failed', error: { issues: [{ path: '/SECRET' }] } }])
      expect(texts).toHaveLength(1)
      expect(JSON.stringify(texts)).not.toContain('SECRET')
    })

    it('let the model correct itself', async () => {
      const wrong = call('orders_find', { orderID: 'A-1' })
      const right = call('orders_find', { orderId: 'A-1' })
      const played = await framework.play(agentOf(), [[wrong], [right]], { context })
      expect(played.told).toEqual([
        [{ id: wrong.id, text: expect.stringContaining('Correct example: {"orderId":"A-1"}') }],
        [{ id: right.id, text: '{"id":"A-1","total":12.5}' }],
      ])
      expect(played.text).toBe('Done.')
    })

    it('do not know what is not there, and the run goes on', async () => {
      const unknown = call('orders_fnd', { orderId: 'A-1' })
      const played = await framework.play(agentOf(), [[unknown], [call('orders_find', { orderId: 'A-1' })]], {
        context,
      })
      expect(played.told[0]).toEqual([{ id: unknown.id, text: expect.stringContaining('orders_fnd') }])
      expect(played.told[1]).toMatchObject([{ text: '{"id":"A-1","total":12.5}' }])
    })

    it('are offered with the names, descriptions and schemas of their specs, without server-owned fields', async () => {
      const { offered } = await framework.play(agentOf(), [], { context })
      expect(offered.map(({ name }) => name)).toEqual([
        'orders_find',
        'orders_cancel',
        'orders_mine',
        'parcels_follow',
        'parcels_meet',
      ])
      expect(offered[0]).toEqual({
        name: 'orders_find',
        description: find.spec.description,
        schema: find.spec.arguments,
      })
      expect(offered[2]?.schema).toMatchObject({ properties: { status: {} } })
      expect(JSON.stringify(offered)).not.toContain('sessionId')
    })

    it('are those that were chosen', async () => {
      const { offered } = await framework.play(agentOf(), [], { only: [find] })
      expect(offered.map(({ name }) => name)).toEqual(['orders_find'])
      const other = { ...find, spec: { ...find.spec, id: 'orders.lose' as const } }
      await expect(framework.play(agentOf(), [], { only: [other] })).rejects.toThrow('only: unknown tool orders.lose')
    })

    it('are not made where their server-owned fields cannot be filled', async () => {
      await expect(framework.play(agentOf(), [], { context: {} })).rejects.toThrow(
        'calls of these tools require context.sessionId (for orders.mine)',
      )
      await expect(
        framework.play(agentOf(), [], { context: { sessionId: undefined, labels: undefined } }),
      ).rejects.toThrow('context.sessionId')
    })

    it('take their context anew for every call, and tell nothing of what goes wrong with it', async () => {
      let sessions = 0
      const counted = () => {
        sessions += 1
        if (sessions === 2) throw new Error('no session at /srv/sessions.js')
        return { sessionId: `s-${sessions}` }
      }
      const turns = [[call('orders_mine', {})], [call('orders_mine', {})], [call('orders_mine', {})]]
      const played = await framework.play(agentOf(), turns, { context: counted })
      expect(played.told.flat().map(({ text }) => text)).toEqual([
        '{"id":"s-1","total":1}',
        'The tool failed because of an internal error. Try another way.',
        '{"id":"s-3","total":1}',
      ])
    })

    it('run in parallel, and are answered under their own ids', async () => {
      const turn = [call('parcels_meet', { orderId: 'A' }), call('parcels_meet', { orderId: 'B' })]
      const played = await framework.play(agentOf(), [turn], { context })
      expect(played.told).toEqual([turn.map(({ id }) => ({ id, text: '{"place":"Rome"}' }))])
    })

    it('run the layers of all scopes once, the run outermost, under the id that the model gave', async () => {
      const entered: string[] = []
      const note =
        (scope: string): ToolLayer =>
        (next) =>
        (request) => {
          entered.push(`${scope} ${request.meta.toolCallId}`)
          return next(request)
        }
      const agent = agentOf({ toolLayer: note('tool') }).layer(note('agent'))
      const asked = call('orders_find', { orderId: 'A-1' })
      await told(agent, [asked], { context: { ...context, config: runConfig().layer(note('run')) } })
      expect(entered).toEqual([`run ${asked.id}`, `agent ${asked.id}`, `tool ${asked.id}`])
    })

    it('are denied and approved by the env of the context', async () => {
      const approve = async ({ arguments: order }: { readonly arguments: unknown }) =>
        JSON.stringify(order).includes('A-2') ? ('approve' as const) : ('deny' as const)
      const env = { approval: { approve } }
      const turn = [call('orders_cancel', { orderId: 'A-1' }), call('orders_cancel', { orderId: 'A-2' })]
      expect(await told(agentOf(), turn, { context: { ...context, env } })).toEqual([
        '{"cancelled":false}',
        '{"cancelled":true}',
      ])
      const guarded = agentOf().layer(approval({ when: ({ tool }) => tool.name === 'find' }))
      const asked = call('orders_find', { orderId: 'A-1' })
      const { told: heard } = await framework.play(guarded as BoundAgent, [[asked]], { context: { ...context, env } })
      expect(heard).toEqual([[{ id: asked.id, text: expect.stringContaining('Try another way.') }]])
    })

    it('tell the model that a call waits for somebody', async () => {
      const env = { approval: { approve: async () => 'suspend' as const } }
      const shop = new Shop()
      expect(
        await told(agentOf({ shop }), [call('orders_cancel', { orderId: 'A-1' })], { context: { ...context, env } }),
      ).toEqual(['The call waits for the approval of a person. The tool has not run.'])
      expect(shop.asked).toEqual([])
    })

    it('end the call of the service where the run is cancelled', async () => {
      const shop = new Shop()
      const controller = new AbortController()
      const outcomes: unknown[] = []
      const abortOnceAsked = async (): Promise<void> => {
        while (shop.asked.length === 0) await new Promise((resolve) => setImmediate(resolve))
        controller.abort()
      }
      const aborting: ToolLayer = (next) => (request) => {
        const outcome = next(request)
        void abortOnceAsked()
        return outcome
      }
      const run = framework.play(
        agentOf({ shop, toolLayer: aborting }),
        [[call('orders_find', { orderId: 'never' })]],
        { context, signal: controller.signal, onOutcome: (outcome) => outcomes.push(outcome) },
      )
      await run.catch(() => undefined)
      await expect.poll(() => outcomes).toMatchObject([{ status: 'failed', error: { reason: 'cancelled' } }])
      expect(shop.told).toBe(1)
    })

    it('tell of each outcome, whatever the listener does', async () => {
      const outcomes: { readonly status: string }[] = []
      await told(agentOf(), [call('orders_find', { orderId: 'A-1' }), call('orders_find', {})], {
        onOutcome: (outcome) => {
          outcomes.push(outcome)
          throw new Error('nobody cares')
        },
      })
      // Parallel calls end in any order.
      expect(outcomes.sort((one, other) => (one.status < other.status ? -1 : 1))).toMatchObject([
        { status: 'completed', result: { data: { id: 'A-1', total: 12.5 } } },
        { status: 'failed', hint: { reason: 'missing_fields' } },
      ])
    })

    it('are written in strict form where that is asked for, and take the nulls of that form', async () => {
      const shop = new Shop()
      const asked = call('orders_find', { orderId: 'A-1', quantity: null, status: null })
      const { offered, told } = await framework.play(agentOf({ shop }), [[asked]], { context, strict: true })
      expect(offered[0]?.schema).toMatchObject({
        required: ['orderId', 'quantity', 'status'],
        additionalProperties: false,
      })
      expect(told).toEqual([[{ id: asked.id, text: '{"id":"A-1","total":12.5}' }]])
      expect(shop.asked).toEqual([{ tool: 'find', payload: { orderId: 'A-1', quantity: 1 } }])
    })

    it('answer with the result of a streaming tool', async () => {
      expect(await told(agentOf(), [call('parcels_follow', { orderId: 'A' })])).toEqual(['{"place":"Rome"}'])
    })

    it('acknowledge a streaming tool in a session, and fill its id into the calls', async () => {
      const registry = new SessionRegistry({ agents: { support: agentOf() } })
      const session = await registry.open('s-9', { userId: 'u', namespaces: ['support'] })
      const turn = [call('parcels_follow', { orderId: 'A' }), call('orders_mine', {})]
      const { told } = await framework.play(session, [turn])
      expect(told[0]).toMatchObject([
        { text: expect.stringMatching(/^{"status":"streaming","callId":/) },
        { text: '{"id":"s-9","total":1}' },
      ])
      await expect.poll(() => session.hasPending()).toBe(false)
      await registry.close('s-9')
      const late = await framework.play(session, [[call('orders_mine', {})]])
      expect(late.told[0]).toMatchObject([{ text: expect.stringContaining('internal error') }])
    })
  })
}
