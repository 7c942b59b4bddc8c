import { isToolgenError } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { type Answers, ask, callTools, type RunSuspension } from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat.js'
import { type ApprovalRequest, approval, Runtime, runConfig, type ToolLayer } from '../../packages/runtime/src/index.js'
import { agentOf, callOf, callsAtOnce, order, script } from './agents.fixture.js'

const later = { approval: { approve: async () => 'suspend' as const } }
const external: ToolLayer = () => async (request) => request.suspend('external', 'Wait for the warehouse.')

/** What a store gives back. */
const stored = (suspension: RunSuspension | undefined): RunSuspension => JSON.parse(JSON.stringify(suspension))

/** An agent whose calls of one step all wait for approval; `ran` lists the orders that were really looked up. */
function waitingAgent(runtime = new Runtime()) {
  const ran: string[] = []
  const execute = async ({ payload }: { payload(): Promise<unknown> }): Promise<unknown> => {
    const { orderId } = (await payload()) as { readonly orderId: string }
    ran.push(orderId)
    return { ...order, id: orderId }
  }
  const calls = [callOf('A', 'one'), callOf('B', 'two'), callOf('C', 'three')]
  return { agent: agentOf(execute, { runtime, planner: callsAtOnce(...calls) }).layer(approval()), ran }
}

const waitingRun = async (runtime?: Runtime) => {
  const { agent, ran } = waitingAgent(runtime)
  const run = await agent.run('?', { env: later })
  return { agent, ran, run, suspension: stored(run.suspension) }
}

describe('a resumed run', () => {
  it('runs what was approved, never what was declined, and goes on with its planner', async () => {
    const { agent, ran, run, suspension } = await waitingRun()
    expect(ran).toEqual([])
    const answers: Answers = { one: 'approve', two: { decision: 'deny', reason: 'Not that one.' }, three: 'deny' }
    const resumed = await agent.resume(suspension, answers, { env: later })
    expect(ran).toEqual(['A'])
    expect(resumed).toMatchObject({ runId: run.runId, status: 'completed', result: { text: 'done' } })
    expect(resumed.outcomes.map(({ status }) => status)).toEqual(['completed', 'failed', 'failed'])
    expect(resumed.outcomes[1]).toMatchObject({ hint: { reason: 'denied', message: 'Not that one.' } })
    expect(resumed.usage).toMatchObject({ turns: 2, toolCalls: 3 })
    expect(validateHistory(resumed.messages)).toEqual([])
    expect(resumed.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'tool', 'assistant'])
  })

  it('takes results from elsewhere without running the tool, typed by its codec', async () => {
    const { agent, ran, suspension } = await waitingRun()
    const answers: Answers = {
      one: { result: { id: 'X', total: 7, secret: 1 } },
      two: { result: { id: 'no total' } },
      three: { failure: { message: 'The warehouse burned down.', reason: 'unavailable' } },
    }
    const { outcomes } = await agent.resume(suspension, answers, { env: later })
    expect(ran).toEqual([])
    expect(outcomes).toMatchObject([
      { status: 'completed', json: '{"id":"X","total":7}', result: { data: { id: 'X', total: 7 } } },
      { status: 'failed', hint: { reason: 'malformed_result' } },
      { status: 'failed', hint: { reason: 'unavailable', message: 'The warehouse burned down.' } },
    ])
  })

  it('goes on waiting for what nobody has answered, in call order', async () => {
    const { agent, ran, suspension } = await waitingRun()
    const second = await agent.resume(suspension, { three: 'approve' }, { env: later })
    expect(second).toMatchObject({ status: 'suspended', usage: { turns: 1, toolCalls: 3 } })
    expect(second.suspension?.pending.map(({ id }) => id)).toEqual(['one', 'two'])
    expect(second.suspension?.id).not.toBe(suspension.id)
    const third = await agent.resume(stored(second.suspension), { one: 'approve', two: 'approve' }, { env: later })
    expect(ran).toEqual(['C', 'A', 'B'])
    expect(third.outcomes.map(({ call }) => call.toolCallId)).toEqual(['one', 'two', 'three'])
    expect(third.messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))).toEqual([
      'one',
      'two',
      'three',
    ])
    expect(validateHistory(third.messages)).toEqual([])
  })

  it('asks nobody again about a call that was approved, whatever layers ask', async () => {
    const asked: ApprovalRequest[] = []
    const { agent, ran, suspension } = await waitingRun()
    const approve = async (request: ApprovalRequest): Promise<'deny'> => {
      asked.push(request)
      return 'deny'
    }
    const env = { approval: { approve } }
    await agent.layer(approval()).resume(suspension, { one: 'approve', two: 'deny', three: 'deny' }, { env })
    expect([asked, ran]).toEqual([[], ['A']])
  })

  it('is resumed once, by whom ever and however often it is tried at once', async () => {
    const { agent, ran, suspension } = await waitingRun()
    const answers: Answers = { one: 'approve', two: 'deny', three: 'deny' }
    const runs = await Promise.all([1, 2, 3].map(() => agent.resume(suspension, answers, { env: later })))
    expect(ran).toEqual(['A'])
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'failed', 'failed'])
    const cause = runs[1]?.error?.cause
    expect(isToolgenError(cause, 'SuspensionError') && cause.code).toBe('already_resumed')
  })

  it('is claimed where the application says', async () => {
    const claimed: string[] = []
    const claims = {
      claim: async (id: string): Promise<boolean> => {
        claimed.push(id)
        return false
      },
    }
    const { agent, ran, suspension } = await waitingRun(new Runtime({ claims }))
    const run = await agent.resume(suspension, { one: 'approve' }, { env: later })
    expect([run.status, ran, claimed]).toEqual(['failed', [], [suspension.id]])
  })

  it('has its events numbered on, and says what it goes on with', async () => {
    const { agent, run, suspension } = await waitingRun()
    const resumed = await agent.resume(suspension, { one: 'approve', two: 'deny', three: 'deny' }, { env: later })
    expect(resumed.events[0]).toMatchObject({
      type: 'run_resumed',
      suspension: suspension.id,
      runId: run.runId,
      sequence: suspension.progress.events + 1,
    })
    expect(resumed.events.filter(({ type }) => type === 'call_ended')).toHaveLength(3)
    expect(
      resumed.events.filter(({ type }) => type === 'step_started').map((event) => 'turn' in event && event.turn),
    ).toEqual([1, 2])
  })

  it('keeps its budgets: turns, calls and time go on where they were', async () => {
    const { agent, suspension } = await waitingRun()
    const answers: Answers = { one: 'approve', two: 'deny', three: 'deny' }
    const config = runConfig().policy({ maxTurns: 1 })
    const run = await agent.resume(suspension, answers, { env: later, config })
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'max_turns', limit: 1 }, usage: { turns: 1 } })
    expect(run.outcomes.map(({ status }) => status)).toEqual(['completed', 'failed', 'failed'])
  })

  it('goes on after a question with the answer as the words of the user', async () => {
    const planner = script(ask('Which order?'), callTools(callOf('A', 'one')))
    const agent = agentOf(() => order, { planner })
    const { suspension } = await agent.run({ messages: [{ role: 'user', content: 'Hi' }], seed: 7 })
    const run = await agent.resume(stored(suspension), 'A-1')
    expect(run).toMatchObject({ status: 'completed', usage: { turns: 3, toolCalls: 1 } })
    expect(run.messages.slice(0, 3)).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Which order?' },
      { role: 'user', content: 'A-1' },
    ])
  })

  it('keeps the fields of the chat request that it began with', async () => {
    const seen: unknown[] = []
    const agent = agentOf(() => order, {
      planner: ({ fields, turn }) => {
        seen.push(fields)
        return turn === 1 ? ask('Which?') : { kind: 'answer', text: 'done' }
      },
    })
    const { suspension } = await agent.run({
      messages: [{ role: 'user', content: 'Hi' }],
      seed: 7,
      metadata: { a: [1] },
    })
    await agent.resume(stored(suspension), 'A-1')
    expect(seen).toEqual([
      { seed: 7, metadata: { a: [1] } },
      { seed: 7, metadata: { a: [1] } },
    ])
  })

  it('lets a layer of the application see the answer, and lets no layer run what was answered for', async () => {
    const ran: string[] = []
    const runs = (): typeof order => {
      ran.push('ran')
      return order
    }
    const agent = agentOf(runs, { planner: callsAtOnce(callOf('A', 'one')) }).layer(external)
    const { suspension } = await agent.run('?')
    expect(suspension).toMatchObject({ kind: 'external', pending: [{ id: 'one', prompt: 'Wait for the warehouse.' }] })
    const careless = agentOf(runs, { planner: callsAtOnce(callOf('A', 'one')) })
    const run = await careless.resume(stored(suspension), { one: { result: { id: 'W', total: 1 } } })
    expect(run.outcomes).toMatchObject([{ status: 'completed', json: '{"id":"W","total":1}' }])
    expect(ran).toEqual([])
  })
})

describe('a suspension that cannot be resumed', () => {
  const faultOf = async (change: (suspension: any) => unknown, answers: unknown = { one: 'approve' }) => {
    const { agent, ran, suspension } = await waitingRun()
    const run = await agent.resume(change(suspension) as RunSuspension, answers as Answers, { env: later })
    expect([run.status, ran]).toEqual(['failed', []])
    const cause = run.error?.cause
    if (!isToolgenError(cause, 'SuspensionError')) throw cause
    // It is as good as before.
    expect((await agent.resume(suspension, { one: 'approve' }, { env: later })).status).toBe('suspended')
    return `${cause.code}: ${run.error?.message}`
  }

  it.each([
    ['nothing', () => undefined, 'invalid_form: The value is not a suspension of a run: '],
    ['a text', () => 'hello', 'invalid_form: The value is not a suspension of a run: '],
    ['a newer version', (it: object) => ({ ...it, version: 2 }), 'newer_version: The suspension has version 2'],
    [
      'of another agent',
      (it: object) => ({ ...it, agent: 'sales' }),
      "wrong_agent: The suspended run belongs to the agent 'sales', not to 'support'.",
    ],
    [
      'without its calls',
      (it: object) => ({ ...it, calls: [] }),
      'invalid_form: The value is not a suspension of a run: its calls',
    ],
    [
      'with a call of another id',
      (it: any) => ({ ...it, calls: it.calls.map((call: object) => ({ ...call, toolCallId: 'x' })) }),
      'invalid_form',
    ],
    [
      'with a negative count',
      (it: any) => ({ ...it, progress: { ...it.progress, turns: -1 } }),
      'invalid_form: The value is not a suspension of a run: /progress/turns',
    ],
  ])('is %s', async (_, change, told) => {
    expect(await faultOf(change)).toContain(told)
  })

  it.each([
    ['no object', 'yes', "'one' (approval), 'two' (approval), 'three' (approval)"],
    ['an unknown id', { four: 'approve' }, "'four' is not a pending call"],
    [
      'an answer of another kind',
      { one: { text: 'yes' } },
      "The answer to 'one' is invalid. Expected 'approve', { decision: 'approve', arguments, by, remember }, 'deny', { decision: 'deny', reason, by }, { result } or { failure: { message } }.",
    ],
    ['two answers in one', { one: { result: 1, failure: { message: 'no' } } }, "The answer to 'one' is invalid"],
    ['no answer', {}, 'Pass at least one answer'],
    ['hostile keys', JSON.parse('{"__proto__":"approve"}'), "'__proto__' is not a pending call"],
  ])('with %s is told so', async (_, answers, told) => {
    expect(await faultOf((it) => it, answers)).toContain(told)
  })

  it('holds a result that its tool does not take any more', async () => {
    const planner = callsAtOnce(callOf('A', 'one'), callOf('B', 'two'))
    const mixed: ToolLayer = (next) => async (request) =>
      request.meta.toolCallId === 'two' ? request.suspend('external') : next(request)
    const agent = agentOf(() => order, { planner }).layer(mixed)
    const { progress, ...rest } = stored((await agent.run('?')).suspension)
    const outcomes = progress.outcomes.map((outcome) =>
      outcome.status === 'completed' ? { ...outcome, json: '{"id":"A-1","total":"much"}' } : outcome,
    )
    const changed = { ...rest, progress: { ...progress, outcomes } } as RunSuspension
    const run = await agent.resume(changed, { two: { result: order } })
    expect(run.error?.message).toBe(
      "The result of the call 'one' no longer matches the schema of the tool 'orders.getOrder'.",
    )
  })
})

describe('a run that goes on after a wait', () => {
  it('goes on where a hook or a layer changed the arguments, and asks again about others', async () => {
    let to = 'B'
    const ran: string[] = []
    const execute = async ({ payload }: { payload(): Promise<unknown> }): Promise<unknown> => {
      ran.push(((await payload()) as { readonly orderId: string }).orderId)
      return order
    }
    const changed: ToolLayer = (next) => (request) => next(request.withArguments(`{"orderId":"${to}"}`))
    const agent = agentOf(execute, { planner: callsAtOnce(callOf('A', 'one')) })
      .layer(approval())
      .layer(changed)
    const run = await agent.run('?', { env: later })
    expect(run.suspension?.pending).toMatchObject([{ arguments: '{"orderId":"B"}' }])
    expect((await agent.resume(stored(run.suspension), { one: 'approve' }, { env: later })).status).toBe('completed')
    expect(ran).toEqual(['B'])
    const again = await agent.run('?', { env: later })
    to = 'C'
    const asked = await agent.resume(stored(again.suspension), { one: 'approve' }, { env: later })
    expect(asked.suspension?.pending).toMatchObject([{ arguments: '{"orderId":"C"}' }])
    expect(ran).toEqual(['B'])
  })

  it('is not claimed where it cannot go on: cancelled, out of time, closed', async () => {
    const { agent, ran, suspension } = await waitingRun()
    const answers: Answers = { one: 'approve', two: 'deny', three: 'deny' }
    const spent = { ...suspension, progress: { ...suspension.progress, elapsedMs: 50 } }
    const config = runConfig().policy({ timeBudgetMs: 50 })
    const statuses = [
      await agent.resume(suspension, answers, { env: later, signal: AbortSignal.abort() }),
      await agent.resume(spent, answers, { env: later, config }),
    ].map(({ status, stop }) => `${status} ${stop.reason}`)
    expect([statuses, ran]).toEqual([['cancelled cancelled', 'stopped time_budget'], []])
    expect((await agent.resume(suspension, answers, { env: later })).status).toBe('completed')
    expect(ran).toEqual(['A'])
  })

  it('does not wait for claims that hang', async () => {
    const { agent, suspension } = await waitingRun(
      new Runtime({ claims: { claim: () => new Promise(() => undefined) } }),
    )
    const controller = new AbortController()
    const run = agent.resume(suspension, { one: 'approve' }, { env: later, signal: controller.signal })
    controller.abort()
    expect((await run).status).toBe('cancelled')
  })

  it.each(['run', 'step'])('is gone through once, whatever a %s layer tries', async (scope) => {
    const { agent, ran, suspension } = await waitingRun()
    const twice = (next: (request: any) => Promise<any>) => async (request: any) => {
      await next(request)
      return next(request)
    }
    const layered = scope === 'run' ? agent.runLayer(twice) : agent.stepLayer(twice)
    const run = await layered.resume(suspension, { one: 'approve', two: 'deny', three: 'deny' }, { env: later })
    expect([run.status, ran]).toEqual(['failed', ['A']])
    expect(String(run.error?.cause)).toContain('called `next` twice')
  })
})

describe('a run that was suspended in a session', () => {
  const { agent } = waitingAgent()
  const faultIn = async (started: object, resumed: object) => {
    const { suspension } = await agent.run('?', { env: later, ...started })
    const run = await agent.resume(stored(suspension), { one: 'deny' }, { env: later, ...resumed })
    const cause = run.error?.cause
    return isToolgenError(cause, 'SuspensionError') ? cause.code : run.status
  }

  it('is resumed in the same session', async () => {
    expect(await faultIn({ sessionId: 's-1' }, { sessionId: 's-1' })).toBe('suspended')
    expect(await faultIn({}, {})).toBe('suspended')
  })

  it.each([
    ['another one', { sessionId: 's-1' }, { sessionId: 's-2' }],
    ['none', { sessionId: 's-1' }, {}],
    ['one, where it had none', {}, { sessionId: 's-1' }],
  ])('defect 5c: is refused in %s, without its session being named', async (_, started, resumed) => {
    expect(await faultIn(started, resumed)).toBe('wrong_session')
    const { suspension } = await agent.run('?', { env: later, sessionId: 'secret-session' })
    const run = await agent.resume(stored(suspension), { one: 'deny' }, { env: later, sessionId: 's-2' })
    expect(run.error?.message).not.toContain('secret-session')
    expect(
      (await agent.resume(stored(suspension), { one: 'deny' }, { env: later, sessionId: 'secret-session' })).status,
    ).toBe('suspended')
  })
})

describe('what a run begins with', () => {
  it('is what its caller gave, whatever the caller changes later', async () => {
    const seen: unknown[] = []
    const agent = agentOf(() => order, {
      planner: ({ messages, fields }) => {
        seen.push(
          messages.map(({ content }) => content),
          fields,
        )
        return { kind: 'answer', text: 'done' }
      },
    })
    const request: any = { messages: [{ role: 'user', content: 'Hi' }], metadata: { a: 1 } }
    const run = agent.run(request)
    request.messages.push({ role: 'user', content: 'more' })
    request.messages[0].content = 'changed'
    request.metadata.a = 2
    await run
    expect(seen).toEqual([['Hi'], { metadata: { a: 1 } }])
  })

  it.each([
    ['nothing', null, 'a valid input: a string'],
    ['a number', 5, 'a valid input: a string'],
    ['no messages', { messages: null }, 'a valid input: a string'],
    ['a field that is no JSON', { messages: [], seed: 1n }, "the field 'seed' of the chat request as JSON"],
    ['a function', { messages: [], onDone: () => 1 }, "the field 'onDone' of the chat request as JSON"],
  ])('is told when it is %s', async (_, input, told) => {
    const run = await agentOf(() => order, { planner: callsAtOnce() }).run(input as never)
    expect(run.status).toBe('failed')
    expect(run.error?.message).toContain(told)
  })

  it('is reported if it cannot be read', async () => {
    const hostile = {
      get messages(): never {
        throw new Error('no')
      },
    }
    expect((await agentOf(() => order).run(hostile as never)).status).toBe('failed')
  })
})
