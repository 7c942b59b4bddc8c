import { describe, expect, it, vi } from 'vitest'
import { getOrder, registrationOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type AgentBuilder,
  answer,
  ask,
  base,
  callTools,
  type Guardrails,
  type InputGuardrail,
  type ModelDelta,
  type ModelDriver,
  type OutputGuardrail,
  type Planner,
  type ToolCallGuardrail,
  type ToolResultGuardrail,
  useContext,
  useGuardrails,
  useHook,
  usePlanner,
} from '../../packages/runtime/src/agents.js'
import type { ChatMessage } from '../../packages/runtime/src/chat.js'
import { type DurableInvocation, durableAgents, runInvocation } from '../../packages/runtime/src/durable.js'
import { agentToolsetRegistration } from '../../packages/runtime/src/executors/agent-toolset.js'
import {
  approval,
  type HasLogger,
  type RunEvent,
  Runtime,
  retry,
  runConfig,
  ToolFailure,
  type ToolLayer,
} from '../../packages/runtime/src/index.js'
import { SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { calls, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { apis } from '../drivers/apis.js'
import { apiServer, hangs } from '../drivers/scripted-api.js'
import {
  investigate,
  investigation,
  lookingUp,
  onceThen,
  researchAgent,
  supportAgent,
} from '../nested/agents.fixture.js'
import { callOf, never, within } from '../runs/agents.fixture.js'

const lookUp = calls({ tool: 'orders_getOrder', arguments: { orderId: 'A-1' } })
const ordered = { id: 'A-1', total: 1 }

/** Blocks texts that contain `bad`. */
const noBad = ({ text }: { readonly text: string }) =>
  text.includes('bad') ? ({ action: 'block', message: 'It is bad.', info: { score: 1 } } as const) : 'pass'

interface Setting {
  readonly execute?: (payload: unknown) => unknown
  readonly runtime?: Runtime
  readonly around?: (builder: AgentBuilder) => AgentBuilder<any>
}

function agentWith(model: ModelDriver | Planner, guardrails: Guardrails, setting: Setting = {}) {
  const { execute = () => ordered, runtime = new Runtime(), around = (builder) => builder } = setting
  const start = typeof model === 'function' ? base().with(usePlanner(model)) : base(model)
  const agent = around(start.with(useGuardrails(guardrails))).build()
  return runtime.registerAgent(
    { name: 'support', description: 'Answers customers.', instructions: 'Be brief.' },
    [registrationOf(getOrder, async (request) => execute(await request.payload()))],
    { agent },
  )
}

const reportsOf = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'guardrail' ? [[event.stage, event.guardrail, event.action]] : []))

describe('an input guardrail', () => {
  it('ends the run before any tool runs, although the model has already answered', async () => {
    const executed = vi.fn(() => ordered)
    let release: (result: 'pass' | { action: 'block'; message: string }) => void = () => undefined
    const slow: InputGuardrail = {
      name: 'slow',
      check: () =>
        new Promise((resolve) => {
          release = resolve
        }),
    }
    const model = scriptedModel([{ ...lookUp, usage: { promptTokens: 5, completionTokens: 1 } }])
    const running = agentWith(model, { input: [slow] }, { execute: executed }).run('?')
    await expect.poll(() => model.requests.length).toBe(1)
    release({ action: 'block', message: 'Not allowed.' })
    const run = await running
    expect(run).toMatchObject({
      status: 'stopped',
      stop: { reason: 'guardrail', by: 'slow', stage: 'input', message: 'Not allowed.' },
      outcomes: [],
      usage: { promptTokens: 5, completionTokens: 1, toolCalls: 0 },
    })
    expect(run.result).toBeUndefined()
    expect(executed).not.toHaveBeenCalled()
  })

  it('aborts the request of the model', async () => {
    const signals: AbortSignal[] = []
    const model: ModelDriver = {
      name: 'hanging',
      ask: ({ meta }) => {
        signals.push(meta.signal)
        return new Promise((_, reject) => meta.signal.addEventListener('abort', () => reject(meta.signal.reason)))
      },
    }
    const run = await within(agentWith(model, { input: [{ name: 'n', check: noBad }] }).run('bad'))
    expect(run).toMatchObject({ stop: { reason: 'guardrail', info: { score: 1 } } })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })

  it('does not wait forever for a planner that ignores the abort', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const running = agentWith(never, { input: [{ name: 'n', check: noBad }] }).run('bad')
      await vi.advanceTimersByTimeAsync(2_000)
      expect((await running).stop).toMatchObject({ reason: 'guardrail' })
    } finally {
      vi.useRealTimers()
    }
  })

  it.each(apis)('aborts a request of $name', async (api) => {
    const server = await apiServer(api, hangs)
    const driver = api.driver(server.baseURL, { stream: false, retry: { initialMs: 1 } })
    const blockLater: InputGuardrail = {
      name: 'later',
      check: async () => {
        await expect.poll(() => server.bodies.length).toBe(1)
        return { action: 'block', message: 'No.' }
      },
    }
    const run = await within(agentWith(driver, { input: [blockLater] }).run('?'))
    expect(run).toMatchObject({ stop: { reason: 'guardrail', by: 'later' } })
    await expect.poll(server.abandoned).toBe(1)
  })

  it('with `runInParallel: false` runs before the request, and can rewrite the text that the model and the conversation contain', async () => {
    const model = scriptedModel([lookUp, says('Done.')])
    const card: InputGuardrail = {
      name: 'card',
      runInParallel: false,
      check: ({ text }) =>
        /\d{16}/.test(text) ? { action: 'rewrite', value: text.replace(/\d{16}/, '(card)') } : 'pass',
    }
    const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } } as const
    const card16 = { type: 'text', text: 'My card is 4111111111111111' } as const
    const input: readonly ChatMessage[] = [{ role: 'user', content: [card16, image] }]
    const run = await agentWith(model, { input: [card] }).run(input)
    const expected = { role: 'user', content: [{ type: 'text', text: 'My card is (card)' }, image] }
    expect(model.requests.map(({ messages }) => messages[1])).toEqual([expected, expected])
    expect(run.messages[1]).toEqual(expected)
    expect(reportsOf(run.events)).toEqual([['input', 'card', 'rewrite']])
    expect(JSON.stringify(run)).not.toContain('4111111111111111')
  })

  it('blocks before the request with `runInParallel: false`, and flags without an end', async () => {
    const model = scriptedModel([says('Done.')])
    const before: InputGuardrail = { name: 'n', runInParallel: false, check: noBad }
    expect((await agentWith(model, { input: [before] }).run('bad')).stop).toMatchObject({ reason: 'guardrail' })
    expect(model.requests).toHaveLength(0)
    const flag: InputGuardrail = { name: 'f', check: () => ({ action: 'flag', message: 'Odd.', info: 3 }) }
    const run = await agentWith(model, { input: [flag] }).run('ok')
    expect(run.status).toBe('completed')
    expect(run.events.find(({ type }) => type === 'guardrail')).toMatchObject({ message: 'Odd.', info: 3 })
  })

  it('checks only new messages of the user, and each of them once', async () => {
    const texts: string[] = []
    const seen: InputGuardrail = {
      name: 'seen',
      check: ({ text }) => {
        texts.push(text)
        return 'pass'
      },
    }
    const planner: Planner = ({ turn }) =>
      turn === 1 ? ask('Which?') : turn === 2 ? callTools(callOf()) : answer('done')
    const support = agentWith(planner, { input: [seen] })
    const earlier = [
      { role: 'user', content: 'old' },
      { role: 'assistant', content: 'Hello.' },
    ] as const
    const run = await support.run([...earlier, { role: 'user', content: 'one' }, { role: 'user', content: 'two' }])
    expect(texts).toEqual(['one', 'two'])
    // The reply of the user is new; the messages before it were checked before the suspension.
    expect((await support.resume(run.suspension as never, 'three')).status).toBe('completed')
    expect(texts).toEqual(['one', 'two', 'three'])
  })

  it('does not check again after an approval', async () => {
    const check = vi.fn(() => 'pass' as const)
    const support = agentWith(scriptedModel([lookUp, says('Done.')]), { input: [{ name: 'n', check }] }).layer(
      approval(),
    )
    const env = { approval: { approve: async () => 'suspend' as const } }
    const run = await support.run('?', { env })
    expect(run.status).toBe('suspended')
    expect(
      (await support.resume(run.suspension as never, { [run.suspension?.pending[0]?.id ?? '']: 'approve' }, { env }))
        .status,
    ).toBe('completed')
    expect(check).toHaveBeenCalledTimes(1)
  })

  it('keeps a blocked message out of the conversation of a session', async () => {
    const model = scriptedModel([says('Hi.'), says('never'), says('Bye.')])
    const support = agentWith(model, { input: [{ name: 'n', check: noBad }] })
    const registry = new SessionRegistry({ agents: { support }, conversation: true })
    const session = await registry.open('s-1', { userId: 'u-1', namespaces: ['support'] })
    const runs = []
    for (const text of ['hello', 'bad', 'and now?']) runs.push(await session.run(support, text))
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'stopped', 'completed'])
    expect(model.requests.at(-1)?.messages.map(({ content }) => content)).toEqual([
      'Be brief.',
      'hello',
      'Hi.',
      'and now?',
    ])
    await registry.close('s-1')
  })

  it('holds deltas back until it has passed', async () => {
    let release = (): void => undefined
    const gate: InputGuardrail = {
      name: 'gate',
      check: () =>
        new Promise((resolve) => {
          release = () => resolve('pass')
        }),
    }
    const model = scriptedModel([says('It has shipped.')])
    const run = agentWith(model, { input: [gate] }).run('?')
    const deltas: ModelDelta[] = []
    const reading = (async () => {
      for await (const part of run.parts()) if (part.kind === 'delta') deltas.push(part.delta)
    })()
    await expect.poll(() => model.requests.length).toBe(1)
    expect(deltas).toEqual([])
    release()
    await run
    await reading
    expect(deltas.map(({ text }) => text).join('')).toBe('It has shipped.')
  })

  it('works with model hooks, whose step it keeps', async () => {
    const model = scriptedModel([says('Done.')])
    const turns: number[] = []
    const around = (builder: AgentBuilder) =>
      builder.with(
        useHook('beforeModel', ({ turn }) => {
          turns.push(turn)
        }),
      )
    const run = await agentWith(model, { input: [{ name: 'n', check: noBad }] }, { around }).run('?')
    expect([run.status, turns]).toEqual(['completed', [1]])
  })
})

describe('an output guardrail', () => {
  it('ends the run, and neither the result nor the conversation nor a delta has the answer', async () => {
    const output: OutputGuardrail = { name: 'n', check: noBad }
    const model = scriptedModel([{ ...says('so bad'), usage: { promptTokens: 5, completionTokens: 1 } }])
    const handle = agentWith(model, { output: [output] }).run('?')
    const parts: unknown[] = []
    for await (const part of handle.parts()) parts.push(part)
    const run = await handle
    expect(run).toMatchObject({
      status: 'stopped',
      stop: { reason: 'guardrail', stage: 'output' },
      usage: { promptTokens: 5 },
    })
    expect(JSON.stringify([run, parts])).not.toContain('so bad')
  })

  it('rewrites a text, a question and a structured answer, everywhere', async () => {
    const soften: OutputGuardrail = {
      name: 'soften',
      check: ({ text, value }) =>
        !text.includes('rude') ? 'pass' : { action: 'rewrite', value: value === undefined ? 'good' : { late: true } },
    }
    const message: ChatMessage & { readonly role: 'assistant' } = {
      role: 'assistant',
      content: 'rude',
      refusal: 'rude',
    }
    const text = await agentWith(() => ({ ...answer('rude'), message }), { output: [soften] }).run('?')
    expect(text.result).toEqual({ text: 'good' })
    const question = await agentWith(() => ask('rude?'), { output: [soften] }).run('?')
    expect(question).toMatchObject({ status: 'suspended', suspension: { question: 'good' } })
    const schema = { type: 'object', properties: { late: { type: 'boolean' }, note: { type: 'string' } } } as const
    const around = (builder: AgentBuilder) => builder.with(useContext({ responseFormat: { schema } }))
    const value = await agentWith(scriptedModel([says('{"note":"rude"}')]), { output: [soften] }, { around }).run('?')
    expect(value.result).toEqual({ value: { late: true }, text: '{"late":true}' })
    // The ids of runs are hexadecimal, so they cannot contain this word.
    for (const run of [text, question, value]) expect(JSON.stringify(run)).not.toContain('rude')
  })

  it('must rewrite a structured answer to a value of its schema', async () => {
    const schema = { type: 'object', properties: { late: { type: 'boolean' } }, required: ['late'] } as const
    const around = (builder: AgentBuilder) => builder.with(useContext({ responseFormat: { schema } }))
    const output: OutputGuardrail = { name: 'wrong', check: () => ({ action: 'rewrite', value: { late: 'x' } }) }
    const run = await agentWith(scriptedModel([says('{"late":true}')]), { output: [output] }, { around }).run('?')
    expect(run.stop).toMatchObject({
      reason: 'guardrail',
      by: 'wrong',
      info: { error: expect.stringContaining('/late') },
    })
  })

  it('of a nested agent withholds its answer and its results from the calling agent', async () => {
    const agent = base()
      .with(usePlanner(lookingUp(['A'], () => answer('so bad'))))
      .with(useGuardrails({ output: [{ name: 'n', check: noBad }] }))
      .build()
    const runtime = new Runtime()
    const secret = () => ({ id: 'secret', total: 1 })
    const research = runtime.registerAgent(researchAgent, [registrationOf(getOrder, secret)], { agent })
    const exported = { toolset: toolsetOf(investigate), agent: researchAgent }
    const planner = onceThen([investigation()])
    const support = runtime.registerAgent(supportAgent, [agentToolsetRegistration(exported, research)], { planner })
    const run = await support.run('?')
    expect(run).toMatchObject({ status: 'completed', outcomes: [{ status: 'failed', hint: { reason: 'denied' } }] })
    expect(JSON.stringify(run.messages)).not.toMatch(/secret|so bad/)
  })
})

describe('a guardrail of tool calls', () => {
  const noA: ToolCallGuardrail = {
    name: 'no A-1',
    check: ({ arguments: payload }) =>
      JSON.stringify(payload).includes('A-1') ? { action: 'block', message: 'Use another order.' } : 'pass',
  }

  it('makes the call fail with a hint that the model reads, and the run continues', async () => {
    const executed = vi.fn(() => ordered)
    const model = scriptedModel([lookUp, says('Done.')])
    const run = await agentWith(model, { toolCall: [noA] }, { execute: executed }).run('?')
    expect(run).toMatchObject({
      status: 'completed',
      outcomes: [
        {
          status: 'failed',
          hint: { reason: 'denied', message: 'Use another order.' },
          provenance: { extra: { guardrail: 'no A-1' } },
        },
      ],
    })
    expect(JSON.stringify(model.requests[1]?.messages.at(-1))).toContain('Use another order.')
    expect(executed).not.toHaveBeenCalled()
    expect(run.events.find(({ type }) => type === 'guardrail')).toMatchObject({
      stage: 'toolCall',
      action: 'block',
      call: { tool: 'orders.getOrder' },
    })
  })

  it('ends the run with `stop`, also if another call of the step is suspended', async () => {
    const stop: ToolCallGuardrail = {
      name: 's',
      check: ({ arguments: payload }) =>
        JSON.stringify(payload).includes('A-2') ? { action: 'stop', message: 'Enough.' } : 'pass',
    }
    const suspend: ToolLayer = (next) => async (request) =>
      request.arguments.includes('A-1') ? request.suspend('external') : next(request)
    const planner: Planner = () => callTools(callOf('A-1', 'one'), callOf('A-2', 'two'))
    const run = await agentWith(planner, { toolCall: [stop] })
      .layer(suspend)
      .run('?')
    expect(run).toMatchObject({
      status: 'stopped',
      stop: { reason: 'guardrail', by: 's', stage: 'toolCall', message: 'Enough.' },
    })
    expect(run.suspension).toBeUndefined()
  })

  it('rewrites arguments, which are validated, and need the approval of a person', async () => {
    const payloads: unknown[] = []
    const asked: unknown[] = []
    const other: ToolCallGuardrail = { name: 'other', check: () => ({ action: 'rewrite', value: { orderId: 'B-2' } }) }
    const execute = (payload: unknown) => {
      payloads.push(payload)
      return ordered
    }
    const env = {
      approval: {
        approve: async ({ arguments: payload }: { arguments: unknown }) => {
          asked.push(payload)
          return 'approve' as const
        },
      },
    }
    const inside = agentWith(
      scriptedModel([lookUp, says('Done.')]),
      { toolCall: [other] },
      { execute, around: (builder) => builder.layer(approval()) },
    )
    await inside.run('?', { env } as never)
    const outside = agentWith(scriptedModel([lookUp, says('Done.')]), { toolCall: [other] }, { execute }).layer(
      approval(),
    )
    await outside.run('?', { env })
    expect(payloads).toMatchObject([{ orderId: 'B-2' }, { orderId: 'B-2' }])
    expect(asked).toMatchObject([{ orderId: 'B-2' }, { orderId: 'A-1' }, { orderId: 'B-2' }])
    const wrong: ToolCallGuardrail = { name: 'wrong', check: () => ({ action: 'rewrite', value: { orderId: 7 } }) }
    const run = await agentWith(scriptedModel([lookUp, says('Done.')]), { toolCall: [wrong] }, { execute }).run('?')
    expect(run.outcomes).toMatchObject([{ status: 'failed', hint: { reason: 'denied' } }])
    expect(payloads).toHaveLength(2)
  })

  it('checks arguments that hooks and inner layers changed', async () => {
    const executed = vi.fn(() => ordered)
    const change: ToolLayer = (next) => (request) => next(request.withArguments('{"orderId":"A-1"}'))
    const planner: Planner = ({ turn }) => (turn === 1 ? callTools(callOf('B-2')) : answer('done'))
    const byLayer = await agentWith(
      planner,
      { toolCall: [noA] },
      { execute: executed, around: (builder) => builder.layer(change) },
    ).run('?')
    const hook = (builder: AgentBuilder) =>
      builder.with(useHook('beforeTool', () => ({ arguments: '{"orderId":"A-1"}' })))
    const byHook = await agentWith(planner, { toolCall: [noA] }, { execute: executed, around: hook }).run('?')
    for (const run of [byLayer, byHook])
      expect(run.outcomes).toMatchObject([{ status: 'failed', hint: { message: 'Use another order.' } }])
    expect(executed).not.toHaveBeenCalled()
  })

  it('checks arguments that an approver changed, inside and outside the guardrails', async () => {
    const executed = vi.fn(() => ordered)
    const planner: Planner = ({ turn }) => (turn === 1 ? callTools(callOf('B-2')) : answer('done'))
    const approve = async () => ({ decision: 'approve', arguments: { orderId: 'A-1' } }) as const
    const options = { env: { approval: { approve } } }
    const guardrails = { toolCall: [noA] }
    const inside = agentWith(planner, guardrails, {
      execute: executed,
      around: (builder) => builder.layer(approval()),
    })
    const outside = agentWith(planner, guardrails, { execute: executed }).layer(approval())
    const change: ToolLayer = (next) => (request) => next(request.withArguments('{"orderId":"C-3"}'))
    const changedBelow = agentWith(planner, guardrails, {
      execute: executed,
      around: (builder) =>
        builder.layer(change).layer(approval({ when: ({ arguments: payload }) => payload !== null })),
    })
    for (const run of [
      await inside.run('?', options as never),
      await outside.run('?', options),
      await changedBelow.run('?', options as never),
    ])
      expect(run.outcomes).toMatchObject([{ status: 'failed', hint: { message: 'Use another order.' } }])
    expect(executed).not.toHaveBeenCalled()
  })

  it('keeps the check that a resumed call has the approved arguments', async () => {
    let isResumed = false
    const executed = vi.fn(() => ordered)
    const change: ToolLayer = (next) => (request) =>
      next(isResumed ? request.withArguments('{"orderId":"C-3"}') : request)
    const support = agentWith(
      scriptedModel([
        calls({ tool: 'orders_getOrder', arguments: { orderId: 'B-2' }, toolCallId: 'c' }),
        says('Done.'),
      ]),
      { toolCall: [noA] },
      { execute: executed, around: (builder) => builder.layer(change) },
    ).layer((next) => async (request) => (request.answer === undefined ? request.suspend('approval') : next(request)))
    const run = await support.run('?')
    isResumed = true
    const resumed = await support.resume(run.suspension as never, { c: 'approve' })
    expect(resumed.status).toBe('suspended')
    expect(executed).not.toHaveBeenCalled()
  })

  it('applies to calls outside runs', async () => {
    const outcome = await agentWith(() => answer('x'), { toolCall: [noA] }).execute(callOf('A-1'))
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'denied' } })
  })
})

describe('a guardrail of tool results', () => {
  it('blocks what the model would read, and says that the tool ran', async () => {
    const model = scriptedModel([lookUp, says('Done.')])
    const noSecret: ToolResultGuardrail = {
      name: 'n',
      check: ({ text }) => (text.includes('secret') ? { action: 'block', message: 'It has a secret.' } : 'pass'),
    }
    const run = await agentWith(model, { toolResult: [noSecret] }, { execute: () => ({ id: 'secret', total: 1 }) }).run(
      '?',
    )
    expect(run.outcomes).toMatchObject([
      {
        status: 'failed',
        hint: { message: 'The tool ran, but its result was withheld: It has a secret.' },
        provenance: { attempts: 1 },
      },
    ])
    expect(JSON.stringify([run, model.requests])).not.toContain('"secret"')
  })

  it('rewrites the result for the model and for code, as the provenance says, and messages of failures', async () => {
    const hide: ToolResultGuardrail = {
      name: 'hide',
      check: ({ text, outcome }) =>
        !text.includes('secret')
          ? 'pass'
          : { action: 'rewrite', value: outcome.status === 'completed' ? { id: '(hidden)', total: 1 } : 'It failed.' },
    }
    const model = scriptedModel([lookUp, lookUp, says('Done.')])
    let count = 0
    const execute = () => {
      count += 1
      if (count === 2) throw new ToolFailure('No secret.', { reason: 'domain_rejection' })
      return { id: 'secret', total: 1 }
    }
    const run = await agentWith(model, { toolResult: [hide] }, { execute }).run('?')
    expect(run.outcomes).toMatchObject([
      {
        status: 'completed',
        result: { data: { id: '(hidden)' } },
        json: '{"id":"(hidden)","total":1}',
        provenance: { extra: { guardrail: 'hide' } },
      },
      { status: 'failed', hint: { message: 'It failed.', reason: 'domain_rejection' } },
    ])
    expect(JSON.stringify(model.requests)).not.toContain('secret')
  })

  it('cannot replace the result by an invalid one, and sees the last attempt of a retry', async () => {
    const texts: string[] = []
    const wrong: ToolResultGuardrail = {
      name: 'w',
      check: ({ text }) => {
        texts.push(text)
        return { action: 'rewrite', value: { id: 7 } }
      },
    }
    let count = 0
    const execute = () => {
      count += 1
      if (count === 1) throw new ToolFailure('Later.', { reason: 'unavailable' })
      return ordered
    }
    const around = (builder: AgentBuilder) => builder.layer(retry({ delayMs: () => 1 }))
    const run = await agentWith(
      scriptedModel([lookUp, says('Done.')]),
      { toolResult: [wrong] },
      { execute, around },
    ).run('?')
    expect(run.outcomes).toMatchObject([{ status: 'failed', hint: { reason: 'malformed_result' } }])
    expect(texts).toEqual(['{"id":"A-1","total":1}'])
  })
})

describe('a guardrail that fails', () => {
  const broken = { name: 'broken', check: () => Promise.reject(new Error('no connection')) }

  it.each([
    ['input', 'stopped', []],
    ['output', 'stopped', ['completed']],
    ['toolCall', 'completed', ['failed']],
    ['toolResult', 'completed', ['failed']],
  ] as const)('at %s blocks, without its error in texts for the model', async (stage, status, outcomes) => {
    const model = scriptedModel([lookUp, says('Done.')])
    const run = await agentWith(model, { [stage]: [broken] }).run('?')
    expect(run.status).toBe(status)
    expect(run.outcomes.map((outcome) => outcome.status)).toEqual(outcomes)
    expect(run.events.find(({ type }) => type === 'guardrail')).toMatchObject({
      action: 'block',
      info: { error: 'no connection' },
    })
    expect(JSON.stringify(model.requests.map(({ messages }) => messages))).not.toContain('no connection')
  })

  it.each(['input', 'output', 'toolCall', 'toolResult'] as const)(
    "at %s only flags with onError: 'flag'",
    async (stage) => {
      const run = await agentWith(scriptedModel([lookUp, says('Done.')]), {
        [stage]: [{ ...broken, onError: 'flag' }],
      }).run('?')
      expect(run).toMatchObject({ status: 'completed', outcomes: [{ status: 'completed' }] })
      expect(reportsOf(run.events)).toEqual([[stage, 'broken', 'flag']])
    },
  )

  it('by taking too long blocks after its time limit, and a cancelled run does not wait for it', async () => {
    const slow: InputGuardrail = { name: 'slow', timeoutMs: 5, check: never }
    expect(await within(agentWith(scriptedModel([says('x')]), { input: [slow] }).run('?'))).toMatchObject({
      stop: { reason: 'guardrail', by: 'slow', info: { error: "The guardrail 'slow' did not end within 5 ms." } },
    })
    const controller = new AbortController()
    const running = agentWith(scriptedModel([says('x')]), { input: [{ name: 'n', check: never }] }).run('?', {
      signal: controller.signal,
    })
    controller.abort()
    expect(await within(running)).toMatchObject({ status: 'cancelled' })
  })

  it.each([
    [undefined, "must return 'pass' or an object with `action`"],
    [{ action: 'stop', message: 'x' }, "returned the action \"stop\". Expected 'flag', 'block' or 'rewrite'."],
    [{ action: 'block' }, "the action 'block' without a message"],
    [{ action: 'rewrite', value: 'x' }, 'set `runInParallel: false`'],
  ])('by returning %j blocks', async (result, message) => {
    const run = await agentWith(scriptedModel([says('x')]), {
      input: [{ name: 'n', check: () => result as never }],
    }).run('?')
    expect(run.stop).toMatchObject({ reason: 'guardrail', info: { error: expect.stringContaining(message) } })
  })

  it.each([
    [{ before: [] }, "unknown stage 'before'. Expected input, output, toolCall, toolResult."],
    [{ input: {} }, 'input must be an array of guardrails'],
    [{ input: [{ name: '', check: noBad }] }, 'input[0].name must be a name'],
    [{ output: [{ name: 'x', execute: noBad }] }, 'use openAiAgentsGuardrails(...)'],
    [
      { output: [{ name: 'x', check: noBad, runInParallel: false }] },
      'output[0].runInParallel is only possible for input guardrails',
    ],
    [{ input: [{ name: 'x', check: noBad, timeoutMs: 0 }] }, 'input[0].timeoutMs must be a number of milliseconds'],
    [{ input: [{ name: 'x', check: noBad, onError: 'pass' }] }, "input[0].onError must be 'block' or 'flag'"],
    [undefined, 'useGuardrails expects an object'],
  ])('to be valid is rejected: %j', (guardrails, message) => {
    expect(() => useGuardrails(guardrails as never)).toThrow(message)
  })
})

describe('guardrails', () => {
  it('require the env that they read, by type', async () => {
    const logged: string[] = []
    const logs: InputGuardrail<HasLogger> = {
      name: 'logs',
      check: ({ env, text }) => {
        env.logger.info(text)
        return 'pass'
      },
    }
    const agent = base(scriptedModel([says('Done.')]))
      .with(useGuardrails({ input: [logs] }))
      .build()
    const support = new Runtime().registerAgent({ name: 'support', description: 'x' }, [], { agent })
    // @ts-expect-error: env.logger is missing.
    const missing = () => support.run('?')
    expect(missing).toBeTypeOf('function')
    const note = (message: string) => void logged.push(message)
    await support.run('hello', { env: { logger: { debug: note, info: note, warn: note, error: note } } })
    expect(logged).toEqual(['hello'])
    // @ts-expect-error: a parallel guardrail cannot rewrite.
    const parallel: InputGuardrail = { name: 'p', check: () => ({ action: 'rewrite', value: 'x' }) }
    // @ts-expect-error: only guardrails of tools can stop the run.
    const stops: OutputGuardrail = { name: 's', check: () => ({ action: 'stop', message: 'x' }) }
    expect([parallel.name, stops.name]).toEqual(['p', 's'])
  })

  it('run once in a durable run: a replay finds their decisions and publishes the same events', async () => {
    const check = vi.fn(() => ({ action: 'flag', message: 'Odd.' }) as const)
    const each = { name: 'n', check }
    const support = agentWith(({ turn }) => (turn === 1 ? callTools(callOf('A-1', 'c')) : answer('so bad')), {
      input: [each],
      toolCall: [each],
      toolResult: [each],
      output: [{ name: 'out', check: noBad }],
    })
    const durable = durableAgents({ agents: { support } })
    const records: unknown[] = []
    const published: (readonly unknown[])[] = []
    const attempt = (step: DurableInvocation['step']): DurableInvocation => ({
      id: 'r-1',
      attempt: 'attempt',
      signal: new AbortController().signal,
      step,
      sleep: async () => undefined,
      answer: async () => undefined,
      invoke: () => Promise.reject(new Error('no nested runs')),
      cancel: () => undefined,
      tell: () => undefined,
      publish: (_, events) => void published.push(events),
    })
    const input = { version: 1, agent: 'support', input: '?' } as const
    const first = await runInvocation(
      attempt(async (_, work) => {
        const record = await work()
        records.push(JSON.parse(JSON.stringify(record)))
        return record
      }),
      durable,
      input,
    )
    expect(first).toMatchObject({ stop: { reason: 'guardrail', by: 'out' } })
    expect(check).toHaveBeenCalledTimes(3)
    const events = published.splice(0).flat() as RunEvent[]
    expect(reportsOf(events)).toEqual([
      ['input', 'n', 'flag'],
      ['toolCall', 'n', 'flag'],
      ['toolResult', 'n', 'flag'],
      ['output', 'out', 'block'],
    ])
    const replayed = await runInvocation(
      attempt(async () => records.shift() as never),
      durable,
      input,
    )
    expect(replayed).toMatchObject({ stop: { reason: 'guardrail', by: 'out' } })
    expect(reportsOf(published.flat() as RunEvent[])).toEqual(reportsOf(events))
    expect(check).toHaveBeenCalledTimes(3)
  })

  it('of both calls of useGuardrails apply, and layers of the run are outside', async () => {
    const order: string[] = []
    const note = (name: string) => ({
      name,
      check: () => {
        order.push(name)
        return 'pass' as const
      },
    })
    const around = (builder: AgentBuilder) =>
      builder.with(useGuardrails({ toolCall: [note('second')], toolResult: [note('result')] }))
    const layer: ToolLayer = (next) => async (request) => {
      order.push('layer')
      return next(request)
    }
    const support = agentWith(
      scriptedModel([lookUp, says('Done.')]),
      { toolCall: [note('first')] },
      {
        around,
        execute: () => {
          order.push('tool')
          return ordered
        },
      },
    )
    await support.run('?', { config: runConfig().layer(layer) })
    expect(order).toEqual(['layer', 'first', 'second', 'tool', 'result'])
  })
})
