import { describe, expect, it } from 'vitest'
import { answer, callTools, type PendingAnswer } from '../../packages/runtime/src/agents.js'
import {
  type ApprovalDecision,
  type ApprovalRequest,
  approval,
  type HasApproval,
  retry,
  runConfig,
  type ToolLayer,
  type ToolsetRegistration,
  transformOutput,
} from '../../packages/runtime/src/index.js'
import { agentOver, caller, modes, play } from './played.js'
import type { Provider } from './provider.js'
import { cancel, find } from './shop.js'

const call = find.call({ orderId: 'A-1' })

/** Tests of layers around tools: their order, and the built-in layers. */
export function layersSuite(provider: Provider): void {
  describe.each(modes)('layers around a call: %s', (mode) => {
    it('stand in the order run, agent, tool, base', async () => {
      const passed: string[] = []
      const told =
        (name: string): ToolLayer =>
        (next) =>
        async (request) => {
          // Layers of a run also apply to nested calls. Ignores the calls of the agent's own tools.
          const isOurs = request.tool.toolset === 'orders'
          if (isOurs) passed.push(name)
          const outcome = await next(request)
          if (isOurs) passed.push(`/${name}`)
          return outcome
        }
      const { shop } = await play(
        provider,
        {
          calls: [call],
          layers: (tools) => tools.layer(told('base')).layer(told('tool')),
          agent: (agent) => agent.layer(told('agent')),
          config: runConfig().layer(told('run')),
        },
        mode,
      )
      expect(passed).toEqual(['run', 'agent', 'tool', 'base', '/base', '/tool', '/agent', '/run'])
      expect(shop.asked).toHaveLength(1)
    })

    it('try a tool again, and count the attempts', async () => {
      const layers = (tools: ToolsetRegistration): ToolsetRegistration => tools.layer(retry({ delayMs: () => 0 }))
      const { outcomes, shop } = await play(provider, { calls: [find.call({ orderId: 'flaky' })], layers }, mode)
      expect(outcomes).toMatchObject([{ status: 'completed', provenance: { attempts: 2 } }])
      expect(shop.asked).toHaveLength(2)
      const given = await play(provider, { calls: [find.call({ orderId: 'away' })], layers }, mode)
      expect(given.outcomes).toMatchObject([{ hint: { reason: 'unavailable' }, provenance: { attempts: 2 } }])
    })

    it('change what a model reads, and not the result', async () => {
      const layers = (tools: ToolsetRegistration): ToolsetRegistration => tools.layer(transformOutput(() => '"short"'))
      const { outcomes, texts } = await play(provider, { calls: [call], layers }, mode)
      expect(texts).toEqual(['"short"'])
      expect(outcomes).toMatchObject([{ result: { data: { id: 'A-1', total: 12.5 } } }])
    })

    it('answer in place of the tool', async () => {
      const layers = (tools: ToolsetRegistration): ToolsetRegistration =>
        tools.layer(() => async (request) => request.complete({ id: 'cached', total: 0 }))
      const { outcomes, shop } = await play(provider, { calls: [call], layers }, mode)
      expect(outcomes).toMatchObject([{ status: 'completed', json: '{"id":"cached","total":0}' }])
      expect(shop.asked).toEqual([])
    })

    it.each<ApprovalDecision>(['approve', 'deny', { decision: 'deny', reason: 'Too late.' }, 'suspend'])(
      'ask a person once: %o',
      async (decision) => {
        const { outcomes, asked, shop } = await confirmed(provider, decision, mode)
        expect(asked).toMatchObject([{ tool: 'orders.cancel', arguments: { orderId: 'A-1' }, agent: 'support' }])
        expect(asked[0]?.prompt).toBe(provider.lacks.confirmation ? undefined : 'Cancel A-1?')
        expect(shop.asked).toHaveLength(decision === 'approve' ? 1 : 0)
        const declined = provider.lacks.confirmation
          ? { status: 'failed', hint: { reason: 'denied' } }
          : { status: 'completed', json: '{"cancelled":false}' }
        if (decision === 'approve') expect(outcomes).toMatchObject([{ json: '{"cancelled":true}' }])
        else if (decision === 'suspend') expect(outcomes).toMatchObject([{ suspension: { kind: 'approval' } }])
        else expect(outcomes).toMatchObject([declined])
      },
    )
  })

  it('a call that waits is resumed once: approved it runs, declined it does not, answered elsewhere neither', async () => {
    const answers: readonly PendingAnswer[] = ['approve', 'deny', { result: { cancelled: true } }]
    for (const decision of answers) {
      const { support, shop } = agentOver(provider, { layers: confirming(provider) }, ({ turn }) =>
        turn === 1 ? callTools({ ...cancel.call({ orderId: 'A-1' }), toolCallId: 'c' }) : answer('done'),
      )
      const given = { ...caller, env: { approval: { approve: async () => 'suspend' } } }
      const { suspension } = await support.run('?', given)
      if (suspension === undefined) throw new Error('nothing waits')
      const json = JSON.stringify(suspension)
      const runs = await Promise.all([1, 2].map(() => support.resume(JSON.parse(json), { c: decision }, given)))
      expect(runs.map(({ status }) => status)).toEqual(['completed', 'failed'])
      expect(shop.asked).toHaveLength(decision === 'approve' ? 1 : 0)
      const declined = provider.lacks.confirmation ? undefined : '{"cancelled":false}'
      const [outcome] = runs[0]?.outcomes ?? []
      const read = outcome?.status === 'completed' ? outcome.json : undefined
      expect(read).toBe(decision === 'deny' ? declined : '{"cancelled":true}')
    }
  })

  it('a layer that ends the run does, with its value, once', async () => {
    const { support, shop } = agentOver(
      provider,
      {
        agent: (agent) =>
          agent.layer((next) => async (request) => {
            const outcome = await next(request)
            return { ...outcome, stop: { reason: 'final', value: 'enough' } }
          }),
      },
      () => ({ kind: 'calls', calls: [call] }),
    )
    const run = await support.run('?', { ...caller, env: {} })
    expect(run).toMatchObject({ status: 'completed', stop: { reason: 'final' }, result: { value: 'enough' } })
    expect(shop.asked).toHaveLength(1)
  })
}

/** Requires an approval: in the design if the provider supports this, otherwise with a layer. */
function confirming({ lacks }: Provider): (tools: ToolsetRegistration<any>) => ToolsetRegistration<any> {
  const asks = approval({ when: ({ tool }) => tool.name === 'cancel' })
  return (tools) => (lacks.confirmation === undefined ? tools : tools.layer(asks))
}

async function confirmed(provider: Provider, decision: ApprovalDecision, mode: (typeof modes)[number]) {
  const asked: ApprovalRequest[] = []
  const approve = async (request: ApprovalRequest): Promise<ApprovalDecision> => {
    asked.push(request)
    return decision
  }
  const env: HasApproval = { approval: { approve } }
  const played = await play(
    provider,
    { calls: [cancel.call({ orderId: 'A-1' })], layers: confirming(provider), env },
    mode,
  )
  return { ...played, asked }
}
