import { afterEach, describe, expect, it, vi } from 'vitest'
import { getOrder, registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type ApprovalDecision,
  type ApprovalRequest,
  approval,
  inputSchema,
  Runtime,
  retry,
  runConfig,
  stack,
  ToolFailure,
  type ToolLayer,
  type ToolOutcome,
  timeout,
  tool,
  toolset,
  tracing,
  transformOutput,
} from '../../packages/runtime/src/index.js'
import type { TraceSpan } from '../../packages/runtime/src/layers/built-in.js'
import { agentOf, callOf, later, never, order } from '../runs/agents.fixture.js'

afterEach(() => void vi.useRealTimers())

/** The outcome of one call with the layer at each of the four scopes. */
async function atEachScope(
  layer: ToolLayer<any>,
  execute: () => unknown,
  env?: unknown,
): Promise<readonly ToolOutcome[]> {
  // `any`: what the layer needs is given as `env`
  const registration = registrationOf(getOrder, execute)
  const own = registration.tool(getOrder, (each) => each.layer(layer))
  const options: any = { env }
  const agent: any = agentOf(execute)
  return [
    await new Runtime().registerToolset(registration.layer(layer)).execute(callOf(), options),
    await new Runtime().registerToolset(own).execute(callOf(), options),
    await agent.layer(layer).execute(callOf(), options),
    await agent.execute(callOf(), { ...options, config: runConfig().layer(layer) }),
  ]
}

describe('timeout', () => {
  it('ends a call of a tool that never settles, at each scope', async () => {
    for (const outcome of await atEachScope(timeout(10), never)) {
      expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'timeout', action: 'replan' } })
    }
  })

  it('lets quick calls pass, at each scope', async () => {
    for (const outcome of await atEachScope(timeout(1_000), () => order)) expect(outcome.status).toBe('completed')
  })

  it('aborts the signal of the tool with a TimeoutError', async () => {
    const reasons: unknown[] = []
    const agent = agentOf(async ({ meta }) => {
      meta.signal.addEventListener('abort', () => reasons.push(meta.signal.reason))
      return never()
    })
    await agent.layer(timeout(10)).execute(callOf())
    expect(reasons).toMatchObject([{ name: 'TimeoutError' }])
  })

  it('passes the abort of the caller on, which is no time-out', async () => {
    let aborted = false
    const agent = agentOf(({ meta }) => {
      meta.signal.addEventListener('abort', () => {
        aborted = true
      })
      return never()
    })
    const controller = new AbortController()
    const call = agent.layer(timeout(5_000)).execute(callOf(), { signal: controller.signal })
    await later(5, undefined)
    controller.abort()
    expect(await call).toMatchObject({ hint: { reason: 'cancelled' } })
    expect(aborted).toBe(true)
  })

  it('of several takes the shortest', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const agent = agentOf(never).layer(timeout(5_000)).layer(timeout(15)).layer(timeout(9_000))
    const call = agent.execute(callOf())
    await vi.advanceTimersByTimeAsync(15)
    expect(await call).toMatchObject({ hint: { reason: 'timeout' } })
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([-1, Number.NaN, 2 ** 31, Number.POSITIVE_INFINITY])('takes no %d ms', (milliseconds) => {
    expect(() => timeout(milliseconds)).toThrow(RangeError)
  })
})

describe('approval', () => {
  const confirmed = toolOf<{ orderId: string }, unknown>('orders.getOrder', {
    spec: { confirmation: { prompt: 'Look up {{orderId}}?', deniedResult: { id: '-', total: 0 } } },
  })
  const asking = (decision: unknown) => {
    const asked: ApprovalRequest[] = []
    const approve = async (request: ApprovalRequest): Promise<ApprovalDecision> => {
      asked.push(request)
      return decision as ApprovalDecision
    }
    return { asked, env: { approval: { approve } } }
  }

  it('runs, denies or suspends at each scope', async () => {
    const statuses = async (decision: unknown): Promise<readonly string[]> =>
      (await atEachScope(approval(), () => order, asking(decision).env)).map(({ status }) => status)
    expect(await statuses('approve')).toEqual(['completed', 'completed', 'completed', 'completed'])
    expect(await statuses('deny')).toEqual(['failed', 'failed', 'failed', 'failed'])
    expect(await statuses('suspend')).toEqual(['suspended', 'suspended', 'suspended', 'suspended'])
  })

  it('asks once about a call that is retried, and again about other arguments', async () => {
    const { asked, env } = asking('approve')
    let tried = 0
    const execute = (): unknown => {
      tried += 1
      if (tried < 3) throw new ToolFailure('busy', { reason: 'unavailable', action: 'wait', retryAfterMs: 0 })
      return order
    }
    const agent = agentOf(execute)
      .layer(approval())
      .layer(retry({ attempts: 3 }))
    expect(await agent.execute(callOf(), { env })).toMatchObject({ status: 'completed', provenance: { attempts: 3 } })
    expect(asked).toHaveLength(1)

    const twice: ToolLayer = (next) => async (request) => {
      await next(request.withArguments('{"orderId":"first"}'))
      return next(request.again().withArguments('{"orderId":"second"}'))
    }
    await agentOf(() => order)
      .layer(approval())
      .layer(twice)
      .execute(callOf(), { env })
    expect(asked.slice(1).map((each) => each.arguments)).toMatchObject([{ orderId: 'first' }, { orderId: 'second' }])
  })

  it.each([undefined, null, true, 'yes', {}, { decision: 'yes' }])('takes %j for a no', async (decision) => {
    for (const outcome of await atEachScope(approval(), () => order, asking(decision).env)) {
      expect(outcome).toMatchObject({ hint: { reason: 'denied' }, provenance: { attempts: 0 } })
    }
  })

  it('asks nobody about an invalid call', async () => {
    const { asked, env } = asking('approve')
    const outcome = await agentOf(() => order)
      .layer(approval())
      .execute({ tool: 'orders.getOrder', arguments: '{}' }, { env })
    expect(outcome).toMatchObject({ hint: { reason: 'missing_fields' } })
    expect(asked).toEqual([])
  })

  it('of a confirmed tool comes with its registration, and answers with the denied result', async () => {
    const { asked, env } = asking('deny')
    const orders = new Runtime().registerToolset(registrationOf(confirmed, () => order))
    expect(await orders.execute(confirmed.call({ orderId: 'A' }), { env })).toMatchObject({
      status: 'completed',
      result: { data: { id: '-', total: 0 } },
      provenance: { attempts: 0 },
    })
    expect(asked).toMatchObject([{ prompt: 'Look up A?', title: 'getOrder' }])
    expect(await orders.execute(confirmed.call({ orderId: 'A' }))).toMatchObject({ result: { data: { id: '-' } } })
  })

  it('asks only about the selected tools', async () => {
    const spared = approval({ when: ({ tool }) => tool.annotations.destructive === true })
    for (const outcome of await atEachScope(spared, () => order)) expect(outcome.status).toBe('completed')
  })

  it('gives the approver arguments that the tool does not share', async () => {
    const seen: unknown[] = []
    const agent = agentOf(async ({ payload }) => {
      seen.push(await payload())
      return order
    }).layer(approval())
    const approve = async ({ arguments: shown }: ApprovalRequest): Promise<'approve'> => {
      Reflect.set(Object(shown), 'orderId', '***')
      return 'approve'
    }
    await agent.execute(callOf('A-7'), { env: { approval: { approve } } })
    expect(seen).toMatchObject([{ orderId: 'A-7' }])
  })

  it('fails a call whose approver throws, without its words', async () => {
    const approve = (): never => {
      throw new Error('secret at /etc/approvals')
    }
    const outcome = await agentOf(() => order)
      .layer(approval())
      .execute(callOf(), { env: { approval: { approve } } })
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'internal' }, provenance: { attempts: 0 } })
    expect(JSON.stringify(outcome)).not.toContain('secret')
  })
})

describe('inputSchema', () => {
  const parameters = {
    type: 'object',
    properties: { city: { type: 'string', maxLength: 5 }, days: { type: 'integer' } },
    required: ['city'],
    additionalProperties: false,
  }
  const weather = tool({ name: 'weather', description: '', parameters, run: (args) => args })
  const sent = (mode: 'strict' | 'lenient', json: string): Promise<ToolOutcome> =>
    new Runtime()
      .registerToolset(toolset('local', weather.layer(inputSchema(mode))))
      .execute({ tool: 'weather', arguments: json })

  it.each([
    ['{"city":"Kyiv"}', 'completed', 'completed'],
    ['{"city":"Kyiv","more":1}', 'failed', 'completed'],
    ['{"city":"Kharkiv"}', 'failed', 'completed'],
    ['{"days":1}', 'failed', 'failed'],
    ['{"city":1}', 'failed', 'failed'],
    ['{"city":"Kyiv","days":"1"}', 'failed', 'failed'],
    ['[]', 'failed', 'failed'],
  ])('%s: strict %s, lenient %s', async (json, strict, lenient) => {
    expect((await sent('strict', json)).status).toBe(strict)
    expect((await sent('lenient', json)).status).toBe(lenient)
  })

  it('does nothing around a generated tool', async () => {
    for (const outcome of await atEachScope(inputSchema('strict'), () => order))
      expect(outcome.status).toBe('completed')
  })
})

describe('tracing and transformOutput', () => {
  it('tell and change at each scope', async () => {
    const spans: TraceSpan[] = []
    const both = stack(
      tracing((span) => spans.push(span)),
      transformOutput((json) => `[${json}]`),
    )
    for (const outcome of await atEachScope(both, () => order)) {
      expect(outcome).toMatchObject({ json: '[{"id":"A-1","total":12.5}]', result: { data: order } })
    }
    expect(spans).toHaveLength(4)
    expect(spans[0]).toMatchObject({ call: { tool: 'orders.getOrder' }, attempt: 1, status: 'completed' })
  })

  it('harm no call when their functions throw', async () => {
    const fails = (): never => {
      throw new Error('secret')
    }
    for (const { status } of await atEachScope(tracing(fails), () => order)) expect(status).toBe('completed')
    for (const layer of [transformOutput(fails), transformOutput((() => undefined) as never)]) {
      for (const outcome of await atEachScope(layer, () => order)) {
        expect(outcome).toMatchObject({ hint: { reason: 'internal' } })
        expect(JSON.stringify(outcome)).not.toContain('secret')
      }
    }
  })
})
