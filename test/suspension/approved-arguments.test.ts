import { describe, expect, it } from 'vitest'
import { registrationOf, toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type Agent,
  type AgentRun,
  base,
  type RunSuspension,
  useHook,
  usePlanner,
} from '../../packages/runtime/src/agents.js'
import { agentToolsetRegistration } from '../../packages/runtime/src/executors/agent-toolset.js'
import {
  type ApprovalDecision,
  type ApprovalRequest,
  approval,
  type BoundAgent,
  type ExecutorRequest,
  type HasApproval,
  Runtime,
  type ToolLayer,
} from '../../packages/runtime/src/index.js'
import { agents, onceThen, supportAgent } from '../nested/agents.fixture.js'
import { agentOf, callOf, callsAtOnce, order } from '../runs/agents.fixture.js'

const stored = ({ suspension }: AgentRun): RunSuspension => JSON.parse(JSON.stringify(suspension))

/** An approver that decides by a function and records what it was asked about. */
function approver(decide: (request: ApprovalRequest) => ApprovalDecision) {
  const asked: string[] = []
  const approve: HasApproval['approval']['approve'] = async (request) => {
    asked.push(`${request.agent} ${JSON.stringify(request.arguments)}`)
    return decide(request)
  }
  return { asked, env: { approval: { approve } } }
}

/** Retries a failed call once, with the given arguments. */
const retriedWith =
  (sent: string): ToolLayer =>
  (next) =>
  async (request) => {
    const outcome = await next(request)
    return outcome.status === 'failed' ? next(request.again().withArguments(sent)) : outcome
  }

/** Changes the arguments of each call. */
const changedTo =
  (sent: () => string): ToolLayer =>
  (next) =>
  (request) =>
    next(request.withArguments(sent()))

/** An executor that records the order ids it looked up. */
function lookup(ran: string[]) {
  return async ({ payload }: ExecutorRequest): Promise<typeof order> => {
    ran.push(((await payload()) as { readonly orderId: string }).orderId)
    return order
  }
}

/** An inner agent whose calls wait for approval and whose service is away. */
const failing = () => ({
  around: (research: BoundAgent) => research.layer(approval()) as BoundAgent,
  execute: () => {
    throw Object.assign(new Error('away'), { status: 503, headers: {} })
  },
})

describe('the approval of a call whose nested run was resumed', () => {
  const decide = ({ agent }: ApprovalRequest): ApprovalDecision => (agent === 'support' ? 'approve' : 'suspend')

  const resumedWith = async (retry: string) => {
    const { support } = agents(failing())
    const guarded = support.layer(approval()).layer(retriedWith(retry)) as BoundAgent
    const run = await guarded.run('?', { env: approver(decide).env })
    const { asked, env } = approver(({ agent }) => (agent === 'support' ? 'deny' : 'approve'))
    const resumed = await guarded.resume(stored(run), { 'outer-1/inner-A': 'approve' }, { env })
    return { asked, resumed }
  }

  it('defect 1: does not cover a retry with other arguments', async () => {
    const { asked, resumed } = await resumedWith('{"topic":"the payroll"}')
    expect(asked).toEqual(['support {"topic":"the payroll"}'])
    expect(resumed.outcomes).toMatchObject([{ status: 'failed', hint: { reason: 'denied' } }])
  })

  it('defect 1: counts for the first attempt only, also where the arguments are equal', async () => {
    const { asked, resumed } = await resumedWith('{"topic":"lamps"}')
    expect(asked).toEqual(['support {"topic":"lamps"}'])
    expect(resumed.outcomes).toMatchObject([{ status: 'failed', hint: { reason: 'denied' } }])
  })

  it('defect 1: does not cover other arguments of the first attempt, which start another nested run', async () => {
    const ran: string[] = []
    const { support, asked: planned } = agents({ ...failing(), execute: lookup(ran) })
    let topic = '{"topic":"lamps"}'
    const guarded = support.layer(approval()).layer(changedTo(() => topic)) as BoundAgent
    const run = await guarded.run('?', { env: approver(decide).env })
    topic = '{"topic":"the payroll"}'
    const { asked, env } = approver(decide)
    const resumed = await guarded.resume(stored(run), { 'outer-1/inner-A': 'approve' }, { env })
    expect(asked).toEqual(['support {"topic":"the payroll"}', 'research {"orderId":"A","quantity":1}'])
    expect([resumed.status, ran]).toEqual(['suspended', []])
    expect(planned.at(-1)?.messages.at(-1)?.content).toContain('the payroll')
  })

  it('defect 1: does not cover a retry in the middle of three agents', async () => {
    const runtime = new Runtime()
    const { support } = agents({ runtime, ...failing() })
    const middle = support.layer(approval()).layer(retriedWith('{"topic":"the payroll"}')) as BoundAgent
    const desk = toolOf('desk.serve', { arguments: {}, spec: { description: 'Serve.' } })
    const boss = runtime
      .registerAgent(
        { name: 'boss', description: 'Delegates.' },
        [agentToolsetRegistration({ toolset: toolsetOf(desk), agent: supportAgent }, middle)],
        { planner: onceThen([{ tool: 'desk.serve', arguments: '{"a":1}', toolCallId: 'top' }]) },
      )
      .layer(approval())
      .layer(retriedWith('{"a":2}')) as BoundAgent
    const first = approver(({ agent }) => (agent === 'research' ? 'suspend' : 'approve'))
    const run = await boss.run('?', { env: first.env })
    expect(first.asked).toHaveLength(3)
    const { asked, env } = approver(() => 'deny')
    const resumed = await boss.resume(stored(run), { 'top/outer-1/inner-A': 'approve' }, { env })
    expect(asked).toEqual(['support {"topic":"the payroll"}', 'boss {"a":2}'])
    expect(resumed.outcomes).toMatchObject([{ hint: { reason: 'denied' } }])
  })
})

describe('arguments that a layer below approval() changes', () => {
  const setting = () => {
    const ran: string[] = []
    const guarded = agentOf(lookup(ran), { planner: callsAtOnce(callOf('A', 'one')) })
      .layer(changedTo(() => '{"orderId":"B"}'))
      .layer(approval()) as BoundAgent
    return { ran, guarded }
  }

  it('defect 1: are asked about before the tool runs', async () => {
    const { ran, guarded } = setting()
    const no = approver((request) => (JSON.stringify(request.arguments).includes('"A"') ? 'approve' : 'deny'))
    await guarded.run('?', { env: no.env })
    expect([no.asked.length, ran]).toEqual([2, []])
    const yes = approver(() => 'approve')
    await guarded.run('?', { env: yes.env })
    expect(yes.asked).toEqual(['support {"orderId":"A","quantity":1}', 'support {"orderId":"B","quantity":1}'])
    expect(ran).toEqual(['B'])
  })

  it('defect 1: are asked about in a resumed run; an approver that suspends again is asked once about each', async () => {
    const { ran, guarded } = setting()
    const { env } = approver(() => 'suspend')
    const run = await guarded.run('?', { env })
    expect(run.suspension?.pending).toMatchObject([{ arguments: '{"orderId":"A"}' }])
    const denied = approver(() => 'deny')
    await guarded.resume(stored(run), { one: 'approve' }, { env: denied.env })
    expect([denied.asked, ran]).toEqual([['support {"orderId":"B","quantity":1}'], []])
    const again = await guarded.run('?', { env })
    const changed = await guarded.resume(stored(again), { one: 'approve' }, { env })
    expect(changed.suspension?.pending).toMatchObject([{ arguments: '{"orderId":"B"}' }])
    expect(ran).toEqual([])
    expect((await guarded.resume(stored(changed), { one: 'approve' }, { env })).status).toBe('completed')
    expect(ran).toEqual(['B'])
  })

  describe('between two approval layers', () => {
    const between = (sent: () => string) => {
      const ran: string[] = []
      const inner = agentOf(lookup(ran), { planner: callsAtOnce(callOf('A', 'one')) }).layer(approval())
      return { ran, guarded: inner.layer(changedTo(sent)).layer(approval()) as BoundAgent }
    }
    const { env } = approver(() => 'suspend')

    it('are approved in turn, each once, and the outcome has the approval of what ran', async () => {
      const { ran, guarded } = between(() => '{"orderId":"B"}')
      const first = await guarded.run('?', { env })
      expect(first.suspension?.pending).toMatchObject([{ arguments: '{"orderId":"A"}' }])
      const second = await guarded.resume(stored(first), { one: { decision: 'approve', by: 'Ada' } }, { env })
      expect(second.suspension?.pending).toMatchObject([{ arguments: '{"orderId":"B"}' }])
      const last = await guarded.resume(stored(second), { one: { decision: 'approve', by: 'Bo' } }, { env })
      expect(last.outcomes).toMatchObject([{ status: 'completed', provenance: { approval: { by: 'Bo' } } }])
      expect(ran).toEqual(['B'])
    })

    it('are each approved once where the tool is an agent whose own call waits too', async () => {
      const ran: string[] = []
      const { support } = agents({
        around: (research) => research.layer(approval()) as BoundAgent,
        execute: lookup(ran),
      })
      const guarded = support
        .layer(approval())
        .layer(changedTo(() => '{"topic":"the payroll"}'))
        .layer(approval()) as BoundAgent
      let run = await guarded.run('?', { env })
      const asked: string[] = []
      while (run.suspension !== undefined && asked.length < 5) {
        const [{ id, arguments: sent } = { id: '', arguments: '' }] = run.suspension.pending
        asked.push(`${id} ${sent}`)
        run = await guarded.resume(stored(run), { [id]: 'approve' }, { env })
      }
      expect(asked).toEqual([
        'outer-1 {"topic":"lamps"}',
        'outer-1 {"topic":"the payroll"}',
        'outer-1/inner-A {"orderId":"A"}',
      ])
      expect([run.status, ran]).toEqual(['completed', ['A']])
    })

    it('can be edited in each turn', async () => {
      const { ran, guarded } = between(() => '{"orderId":"B"}')
      const edit = (orderId: string) => ({ one: { decision: 'approve', arguments: { orderId, quantity: 1 } } }) as const
      const second = await guarded.resume(stored(await guarded.run('?', { env })), edit('A2'), { env })
      expect(second.suspension?.pending).toMatchObject([{ arguments: '{"orderId":"B"}' }])
      expect((await guarded.resume(stored(second), edit('B2'), { env })).status).toBe('completed')
      expect(ran).toEqual(['B2'])
    })

    it('that were approved before do not run after a denial, even where the layer no longer changes them', async () => {
      let sent = '{"orderId":"B"}'
      const { ran, guarded } = between(() => sent)
      const second = await guarded.resume(stored(await guarded.run('?', { env })), { one: 'approve' }, { env })
      sent = '{"orderId":"A"}'
      const last = await guarded.resume(stored(second), { one: 'deny' }, { env })
      expect(last.outcomes).toMatchObject([{ status: 'failed', hint: { reason: 'denied' } }])
      expect(ran).toEqual([])
    })

    it('are asked about again where they are still other ones', async () => {
      let sent = '{"orderId":"B"}'
      const { ran, guarded } = between(() => sent)
      const second = await guarded.resume(stored(await guarded.run('?', { env })), { one: 'approve' }, { env })
      sent = '{"orderId":"C"}'
      const third = await guarded.resume(stored(second), { one: 'approve' }, { env })
      expect(third.suspension?.pending).toMatchObject([{ arguments: '{"orderId":"C"}' }])
      expect(ran).toEqual([])
      expect((await guarded.resume(stored(third), { one: 'approve' }, { env })).status).toBe('completed')
      expect(ran).toEqual(['C'])
    })
  })

  it('defect 1: are asked about where a hook changes them', async () => {
    const ran: string[] = []
    const agent = base()
      .with(usePlanner(callsAtOnce(callOf('A', 'one'))))
      .with(useHook('beforeTool', () => ({ arguments: '{"orderId":"B"}' })))
      .build()
    const guarded = agentOf(lookup(ran), { agent }).layer(approval()) as BoundAgent
    const { asked, env } = approver(({ arguments: sent }) =>
      JSON.stringify(sent).includes('"A"') ? 'approve' : 'deny',
    )
    await guarded.run('?', { env })
    expect([asked.length, ran]).toEqual([2, []])
  })

  it('are not asked about again where a retry has the approved ones', async () => {
    let tries = 0
    const away = () => {
      tries += 1
      if (tries === 1) throw Object.assign(new Error('away'), { status: 503, headers: {} })
      return order
    }
    const guarded = agentOf(away, { planner: callsAtOnce(callOf('A', 'one')) })
      .layer(approval())
      .layer(retriedWith('{"orderId":"A"}')) as BoundAgent
    const { asked, env } = approver(() => 'approve')
    expect((await guarded.run('?', { env })).outcomes).toMatchObject([{ status: 'completed' }])
    expect([asked.length, tries]).toEqual([1, 2])
  })
})

describe('the result of decode()', () => {
  const when = { type: 'string', format: 'date-time', 'x-js': 'Date' } as const
  const bytes = { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' } as const
  const report = toolOf('reports.send', {
    arguments: { type: 'object', properties: { to: { type: 'string' }, when, bytes }, required: ['to'] },
    result: {},
  })

  /** An agent whose tool records what it runs with, and a layer or hook below approval() that changes what it read. */
  const setting = (change: (decoded: any) => void, sent: unknown) => {
    const ran: unknown[] = []
    const parts = { planner: callsAtOnce(report.call(sent, { toolCallId: 'one' })) }
    const run = async ({ payload }: ExecutorRequest): Promise<null> => {
      ran.push(await payload())
      return null
    }
    const agentWith = (agent?: Agent<any>) =>
      new Runtime().registerAgent(
        { name: 'support', description: 'Sends.' },
        [registrationOf(report, run)],
        agent === undefined ? parts : { agent },
      )
    const changing: ToolLayer = (next) => async (request) => {
      change(await request.decode())
      return next(request)
    }
    const hook = base()
      .with(usePlanner(parts.planner))
      .with(useHook('beforeTool', async ({ decode }) => change(await decode())))
      .build()
    return {
      ran,
      agents: [
        agentWith().layer(changing).layer(approval()),
        agentWith().layer(approval()).layer(changing),
        agentWith(hook).layer(approval()),
      ] as readonly BoundAgent[],
    }
  }
  const good = { to: 'GOOD' }
  const evil = { to: 'EVIL' }

  /** Outcomes and asked payloads of live and of resumed runs. */
  const runsOf = async (agent: BoundAgent) => {
    const asked: unknown[] = []
    const decide = (decision: ApprovalDecision): HasApproval => ({
      approval: {
        approve: async ({ arguments: payload }) => {
          asked.push(payload)
          return decision
        },
      },
    })
    const live = await agent.run('?', { env: decide('approve') })
    const waiting = await agent.run('?', { env: decide('suspend') })
    const resumed = await (waiting.status === 'suspended'
      ? agent.resume(stored(waiting), { one: 'approve' }, { env: decide('approve') })
      : waiting)
    return { asked, outcomes: [...live.outcomes, ...resumed.outcomes] }
  }

  it.each([
    ['value', (decoded: any) => void Object.assign(decoded, { value: evil })],
    ['ok', (decoded: any) => void Object.assign(decoded, { ok: false })],
    ['a field', (decoded: any) => void Object.assign(decoded.value, evil)],
  ])(
    'defect 1: is frozen: a call whose layer or hook assigns %s fails, and its tool does not run',
    async (_, change) => {
      const { ran, agents: all } = setting(change, good)
      for (const agent of all) {
        const { asked, outcomes } = await runsOf(agent)
        expect(outcomes).toMatchObject([
          { status: 'failed', hint: { reason: 'internal' } },
          { status: 'failed', hint: { reason: 'internal' } },
        ])
        for (const { error } of outcomes.filter(({ status }) => status === 'failed') as any[]) {
          expect(String(error.cause)).toContain('read only property')
        }
        for (const each of asked) expect(each).toEqual(good)
      }
      expect(ran).toEqual([])
    },
  )

  it('defect 1: is a copy for each reader: a changed date or changed bytes neither reach the approver nor the tool', async () => {
    const sent = { to: 'GOOD', when: new Date(0), bytes: Uint8Array.of(1) }
    const { ran, agents: all } = setting(({ value }) => {
      value.when.setTime(1)
      value.bytes[0] = 2
      Reflect.set(value, 'to', 'EVIL')
    }, sent)
    for (const agent of all) {
      const { asked, outcomes } = await runsOf(agent)
      expect(outcomes.map(({ status }) => status)).toEqual(['completed', 'completed'])
      for (const each of asked) expect(each).toEqual(sent)
    }
    expect(ran).toEqual(Array(6).fill(sent))
  })

  it('defect 1: keeps the issues of arguments that do not decode: no layer makes them valid, or hides an issue', async () => {
    const ran: unknown[] = []
    const rescuing: ToolLayer = (next) => async (request) => {
      const decoded: any = await request.decode()
      const changes = [
        Reflect.set(decoded, 'ok', true),
        Reflect.set(decoded, 'value', evil),
        Reflect.set(decoded.issues, 'length', 0),
        Reflect.set(decoded.issues[0], 'message', 'EVIL'),
        Reflect.set(decoded.issues[0].expected, '0', 'EVIL'),
      ]
      expect(changes).toEqual([false, false, false, false, false])
      return next(request)
    }
    const agent = agentOf(lookup(ran as string[]), {
      planner: callsAtOnce({ ...callOf(), arguments: '{"orderId":1}' }),
    })
    const { outcomes } = await agent.layer(rescuing).run('?')
    expect(outcomes).toMatchObject([
      {
        status: 'failed',
        hint: { reason: 'invalid_arguments', issues: [{ constraint: 'invalid_type', expected: ['string'] }] },
      },
    ])
    expect(ran).toEqual([])
  })
})

describe('arguments that a payload adapter makes', () => {
  const adapting = (around: (agent: BoundAgent) => BoundAgent<any>) => {
    const ran: string[] = []
    const latest = { orderId: 'B' }
    const agent = agentOf(lookup(ran), {
      planner: callsAtOnce(callOf('latest', 'one')),
      options: { payloadAdapter: async (json) => json.replace('latest', latest.orderId) },
    })
    return { agent: around(agent) as BoundAgent, latest, ran }
  }

  it('defect 1: are shown to whoever answers later, and asked about again where they differ on resume', async () => {
    const { agent, latest, ran } = adapting((it) => it.layer(approval()))
    const run = await agent.run('?', { env: approver(() => 'suspend').env })
    expect(run.suspension?.pending).toMatchObject([{ arguments: '{"orderId":"latest"}', adapted: '{"orderId":"B"}' }])
    latest.orderId = 'C'
    const { asked, env } = approver(() => 'deny')
    await agent.resume(stored(run), { one: 'approve' }, { env })
    expect([asked, ran]).toEqual([['support {"orderId":"C","quantity":1}'], []])
    const again = await agent.run('?', { env: approver(() => 'suspend').env })
    await agent.resume(stored(again), { one: 'approve' }, { env: approver(() => 'deny').env })
    expect(ran).toEqual(['C'])
  })

  it('defect 1: suspend the call again where a layer of the application had it approved', async () => {
    const asking: ToolLayer = (next) => async (request) =>
      request.answer === undefined ? request.suspend('approval') : next(request)
    const { agent, latest, ran } = adapting((it) => it.layer(asking))
    const run = await agent.run('?')
    latest.orderId = 'C'
    const resumed = await agent.resume(stored(run), { one: 'approve' })
    expect(resumed.suspension?.pending).toMatchObject([{ adapted: '{"orderId":"C"}' }])
    expect(ran).toEqual([])
    expect((await agent.resume(stored(resumed), { one: 'approve' })).status).toBe('completed')
    expect(ran).toEqual(['C'])
  })
})
