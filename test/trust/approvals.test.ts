import { describe, expect, it } from 'vitest'
import { executorOf, toolOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { answer, callTools } from '../../packages/runtime/src/agents.js'
import {
  type ApprovalDecision,
  type ApprovalRequest,
  type ApprovalRule,
  approval,
  type BoundAgent,
  Runtime,
  renderForModel,
  retry,
  stack,
  type ToolLayer,
  type ToolOutcome,
  tool,
  toolset,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import { memoryStore, SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { agents } from '../nested/agents.fixture.js'
import { script, stillRuntime } from '../runs/agents.fixture.js'

interface Refund {
  readonly paymentId: string
  readonly amount: number
  readonly currency?: string
}

const when = { type: 'object', properties: { amount: { type: 'number', exclusiveMinimum: 100 } }, required: ['amount'] }

const refund = (confirmation: object | undefined = { prompt: 'Refund {{amount}} of {{paymentId}}?' }) =>
  toolOf<Refund, unknown>('payments.refund', {
    arguments: {
      type: 'object',
      properties: {
        paymentId: { type: 'string' },
        amount: { type: 'number', minimum: 1 },
        currency: { type: 'string', default: 'EUR' },
      },
      required: ['paymentId', 'amount'],
    },
    result: {},
    spec: {
      serverOwned: [{ field: 'teller', from: 'labels.teller', schema: { type: 'string' } }],
      ...(confirmation && { confirmation: confirmation as { prompt: string } }),
    },
  })

/** The same tool without a confirmation. */
const plain: ReturnType<typeof refund> = toolOf('payments.refund', {
  arguments: refund().spec.arguments,
  result: {},
})

/** An agent with one tool that records the payloads that reach its executor. */
function desk({
  tool = refund(),
  layer,
  adapter,
  fails = 0,
}: {
  readonly tool?: ReturnType<typeof refund>
  readonly layer?: (agent: BoundAgent) => BoundAgent
  readonly adapter?: (json: string) => Promise<string>
  readonly fails?: number
} = {}) {
  const ran: unknown[] = []
  let left = fails
  const executor = executorOf(async ({ payload }) => {
    ran.push(await payload())
    left -= 1
    if (left >= 0) throw Object.assign(new Error('away'), { status: 503, headers: {} })
    return { refunded: true }
  })
  const registration = toolsetRegistration(useOf([tool]), executor, adapter && { payloadAdapter: adapter })
  const runtime = stillRuntime()
  const agent = runtime.registerAgent({ name: 'desk', description: 'Settles complaints.' }, [registration], {
    planner: script(callTools({ ...tool.call({ paymentId: 'P-1', amount: 500 }), toolCallId: 'one' }), answer('done')),
  }) as BoundAgent
  return { ran, agent: layer === undefined ? agent : layer(agent), tool }
}

/** Options of a call whose approver returns these decisions in turn, and the requests that it received. */
function approver(...decisions: readonly (ApprovalDecision | object)[]) {
  const asked: ApprovalRequest[] = []
  const approve = async (request: ApprovalRequest): Promise<ApprovalDecision> => {
    asked.push(request)
    return (decisions[asked.length - 1] ?? decisions.at(-1)) as ApprovalDecision
  }
  return { asked, options: { env: { approval: { approve } }, labels: { teller: 'ann' } } }
}

const again = retry({ attempts: 3, delayMs: () => 0 })
const lower = { paymentId: 'P-1', amount: 40 }
const call = (amount = 500) => refund().call({ paymentId: 'P-1', amount })
const causeOf = (outcome: ToolOutcome): string => (outcome.status === 'failed' ? String(outcome.error.cause) : '')

describe('approval({ when })', () => {
  it('receives decoded arguments, the tool and the metadata, and may be asynchronous', async () => {
    const seen: unknown[] = []
    const { agent, ran } = desk({
      tool: plain,
      layer: (each) =>
        each.layer(
          approval({
            when: async ({ tool, arguments: sent, meta }) => {
              seen.push([tool.id, sent, meta.labels])
              return false
            },
          }),
        ) as BoundAgent,
    })
    const { asked, options } = approver('deny')
    await agent.execute(call(), options)
    expect(seen).toEqual([['payments.refund', { paymentId: 'P-1', amount: 500, currency: 'EUR' }, { teller: 'ann' }]])
    expect([asked.length, ran.length]).toEqual([0, 1])
  })

  it.each([
    ['inside stack()', (layer: ToolLayer<any>): ToolLayer => stack(layer)],
    [
      'inside a layer of the application',
      (layer: ToolLayer<any>): ToolLayer =>
        (next) =>
          layer((request) => next(request)),
    ],
  ])('asks only about calls of this tool also %s', async (_, wrapped) => {
    const [own, other] = [toolOf<Refund, unknown>('payments.refund'), toolOf('payments.list')].map((descriptor) => {
      const layer = wrapped(approval(descriptor, { when: () => true }))
      return desk({ tool: plain, layer: (each) => each.layer(layer) as BoundAgent })
    })
    for (const each of [own, other]) await each?.agent.execute(plain.call({ paymentId: 'P-1', amount: 5 }))
    expect([own?.ran.length, other?.ran.length]).toEqual([0, 1])
  })

  it('asks only about calls of the tool whose descriptor it has', async () => {
    const layer = approval(plain, { when: ({ arguments: sent }) => (sent as Refund).amount > 100 })
    const { agent, ran } = desk({ tool: plain, layer: (each) => each.layer(layer) as BoundAgent })
    const { asked, options } = approver('deny')
    await agent.execute(call(50), options)
    await agent.execute(call(500), options)
    expect([asked.length, ran]).toMatchObject([1, [{ amount: 50 }]])
    const other = desk({
      layer: (each) => each.layer(approval(toolOf('payments.list'), { when: () => true })) as BoundAgent,
      tool: plain,
    })
    await other.agent.execute(call(500), approver('deny').options)
    expect(other.ran).toHaveLength(1)
  })

  it.each([undefined, 'yes', 1])('fails the call where `when` returns %j', async (result) => {
    const { agent, ran } = desk({
      layer: (each) => each.layer(approval({ when: () => result as never })) as BoundAgent,
    })
    const outcome = await agent.execute(call(), approver('approve').options)
    expect(causeOf(outcome)).toContain('`when` must return a boolean')
    expect(ran).toEqual([])
  })

  it('is evaluated again for arguments that an inner layer changes', async () => {
    const raised: ToolLayer = (next) => (request) => next(request.withArguments('{"paymentId":"P-1","amount":900}'))
    const large = approval({ when: ({ arguments: sent }) => (sent as Refund).amount > 100 })
    const { agent, ran } = desk({
      tool: plain,
      layer: (each) => each.layer(raised).layer(large) as BoundAgent,
    })
    const { asked, options } = approver('deny')
    expect(await agent.execute(call(50), options)).toMatchObject({ hint: { reason: 'denied' } })
    expect([asked.map(({ arguments: sent }) => sent), ran]).toMatchObject([[{ amount: 900 }], []])
  })
})

describe('a confirmation with `when`', () => {
  const tool = refund({ prompt: 'Refund {{amount}}?', when })

  it('asks only about arguments that match', async () => {
    const { agent, ran } = desk({ tool })
    const { asked, options } = approver('deny')
    expect((await agent.execute(call(100), options)).status).toBe('completed')
    expect(await agent.execute(call(101), options)).toMatchObject({ hint: { reason: 'denied' } })
    expect([asked.map(({ prompt }) => prompt), ran.length]).toEqual([['Refund 101?'], 1])
  })

  it('sees defaults', async () => {
    const euros = refund({ prompt: 'x', when: { properties: { currency: { const: 'EUR' } }, required: ['currency'] } })
    const { agent, ran } = desk({ tool: euros })
    expect(await agent.execute(call(1), approver('deny').options)).toMatchObject({ hint: { reason: 'denied' } })
    expect(ran).toEqual([])
  })
})

describe('a denial', () => {
  it.each([
    ['deny', {}],
    [{ decision: 'deny' }, {}],
    [{ decision: 'deny', by: 'ann' }, { by: 'ann' }],
    [{ decision: 'deny', by: 7, reason: 7 }, {}],
  ] as const)('names the approver and the time (%j)', async (decision, record) => {
    const { agent, ran } = desk()
    const outcome = await agent.execute(call(), approver(decision).options)
    expect(outcome).toMatchObject({
      provenance: { denial: { at: expect.any(Number) } },
      hint: { reason: 'denied', message: expect.stringContaining('not granted') },
    })
    expect(outcome.provenance.denial).toEqual({ at: expect.any(Number), ...record })
    expect([outcome.provenance.approval, ran]).toEqual([undefined, []])
  })

  it('names the approver also with the denied result of the design', async () => {
    const { agent } = desk({ tool: refund({ prompt: 'Refund?', deniedResult: { refunded: false } }) })
    const outcome = await agent.execute(call(), approver({ decision: 'deny', by: 'ann' }).options)
    expect(outcome).toMatchObject({ status: 'completed', provenance: { denial: { by: 'ann' } } })
  })

  it('names the approver of a suspended call, also in the stored run', async () => {
    const { agent } = desk()
    const { options } = approver('suspend')
    const { suspension } = await agent.run('Refund', options)
    if (suspension === undefined) throw new Error('The run is not suspended.')
    const run = await agent.resume(suspension, { one: { decision: 'deny', reason: 'Too much.', by: 'ann' } }, options)
    expect(run.outcomes).toMatchObject([{ hint: { message: 'Too much.' }, provenance: { denial: { by: 'ann' } } }])
  })

  it('is forgotten if the tool runs in a later attempt', async () => {
    const again: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      return outcome.status === 'failed' ? next(request) : outcome
    }
    const { agent, ran } = desk({ layer: (each) => each.layer(again) as BoundAgent })
    const { provenance } = await agent.execute(call(), approver('deny', { decision: 'approve', by: 'bob' }).options)
    expect([provenance.denial, provenance.approval?.by, ran.length]).toEqual([undefined, 'bob', 1])
  })
})

describe('an approval with changed arguments', () => {
  const edit = { decision: 'approve', arguments: lower, by: 'ann' } as const

  it('runs the tool with them and records it', async () => {
    const { agent, ran } = desk()
    const outcome = await agent.execute(call(), approver(edit).options)
    expect(ran).toEqual([{ ...lower, currency: 'EUR', teller: 'ann' }])
    const edited = '{"paymentId":"P-1","amount":40,"currency":"EUR"}'
    expect(outcome).toMatchObject({ status: 'completed', provenance: { approval: { by: 'ann', at: 1_000, edited } } })
    expect(renderForModel(outcome)).toBe(
      `{"refunded":true}\nThe approver changed the arguments of this call to ${edited}`,
    )
  })

  it('is recorded without changes where they are equal', async () => {
    const { agent } = desk()
    const same = { paymentId: 'P-1', amount: 500, currency: 'EUR' }
    const outcome = await agent.execute(call(), approver({ decision: 'approve', arguments: same }).options)
    expect(outcome.provenance.approval).toEqual({ at: 1_000 })
    expect(renderForModel(outcome)).toBe('{"refunded":true}')
  })

  it('records a plain approval, and none for a call without one', async () => {
    const { agent } = desk({ tool: refund({ prompt: 'x', when }) })
    expect((await agent.execute(call(500), approver('approve').options)).provenance.approval).toEqual({ at: 1_000 })
    expect((await agent.execute(call(1), approver('approve').options)).provenance).not.toHaveProperty('approval')
    expect((await agent.execute(call(500), approver('deny').options)).provenance).not.toHaveProperty('approval')
  })

  it.each([
    ['a wrong type', { ...lower, amount: 'forty' }, '/amount'],
    ['a missing field', { amount: 40 }, 'paymentId'],
    ['a server-owned field', { ...lower, teller: 'eve' }, 'teller'],
    ['an unknown field', { ...lower, amuont: 40 }, 'amuont'],
    ['no object', 'yes', 'object'],
  ])('fails with %s, and the tool does not run', async (_, changed, named) => {
    const { agent, ran } = desk()
    const outcome = await agent.execute(call(), approver({ decision: 'approve', arguments: changed }).options)
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'internal' } })
    expect(causeOf(outcome)).toContain("The approver changed the arguments of 'payments.refund' to invalid ones")
    expect(causeOf(outcome)).toContain(named)
    expect(ran).toEqual([])
  })

  it.each([
    [{ decision: 'approve', argumnets: lower }, "unknown property 'argumnets'"],
    [{ decision: 'approve', by: 7 }, '`by` must be a string'],
    [{ decision: 'approve', remember: 'always' }, '`remember` must be'],
    [{ decision: 'approve', remember: { fields: [] } }, '`remember` must be'],
    [{ decision: 'approve', remember: 'tool' }, 'has no session that can remember it'],
  ])('fails for %j', async (decision, told) => {
    const { agent, ran } = desk()
    expect(causeOf(await agent.execute(call(), approver(decision).options))).toContain(told)
    expect(ran).toEqual([])
  })

  it.each([
    ['outside', (each: BoundAgent) => each.layer(approval()).layer(again) as BoundAgent],
    ['inside', (each: BoundAgent) => each.layer(again).layer(approval()) as BoundAgent],
  ])('holds for retries %s of the layer, without another question', async (_, layer) => {
    const { agent, ran } = desk({ tool: plain, fails: 2, layer })
    const { asked, options } = approver(edit)
    expect((await agent.execute(call(), options)).status).toBe('completed')
    expect([asked.length, ran]).toMatchObject([1, [lower, lower, lower]])
  })

  it('is not adapted again', async () => {
    const cents = async (json: string): Promise<string> => {
      const sent = JSON.parse(json)
      return JSON.stringify({ ...sent, amount: sent.amount * 100 })
    }
    const { agent, ran } = desk({ adapter: cents })
    const { asked, options } = approver({ decision: 'approve', arguments: { paymentId: 'P-1', amount: 4_000 } })
    await agent.execute(call(), options)
    expect([asked[0]?.arguments, ran]).toMatchObject([{ amount: 50_000 }, [{ amount: 4_000 }]])
  })

  it('is what inner layers read, and what outer approval layers accept', async () => {
    const read: unknown[] = []
    const reading: ToolLayer = (next) => async (request) => {
      read.push(request.arguments, await request.json(), await request.decode())
      return next(request)
    }
    const { agent, ran } = desk({
      tool: plain,
      layer: (each) => each.layer(reading).layer(approval()).layer(approval()) as BoundAgent,
    })
    const { asked, options } = approver('approve', edit)
    expect((await agent.execute(call(), options)).status).toBe('completed')
    const edited = '{"paymentId":"P-1","amount":40,"currency":"EUR"}'
    expect(read).toMatchObject([edited, edited, { ok: true, value: lower }])
    expect([asked.length, ran]).toMatchObject([2, [lower]])
  })

  it('applies where an inner layer changed the arguments after the first approval', async () => {
    const raised: ToolLayer = (next) => (request) => next(request.withArguments('{"paymentId":"P-1","amount":900}'))
    const { agent, ran } = desk({
      tool: plain,
      layer: (each) => each.layer(raised).layer(approval()).layer(approval()) as BoundAgent,
    })
    const { asked, options } = approver('approve', 'approve', edit)
    const outcome = await agent.execute(call(), options)
    expect([asked.length, ran]).toMatchObject([3, [lower]])
    expect(outcome.provenance.approval?.edited).toContain('40')
  })

  it('is told to the model where the tool fails', async () => {
    const { agent } = desk({ fails: 1 })
    const outcome = await agent.execute(call(), approver(edit).options)
    expect(outcome).toMatchObject({ status: 'failed', provenance: { approval: { by: 'ann' } } })
    expect(renderForModel(outcome)).toMatch(/\nThe approver changed the arguments of this call to \{.*"amount":40/)
  })
})

describe('an answer to a suspended call', () => {
  const suspended = async (parts: Parameters<typeof desk>[0] = {}) => {
    const opened = desk(parts)
    const run = await opened.agent.run('?', approver('suspend').options)
    return { ...opened, suspension: JSON.parse(JSON.stringify(run.suspension)) }
  }
  const silent = approver('deny')

  it('runs the tool with the changed arguments, and the model reads them', async () => {
    const { agent, ran, suspension } = await suspended()
    const edit = { decision: 'approve', arguments: lower, by: 'ann' } as const
    const run = await agent.resume(suspension, { one: edit }, silent.options)
    expect([silent.asked.length, ran]).toEqual([0, [{ ...lower, currency: 'EUR', teller: 'ann' }]])
    expect(run.outcomes[0]?.provenance.approval).toMatchObject({ by: 'ann', edited: expect.stringContaining('40') })
    expect(run.messages.find(({ role }) => role === 'tool')).toMatchObject({
      content: expect.stringContaining('The approver changed the arguments of this call to {"paymentId"'),
    })
  })

  it('holds for retries of the resumed call', async () => {
    const { agent, ran, suspension } = await suspended({
      fails: 2,
      layer: (each) => each.layer(again) as BoundAgent,
    })
    const edit = { decision: 'approve', arguments: lower } as const
    await agent.resume(suspension, { one: edit }, silent.options)
    expect(ran).toMatchObject([lower, lower, lower])
  })

  it('can be corrected where the changed arguments are invalid', async () => {
    const { agent, ran, suspension } = await suspended()
    const wrong = { decision: 'approve', arguments: { ...lower, amount: 0 } } as const
    const run = await agent.resume(suspension, { one: wrong }, silent.options)
    expect(run).toMatchObject({ status: 'failed', error: { cause: { code: 'wrong_answers' } } })
    expect(run.stop.message).toContain("The arguments in the answer to 'one' are invalid: /amount")
    expect(ran).toEqual([])
    await agent.resume(suspension, { one: { decision: 'approve', arguments: lower } }, silent.options)
    expect(ran).toMatchObject([lower])
  })

  it('applies where a layer of the application suspends, without approval()', async () => {
    const careful: ToolLayer = (next) => (request) =>
      request.answer === 'approve' ? next(request) : request.suspend('approval')
    const { agent, ran, suspension } = await suspended({
      tool: plain,
      layer: (each) => each.layer(careful) as BoundAgent,
    })
    await agent.resume(suspension, { one: { decision: 'approve', arguments: lower } }, silent.options)
    expect(ran).toMatchObject([lower])
  })
})

describe('a call that was approved with changed arguments before its nested run waited', () => {
  const setting = async () => {
    const ran: unknown[] = []
    const { support, asked } = agents({
      around: (research) => research.layer(approval()) as BoundAgent,
      execute: async ({ payload }) => {
        ran.push(await payload())
        return { id: 'A', total: 1 }
      },
    })
    const guarded = support.layer(approval()) as BoundAgent
    const approve = async ({ agent }: ApprovalRequest): Promise<ApprovalDecision> =>
      agent === 'support' ? { decision: 'approve', arguments: { topic: 'shoes' }, by: 'ann' } : 'suspend'
    const run = await guarded.run('?', { env: { approval: { approve } } })
    return { ran, asked, guarded, suspension: JSON.parse(JSON.stringify(run.suspension)) }
  }

  it('continues with them, without another question, and keeps the record', async () => {
    const { ran, asked, guarded, suspension } = await setting()
    const { asked: questions, options } = approver('deny')
    const run = await guarded.resume(suspension, { 'outer-1/inner-A': 'approve' }, options)
    expect([questions.length, ran.length]).toEqual([0, 1])
    expect(asked.map(({ messages }) => JSON.stringify(messages).includes('shoes'))).toEqual([true, true])
    expect(run.outcomes).toMatchObject([
      { status: 'completed', provenance: { approval: { by: 'ann', edited: '{"topic":"shoes"}' } } },
    ])
  })

  it('continues with them after the approval layer was removed', async () => {
    const { ran, asked, suspension } = await setting()
    const other = agents({
      around: (research) => research.layer(approval()) as BoundAgent,
      execute: () => ({ id: 'A', total: 1 }),
    })
    const run = await other.support.resume(suspension, { 'outer-1/inner-A': 'approve' }, approver('deny').options)
    expect([asked.length, ran]).toEqual([1, []])
    expect(other.asked.map(({ messages }) => JSON.stringify(messages).includes('shoes'))).toEqual([true])
    expect(run.outcomes).toMatchObject([{ provenance: { approval: { edited: '{"topic":"shoes"}' } } }])
  })
})

describe('an approval that a session remembers', () => {
  const opened = async (store = memoryStore(), settings: Parameters<typeof desk>[0] = {}) => {
    const { agent, ran } = desk({ tool: plain, layer: (each) => each.layer(approval()) as BoundAgent, ...settings })
    const sessions = new SessionRegistry({ agents: { desk: agent }, store })
    const session = await sessions.open('s', { userId: 'u', namespaces: ['desk'] })
    return { agent, ran, session, sessions }
  }
  const of = (paymentId: string, amount: number) => plain.call({ paymentId, amount })

  it.each<[ApprovalRule, readonly number[]]>([
    ['call', [0, 2, 3, 4]],
    [{ fields: ['paymentId'] }, [0, 3]],
    [{ fields: ['paymentId', 'amount'] }, [0, 2, 3, 4]],
    ['tool', [0]],
  ])('by the rule %j asks only about the other calls', async (remember, expected) => {
    const { session, ran } = await opened()
    const { asked, options } = approver({ decision: 'approve', remember, by: 'ann' })
    const calls = [of('P-1', 500), of('P-1', 500), of('P-1', 600), of('P-2', 500), of('P-2', 700)]
    const indexes: number[] = []
    for (const [index, each] of calls.entries()) {
      const before = asked.length
      const outcome = await session.execute(each, options)
      if (asked.length > before) indexes.push(index)
      else expect(outcome).toMatchObject({ provenance: { approval: { by: 'ann', at: 1_000, remembered: true } } })
    }
    expect([indexes, ran.length]).toEqual([expected, 5])
    expect(asked[0]?.canRemember).toBe(true)
  })

  it('covers the changed arguments, not those of the call', async () => {
    const { session, ran } = await opened()
    const { asked, options } = approver({ decision: 'approve', arguments: lower, remember: 'call' }, 'deny')
    await session.execute(of('P-1', 500), options)
    await session.execute(of('P-1', 40), options)
    await session.execute(of('P-1', 500), options)
    expect([asked.length, ran]).toMatchObject([2, [lower, lower]])
  })

  it('is never made by default, and only for the tool and the session', async () => {
    const { session, sessions, ran } = await opened()
    const forgetful = approver('approve')
    await session.execute(of('P-1', 500), forgetful.options)
    await session.execute(of('P-1', 500), forgetful.options)
    expect([forgetful.asked.length, session.approvals]).toEqual([2, []])
    await session.execute(of('P-1', 500), approver({ decision: 'approve', remember: 'tool' }).options)
    const other = await sessions.open('other', { userId: 'u', namespaces: ['desk'] })
    const { asked, options } = approver('deny')
    await other.execute(of('P-1', 500), options)
    expect([asked.length, ran.length]).toEqual([1, 3])
  })

  it('survives a restart, is listed and can be removed', async () => {
    const store = memoryStore()
    const first = await opened(store)
    const remember = { decision: 'approve', remember: { fields: ['paymentId'] }, by: 'ann' } as const
    await first.session.execute(of('P-1', 500), approver(remember).options)
    await first.sessions.close('s')
    const { session, ran } = await opened(store)
    expect(session.approvals).toEqual([
      { tool: 'payments.refund', agent: 'desk', by: 'ann', at: 1_000, rule: 'fields', fields: { paymentId: '"P-1"' } },
    ])
    const { asked, options } = approver('deny')
    await session.execute(of('P-1', 900), options)
    expect([asked.length, ran.length]).toEqual([0, 1])
    await session.forgetApprovals('payments.other')
    expect(session.approvals).toHaveLength(1)
    await session.forgetApprovals('payments.refund')
    await session.execute(of('P-1', 900), options)
    expect([asked.length, ran.length, session.approvals]).toEqual([1, 1, []])
  })

  it('is made by an answer to a suspension, and covers calls of later runs', async () => {
    const { agent, session, ran } = await opened()
    const run = await session.run(agent, '?', approver('suspend').options)
    const answer = { decision: 'approve', remember: 'tool' } as const
    const silent = approver('deny')
    await session.resume(agent, JSON.parse(JSON.stringify(run.suspension)), { one: answer }, silent.options)
    await session.run(agent, '?', silent.options)
    expect([silent.asked.length, ran.length]).toEqual([0, 2])
  })

  it('is not made where the store fails, and the tool does not run', async () => {
    const failing = { ...memoryStore(), isDurable: true }
    const { session, ran } = await opened(failing)
    failing.save = async () => {
      throw new Error('away')
    }
    const outcome = await session.execute(of('P-1', 500), approver({ decision: 'approve', remember: 'tool' }).options)
    expect([outcome.status, ran.length, session.approvals]).toEqual(['failed', 0, []])
  })

  it('tells the model of changed arguments when a streaming tool starts, and with its result', async () => {
    const ran: unknown[] = []
    const parameters = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
    const run = async (args: unknown): Promise<string> => {
      ran.push(args)
      return 'done'
    }
    const build = tool({ name: 'build', description: 'Builds.', parameters, updates: true, run })
    const reports = new Runtime().registerToolset(toolset('reports', build).layer(approval()))
    const sessions = new SessionRegistry({ agents: { reports } })
    const session = await sessions.open('s', { userId: 'u', namespaces: ['reports'] })
    const { options } = approver({ decision: 'approve', arguments: { name: 'B' } })
    const started = await session.execute({ tool: 'reports.build', arguments: '{"name":"A"}' }, options)
    const note = 'The approver changed the arguments of this call to {"name":"B"}'
    expect(started).toMatchObject({ status: 'streaming', message: expect.stringContaining(note) as unknown })
    await expect.poll(() => session.hasPending()).toBe(false)
    const [ended] = await session.consumeCompleted()
    if (ended === undefined) throw new Error('the call has no result')
    expect([ran, session.message(ended.completion).content]).toEqual([
      [{ name: 'B' }],
      expect.stringContaining(`"done"\n${note}`),
    ])
  })

  it('needs fields that the arguments have', async () => {
    const { session, ran } = await opened()
    const decision = { decision: 'approve', remember: { fields: ['paymentID'] } }
    const outcome = await session.execute(of('P-1', 500), approver(decision).options)
    expect(outcome.status === 'streaming' ? '' : causeOf(outcome)).toContain("the field 'paymentID'")
    expect(ran).toEqual([])
  })
})
