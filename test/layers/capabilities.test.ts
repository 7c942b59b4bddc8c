import { describe, expect, it } from 'vitest'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type ApprovalRequest,
  approval,
  type HasApproval,
  type HasClock,
  type HasLogger,
  runConfig,
  type ToolLayer,
} from '../../packages/runtime/src/index.js'
import { modes, play, type Scene, toolIn } from './modes.fixture.js'

interface HasCounter {
  readonly counter: { value: number }
}

const counting: ToolLayer<HasCounter> = (next) => async (request) => {
  request.env.counter.value += 1
  return next(request)
}

/** An approver with a rule, which keeps what it was asked. */
function approver(rule: (request: ApprovalRequest) => boolean): HasApproval & { readonly asked: ApprovalRequest[] } {
  const asked: ApprovalRequest[] = []
  const approve = async (request: ApprovalRequest): Promise<'approve' | 'deny'> => {
    asked.push(request)
    return rule(request) ? 'approve' : 'deny'
  }
  return { asked, approval: { approve } }
}

const denied = { status: 'failed', hint: { reason: 'denied', action: 'replan' } }

describe.each(modes)('capabilities, %s', (mode) => {
  /** The layer at each scope in turn. */
  const scopes = (execute: () => unknown): readonly Scene[] => [
    { tools: [toolIn(mode, execute).layer(approval())] },
    { tools: [toolIn(mode, execute)], agent: (agent) => agent.layer(approval()) },
    { tools: [toolIn(mode, execute)], config: runConfig().layer(approval()) },
  ]

  it('approval_layer_denies_without_capability', async () => {
    let executed = 0
    for (const scene of scopes(() => (executed += 1))) {
      const { outcomes, run } = await play(mode, scene)
      for (const outcome of outcomes) expect(outcome).toMatchObject({ ...denied, provenance: { attempts: 0 } })
      expect(run).toMatchObject({ status: 'completed', result: { text: 'done' } })
    }
    expect(executed).toBe(0)
  })

  it('approval_layer_allows_with_capability', async () => {
    for (const scene of scopes(() => ({ id: 'A', total: 1 }))) {
      const { asked, ...env } = approver(() => true)
      const { outcomes } = await play(mode, { ...scene, env })
      for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'completed' })
      expect(asked).toHaveLength(outcomes.length)
      expect(asked[0]).toMatchObject({ agent: 'support', tool: 'orders.getOrder', arguments: { orderId: 'A' } })
    }
  })

  it('custom_env_approval_denied', async () => {
    let executed = 0
    for (const scene of scopes(() => (executed += 1))) {
      const approve: HasApproval['approval']['approve'] = async () => ({ decision: 'deny', reason: 'Not on Sundays.' })
      const { outcomes } = await play(mode, { ...scene, env: { approval: { approve } } })
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ ...denied, hint: { reason: 'denied', message: 'Not on Sundays.' } })
      }
    }
    expect(executed).toBe(0)
  })

  it('custom_env_approval_allowed', async () => {
    const env = approver(({ tool, arguments: payload }) => {
      return tool === 'orders.getOrder' && JSON.stringify(payload) === '{"orderId":"A","quantity":1}'
    })
    for (const scene of scopes(() => ({ id: 'A', total: 1 }))) {
      const { outcomes } = await play(mode, { ...scene, env })
      for (const outcome of outcomes)
        expect(outcome).toMatchObject({ status: 'completed', result: { data: { id: 'A' } } })
    }
  })

  it('custom_env_layers', async () => {
    const lines: string[] = []
    const log = (message: string): number => lines.push(message)
    const env = {
      clock: { now: () => 5, sleep: async () => undefined },
      logger: { debug: log, info: log, warn: log, error: log },
    }
    const logs: ToolLayer<HasLogger & HasClock> = (next) => async (request) => {
      const outcome = await next(request)
      request.env.logger.info(`${request.env.clock.now()} ${request.tool.id} ${outcome.status}`)
      return outcome
    }
    const { outcomes } = await play(mode, { tools: [toolIn(mode)], agent: (agent) => agent.layer(logs), env })
    expect(lines).toEqual(outcomes.map(() => '5 orders.getOrder completed'))
  })

  it('env_reaches_every_call', async () => {
    const env = { counter: { value: 0 } }
    const seen = new Set<unknown>()
    const keeps: ToolLayer = (next) => (request) => {
      seen.add(request.env)
      return next(request)
    }
    const { outcomes } = await play(mode, {
      tools: [toolIn(mode).layer(keeps)],
      agent: (agent) => agent.layer(keeps).layer(counting),
      config: runConfig().layer(keeps),
      env,
    })
    expect(env.counter.value).toBe(outcomes.length)
    expect([...seen]).toEqual([env])
    expect([...seen][0]).toBe(env)
  })

  it('counter_capability_shared_across_scopes', async () => {
    const env = { counter: { value: 0 } }
    const { outcomes } = await play(mode, {
      tools: [toolIn(mode).layer(counting)],
      agent: (agent) => agent.layer(counting),
      config: runConfig().layer(counting),
      env,
    })
    expect(env.counter.value).toBe(3 * outcomes.length)
  })

  it('approval_capability', async () => {
    const executed: string[] = []
    const streams = mode === 'streaming' ? { updates: { type: 'integer' } } : {}
    const toolNamed = (name: string) =>
      registrationOf(toolOf(`${name}.run`, { spec: { toolName: name, ...streams } }), async (request) => {
        if (mode === 'streaming') await request.emit(1)
        executed.push(name)
        return { id: name, total: 1 }
      })
    const scene: Scene = {
      tools: [toolNamed('harmless'), toolNamed('dangerous')],
      agent: (agent) => agent.layer(approval()),
      env: approver(({ tool }) => tool !== 'dangerous.run'),
    }
    const call = (tool: string) => ({ tool, arguments: '{"orderId":"A"}' })
    const bad = await play(mode, { ...scene, call: call('dangerous') })
    expect(executed).toEqual([])
    for (const outcome of bad.outcomes) expect(outcome).toMatchObject(denied)
    const good = await play(mode, { ...scene, call: call('harmless') })
    for (const outcome of good.outcomes) expect(outcome).toMatchObject({ status: 'completed' })
    expect(executed).toEqual(good.outcomes.map(() => 'harmless'))
  })
})
