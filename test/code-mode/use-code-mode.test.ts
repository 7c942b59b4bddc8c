import { type HasApproval, type RunEvent, Runtime, runConfig, tool, toolset } from '@toolgen/runtime'
import {
  type AgentBuilder,
  type AgentRun,
  base,
  type RunPolicy,
  useEvents,
  useHook,
  useModel,
} from '@toolgen/runtime/agents'
import {
  codeMode,
  quickJsSandbox,
  typescriptChecker,
  type UseCodeModeOptions,
  useCodeMode,
} from '@toolgen/runtime/code-mode'
import { otelTracer } from '@toolgen/runtime/otel'
import { calls, type ScriptedModel, type ScriptedResponse, says, scriptedModel } from '@toolgen/runtime/testing'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { newDeskAgent, registerDesk } from '../../examples/approval/gen/agents/desk/index.js'
import { payments } from '../../examples/approval/gen/toolsets/payments/index.js'
import { PaymentsClient } from '../../examples/approval/src/payments-client.js'
import { type HasBudget, spendingLimit } from '../../examples/approval/src/spending-limit.js'
import { newResearchAgent, registerResearch } from '../../examples/research/gen/agents/research/index.js'
import { newSupportAgent, registerSupport } from '../../examples/research/gen/agents/support/index.js'
import { ArchiveClient } from '../../examples/research/src/archive-client.js'
import { OrdersClient } from '../../examples/research/src/orders-client.js'
import { followContext, recordTelemetry } from '../telemetry/recorded-telemetry.js'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

const program = (code: string): ScriptedResponse => calls({ tool: 'run_program', arguments: { code }, toolCallId: 'p' })

const refundAll = `const found = await payments.findPayments({ customerId: 'C-7' })
const small = found.filter((payment) => payment.amount < 50)
const refunds = await Promise.all(small.map(({ id, amount }) => payments.refundPayment({ paymentId: id, amount })))
return refunds.map((refund) => refund.paymentId)`

/** The desk of the example in code mode, with a scripted model. */
class Desk {
  readonly client = new PaymentsClient()
  readonly prompts: string[] = []
  readonly model: ScriptedModel
  readonly #options: UseCodeModeOptions

  constructor(responses: Parameters<typeof scriptedModel>[0], options: UseCodeModeOptions = {}) {
    this.model = scriptedModel(responses)
    this.#options = { checker, sandbox, ...options }
  }

  register(
    features: (builder: AgentBuilder) => AgentBuilder = (same) => same,
    policy: RunPolicy = {},
    runtime = new Runtime(),
  ) {
    const agent = features(newDeskAgent().with(useModel(this.model)).with(useCodeMode(this.#options))).build()
    return registerDesk(runtime, {
      agent,
      policy,
      toolsets: {
        payments: {
          client: this.client,
          layers: (tools) => tools.tool(payments.refundPayment, (refund) => refund.layer(spendingLimit)),
        },
      },
    })
  }

  get env(): HasApproval & HasBudget {
    return {
      approval: {
        approve: async ({ prompt }) => {
          this.prompts.push(prompt ?? '')
          return 'approve'
        },
      },
      budget: { take: (amount) => amount <= 50 },
    }
  }

  async run(...parts: Parameters<Desk['register']>): Promise<AgentRun> {
    return this.register(...parts).run('Refund the small payments of C-7.', { env: this.env })
  }
}

const answered = (): ScriptedResponse => says('Done.')
const toolMessages = ({ messages }: AgentRun): readonly unknown[] =>
  messages.filter(({ role }) => role === 'tool').map(({ content }) => content)

describe('useCodeMode', () => {
  it('shows the model only `run_program`, and programs call the tools of the agent', async () => {
    const desk = new Desk([program(refundAll), answered()])
    const run = await desk.run()
    expect(desk.model.requests.map(({ tools }) => tools.map(({ toolName }) => toolName))).toEqual([
      ['run_program'],
      ['run_program'],
    ])
    expect(desk.model.requests[0]?.tools[0]?.description).toContain('declare namespace payments')
    expect(toolMessages(run)).toEqual(['{"value":["P-1"]}'])
    expect(run).toMatchObject({
      status: 'completed',
      usage: { turns: 2, toolCalls: 3 },
      outcomes: [{ provenance: { children: [{ tool: 'payments.findPayments' }, { tool: 'payments.refundPayment' }] } }],
    })
    expect(desk.client.done).toEqual(['refunded P-1'])
    expect(desk.prompts).toEqual(['Refund 40 € of payment P-1?'])
  })

  it('keeps tools that `keep` names, by tool name or id', async () => {
    for (const name of ['payments_findPayments', 'payments.findPayments']) {
      const find = calls({ tool: 'payments_findPayments', arguments: { customerId: 'C-7' } })
      const desk = new Desk([find, answered()], { keep: [name] })
      const run = await desk.run()
      expect(desk.model.requests[0]?.tools.map(({ id }) => id)).toEqual([
        'payments.findPayments',
        'program.run_program',
      ])
      expect(run.outcomes).toMatchObject([{ status: 'completed' }])
    }
  })

  it('rejects an unknown name in `keep` at the registration', () => {
    expect(() => new Desk([], { keep: ['payments_findPayment'] }).register()).toThrow(
      "useCodeMode: `keep` names a tool that does not exist: 'payments_findPayment'. Did you mean 'payments_findPayments'? Expected payments_findPayments, payments_refundPayment, payments_closeAccount.",
    )
    // @ts-expect-error
    expect(() => useCodeMode({ keep: 'payments_findPayments' })).toThrow('`keep` must be an array of tool names.')
    const agent = base(scriptedModel([])).with(useCodeMode()).build()
    const empty = { name: 'empty', description: 'Has no tools.' }
    expect(() => new Runtime().registerAgent(empty, [], { agent })).toThrow('has no tools')
  })

  it('points a model that calls a hidden tool to `run_program`', async () => {
    const hidden = calls({ tool: 'payments_findPayments', arguments: { customerId: 'C-7' } })
    const run = await new Desk([hidden, answered()]).run()
    expect(toolMessages(run)).toEqual(['There is no tool "payments_findPayments". Did you mean "run_program"?'])
  })

  it('tells the model what is wrong with a program before anything runs', async () => {
    const desk = new Desk([program(refundAll.replace('paymentId: id', 'payment: id')), program(refundAll), answered()])
    const run = await desk.run()
    expect(toolMessages(run)).toEqual([expect.stringContaining("'payment' does not exist"), '{"value":["P-1"]}'])
    expect(run.outcomes[0]?.provenance.children).toBeUndefined()
  })

  it('stays in code mode with layers of the registered agent', async () => {
    const desk = new Desk([program(refundAll), answered()])
    const seen: string[] = []
    const layered = desk.register().layer((next) => async (request) => {
      seen.push(request.tool.name)
      return next(request)
    })
    const run = await layered.run('Refund.', { env: desk.env })
    expect(toolMessages(run)).toEqual(['{"value":["P-1"]}'])
    expect(desk.model.requests[0]?.tools.map(({ name }) => name)).toEqual(['run_program'])
    expect(seen).toEqual(['run_program', 'findPayments', 'refundPayment'])
  })

  it('does not offer `run_program` to programs', async () => {
    const support = new Desk([]).register()
    const [spec] = new Runtime().registerToolset(codeMode(support, { checker, sandbox })).specs
    expect(spec?.description).not.toContain('namespace program')
  })

  it('requires the `env` of the tools at compile time', async () => {
    const desk = new Desk([answered(), answered()])
    const registered = desk.register()
    // @ts-expect-error: the desk needs an approver and a budget
    expect((await registered.run('Hello')).status).toBe('completed')
    // @ts-expect-error: the desk also needs a budget
    expect((await registered.run('Hello', { env: { approval: desk.env.approval } })).status).toBe('completed')
  })

  it('runs programs of direct calls too, with the configuration of the call', async () => {
    const desk = new Desk([])
    const seen: string[] = []
    const config = runConfig().layer((next) => async (request) => {
      seen.push(request.tool.id)
      return next(request)
    })
    const call = { tool: 'run_program', arguments: JSON.stringify({ code: refundAll }), toolCallId: 'p' }
    const events: RunEvent[] = []
    const onEvent = (event: RunEvent): void => void events.push(event)
    expect(await desk.register().execute(call, { env: desk.env, config, onEvent })).toMatchObject({
      status: 'completed',
      json: '{"value":["P-1"]}',
    })
    expect(seen).toEqual(['program.run_program', 'payments.findPayments', 'payments.refundPayment'])
    expect(eventNames(events)).toEqual(programEvents)
  })
})

/** Type and tool of each event of a call. */
function eventNames(events: readonly RunEvent[]): readonly string[] {
  return events.flatMap((event) =>
    'call' in event ? [`${event.type} ${event.call.tool} in ${event.call.parentToolCallId ?? 'the run'}`] : [],
  )
}

const programEvents = [
  'call_started program.run_program in the run',
  'call_started payments.findPayments in p',
  'call_ended payments.findPayments in p',
  'call_started payments.refundPayment in p',
  'call_ended payments.refundPayment in p',
  'call_ended program.run_program in the run',
]

describe('the calls of a program', () => {
  it('publish events in the stream and the sinks of the run, each once', async () => {
    const desk = new Desk([program(refundAll), answered()])
    const [ofRuntime, ofAgent, ofStream, ofCaller]: RunEvent[][] = [[], [], [], []]
    const runtime = new Runtime({ sinks: [(event) => ofRuntime?.push(event)] })
    const support = desk.register((builder) => builder.with(useEvents((event) => ofAgent?.push(event))), {}, runtime)
    const run = support.run('Refund.', { env: desk.env, onEvent: (event) => ofCaller?.push(event) })
    for await (const event of run) ofStream?.push(event)
    for (const events of [ofStream, ofRuntime, ofAgent, ofCaller, (await run).events]) {
      expect(eventNames(events ?? [])).toEqual(programEvents)
    }
    expect(ofStream?.map(({ sequence }) => sequence)).toEqual(ofStream?.map((_, index) => index + 1))
    expect(new Set(ofStream?.map(({ runId }) => runId)).size).toBe(1)
  })

  it('run inside the hooks and layers of the agent', async () => {
    const seen: string[] = []
    const desk = new Desk([
      program(refundAll),
      program(`return payments.findPayments({ customerId: 'C-8' })`),
      answered(),
    ])
    const run = await desk.run((builder) =>
      builder
        .with(useHook('beforeTool', ({ tool }) => void seen.push(`before ${tool.name}`)))
        .with(useHook('afterTool', ({ tool, outcome }) => void seen.push(`after ${tool.name}: ${outcome.status}`)))
        .with(
          useHook('beforeTool', ({ arguments: json }) =>
            json === '{"customerId":"C-8"}' ? { deny: 'C-8 is not your customer.' } : undefined,
          ),
        )
        .layer((next) => async (request) => {
          seen.push(`layer ${request.tool.name} in ${request.call.parentToolCallId}`)
          return next(request)
        }),
    )
    expect(seen.slice(0, 9)).toEqual([
      'before run_program',
      'layer run_program in undefined',
      'before findPayments',
      'layer findPayments in p',
      'after findPayments: completed',
      'before refundPayment',
      'layer refundPayment in p',
      'after refundPayment: completed',
      'after run_program: completed',
    ])
    expect(toolMessages(run)[1]).toContain('C-8 is not your customer.')
  })

  it('can only call tools that `beforeStep` hooks select', async () => {
    const desk = new Desk([program(refundAll), answered()])
    const run = await desk.run((builder) =>
      builder.with(
        useHook('beforeStep', ({ tools }) => ({ tools: tools.filter(({ name }) => name !== 'refundPayment') })),
      ),
    )
    expect(toolMessages(run)[0]).toContain('There is no tool')
    expect(desk.client.done).toEqual([])
  })

  it('count against `maxToolCalls`', async () => {
    const desk = new Desk([program(refundAll), answered()])
    const run = await desk.run(undefined, { maxToolCalls: 2 })
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'max_tool_calls' }, usage: { toolCalls: 2 } })
    expect(toolMessages(run)[0]).toBe(
      "The program ended with an error: The run accepts no more calls. These calls were completed: payments.findPayments({ customerId: 'C-7' }). Do not repeat calls with effects. Try another way.",
    )
    expect(desk.client.done).toEqual([])
  })

  it('end the run with a final value', async () => {
    const desk = new Desk([program(refundAll)])
    const run = await desk.run((builder) =>
      builder.layer((next) => async (request) => {
        const outcome = await next(request)
        if (request.tool.name !== 'findPayments' || outcome.status !== 'completed') return outcome
        return { ...outcome, stop: { reason: 'final', value: JSON.parse(outcome.json) } }
      }),
    )
    expect(run).toMatchObject({
      status: 'completed',
      stop: { reason: 'final' },
      result: { value: [{ id: 'P-1' }, { id: 'P-2' }] },
    })
    expect(run.outcomes).toMatchObject([{ status: 'failed', hint: { reason: 'cancelled' } }])
    expect(desk.client.done).toEqual([])
  })

  it('run at most `parallelism` at the same time', async () => {
    let running = 0
    let most = 0
    const wait = tool({
      name: 'wait',
      description: 'Waits.',
      parameters: { type: 'object', properties: {} },
      run: async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
      },
    })
    const model = scriptedModel([
      program('await Promise.all([slow.wait(), slow.wait(), slow.wait(), slow.wait()])\nreturn 1'),
      answered(),
    ])
    const agent = base(model).with(useCodeMode({ checker, sandbox })).build()
    const clerk = { name: 'clerk', description: 'Waits.', policy: { parallelism: 2 } }
    const run = await new Runtime().registerAgent(clerk, [toolset('slow', wait)], { agent }).run('Wait.')
    expect(run).toMatchObject({ status: 'completed', usage: { toolCalls: 5 } })
    expect(most).toBe(2)
  })

  it('end with the time budget of the run, and with the time limit of calls', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let aborted = 0
    const wait = tool({
      name: 'wait',
      description: 'Waits.',
      parameters: { type: 'object', properties: {} },
      run: (_, { meta }) =>
        new Promise((_, reject) => {
          meta.signal.addEventListener('abort', () => {
            aborted += 1
            reject(meta.signal.reason)
          })
          vi.advanceTimersByTime(1_000)
        }),
    })
    const register = (policy: RunPolicy) => {
      const model = scriptedModel([program('return slow.wait()'), answered()])
      const agent = base(model).with(useCodeMode({ checker, sandbox })).build()
      const clerk = { name: 'clerk', description: 'Waits.', policy }
      return new Runtime().registerAgent(clerk, [toolset('slow', wait)], { agent })
    }
    const limited = await register({ toolTimeoutMs: 1_000 }).run('Wait.')
    const stopped = await register({ timeBudgetMs: 1_000 }).run('Wait.')
    vi.useRealTimers()
    expect(stopped.stop.reason).toBe('time_budget')
    expect(toolMessages(limited)).toEqual([
      'The program ended with an error: The call took too long and was aborted. No call was completed. These calls were cancelled and may have had effects: slow.wait(). Try another way.',
    ])
    expect(toolMessages(stopped)).toEqual([
      'The call took too long and was aborted. No call was completed. These calls were cancelled and may have had effects: slow.wait(). Try another way.',
    ])
    expect(aborted).toBe(2)
  })

  it('have the time limit of calls each', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const wait = tool({
      name: 'wait',
      description: 'Waits.',
      parameters: { type: 'object', properties: {} },
      run: () => {
        vi.advanceTimersByTime(800)
        return 1
      },
    })
    const model = scriptedModel([program('await slow.wait()\nawait slow.wait()\nreturn 2'), answered()])
    const agent = base(model).with(useCodeMode({ checker, sandbox })).build()
    const clerk = { name: 'clerk', description: 'Waits.', policy: { toolTimeoutMs: 1_000 } }
    const run = await new Runtime().registerAgent(clerk, [toolset('slow', wait)], { agent }).run('Wait.')
    vi.useRealTimers()
    expect(toolMessages(run)).toEqual(['{"value":2}'])
  })

  it('spend the tokens of nested agents from the budget of the run', async () => {
    const investigate = `return investigation.investigate({ sku: 'LAMP-1', problem: 'It flickers.' })`
    const finding = { cause: 'The driver.', remedy: 'Replace it.', part: 'DRIVER-2', sources: ['N-31'] }
    const usage = { promptTokens: 900, completionTokens: 100 }
    const research = registerResearch(new Runtime(), {
      agent: newResearchAgent(scriptedModel([{ ...says(JSON.stringify(finding)), usage }])).build(),
      toolsets: { archive: { client: new ArchiveClient() } },
    })
    const model = scriptedModel([program(investigate), answered()])
    const support = registerSupport(new Runtime(), {
      agent: newSupportAgent(model).with(useCodeMode({ checker, sandbox })).build(),
      policy: { maxTokens: 1_000 },
      toolsets: { orders: { client: new OrdersClient() }, investigation: research },
    })
    const run = await support.run('Why?', { env: { approval: { approve: async () => 'approve' } }, deepTracing: true })
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'max_tokens' }, usage: { promptTokens: 900 } })
    expect(toolMessages(run)).toEqual([JSON.stringify({ value: finding })])
    const nested = run.events.filter(({ agent, type }) => agent === 'research' && type === 'run_started')
    const [, call] = run.events.flatMap((event) => (event.type === 'call_started' ? event.call.toolCallId : []))
    expect(nested).toMatchObject([{ parentToolCallId: call }])
  })

  it('have their spans inside the span of the program', async () => {
    const unfollow = followContext()
    const telemetry = recordTelemetry()
    const desk = new Desk([program(refundAll), answered()])
    await desk.run(undefined, {}, new Runtime({ tracer: otelTracer(telemetry) }))
    unfollow()
    const names = (tree: ReturnType<typeof telemetry.trees>[number]): unknown => [
      tree.name,
      ...tree.children.map(names),
    ]
    expect(telemetry.trees().map(names)).toEqual([
      [
        'invoke_agent desk',
        ['chat'],
        ['execute_tool run_program', ['execute_tool payments_findPayments'], ['execute_tool payments_refundPayment']],
        ['chat'],
      ],
    ])
  })
})
