import {
  type ApprovalRequest,
  type CallOptions,
  type HasApproval,
  type RunEvent,
  Runtime,
  renderForModel,
  ToolFailure,
  type ToolOutcome,
  timeout,
  tool,
  toolset,
} from '@toolgen/runtime'
import { base, useTools } from '@toolgen/runtime/agents'
import {
  type CodeModeOptions,
  codeMode,
  quickJsSandbox,
  type Sandbox,
  typescriptChecker,
} from '@toolgen/runtime/code-mode'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { openDesk } from '../../examples/approval/src/desk.js'
import { PaymentsClient } from '../../examples/approval/src/payments-client.js'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

/** The desk in code mode, with its service and the approvals that it asked for. */
class Desk {
  readonly client = new PaymentsClient()
  readonly asked: ApprovalRequest[] = []
  readonly #options: CodeModeOptions

  constructor(options: CodeModeOptions = {}) {
    this.#options = { checker, sandbox, ...options }
  }

  run(code: string, decision: 'approve' | 'deny' | 'suspend' = 'approve', budget = 100): Promise<ToolOutcome> {
    const program = new Runtime().registerToolset(codeMode(openDesk(this.client), this.#options))
    return program.execute(
      { tool: 'run_program', arguments: JSON.stringify({ code }), toolCallId: 'program-1' },
      {
        env: {
          approval: {
            approve: async (request) => {
              this.asked.push(request)
              return decision
            },
          },
          budget: { take: (amount) => amount <= budget },
        },
      },
    )
  }
}

const refundAll = `const found = await payments.findPayments({ customerId: 'C-7' })
const small = found.filter((payment) => payment.amount < 50)
const refunds = await Promise.all(small.map(({ id, amount }) => payments.refundPayment({ paymentId: id, amount })))
console.log('refunded', refunds.length)
return { refunded: refunds.map((refund) => refund.paymentId), left: found.length - refunds.length }`

describe('a program', () => {
  it('calls tools of a generated agent through their layers and approvals', async () => {
    const desk = new Desk()
    const outcome = await desk.run(refundAll)
    expect(outcome).toMatchObject({
      status: 'completed',
      json: '{"value":{"refunded":["P-1"],"left":1},"console":["refunded 1"]}',
      provenance: {
        tool: 'program.run_program',
        children: [
          { tool: 'payments.findPayments', parentToolCallId: 'program-1' },
          { tool: 'payments.refundPayment', parentToolCallId: 'program-1' },
        ],
        extra: { tokensSaved: expect.any(Number) },
      },
    })
    expect(desk.client.done).toEqual(['refunded P-1'])
    expect(desk.asked.map(({ prompt }) => prompt)).toEqual(['Refund 40 € of payment P-1?'])
  })

  it('estimates the tokens of results that the model does not read', async () => {
    const saved = async (code: string) => (await new Desk().run(code)).provenance.extra?.tokensSaved
    const all = `const found = await payments.findPayments({ customerId: 'C-7' })\n`
    const list = await new Desk().run(`${all}return found`)
    const length = list.status === 'completed' ? list.json.length - '{"value":}'.length : 0
    const ofList = (await saved(`${all}return found.length`)) as number
    expect(ofList).toBeGreaterThan(length / 5)
    expect(ofList).toBeLessThan(length / 2)
    // Eight digits have 6.4 tokens, and the number of items has 0.8.
    expect(await saved(`${all}console.log('12345678')\nreturn found.length`)).toBe(ofList + 1 - 8)
    expect(await saved(`${all}return [found, found]`)).toBe(0)
    expect(await saved(`return 1`)).toBe(0)
    expect(await saved(`return await payments.nothing()`)).toBeUndefined()
  })

  it('has no effect if it does not pass the check', async () => {
    const desk = new Desk()
    const outcome = await desk.run(refundAll.replace('paymentId: id', 'payment: id'))
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'domain_rejection', action: 'correct_call' } })
    expect(renderForModel(outcome)).toContain(
      `Line 3: Object literal may only specify known properties, but 'payment' does not exist`,
    )
    expect(renderForModel(outcome)).toContain('refundPayment(args: {')
    expect([desk.client.done, desk.asked]).toEqual([[], []])
  })

  it('can catch the failure of a call, and reads its hint', async () => {
    const code = `try { await payments.refundPayment({ paymentId: 'P-2', amount: 90 }) }
      catch (error) { return error instanceof Error ? [error.name, error.message] : null }`
    const outcome = await new Desk().run(code, 'approve', 50)
    expect(outcome).toMatchObject({
      status: 'completed',
      json: '{"value":["ToolError","The budget for refunds is used up. Offer a voucher instead."]}',
    })
  })

  it('ends with the hint of a failure that it does not catch, and with the completed calls', async () => {
    const code = `await payments.refundPayment({ paymentId: 'P-1', amount: 40 })
      return payments.refundPayment({ paymentId: 'P-2', amount: 90 })`
    const desk = new Desk()
    const outcome = await desk.run(code, 'approve', 50)
    expect(outcome).toMatchObject({ status: 'failed', hint: { action: 'replan' } })
    expect(renderForModel(outcome)).toBe(
      "The program ended with an error: The budget for refunds is used up. Offer a voucher instead. These calls were completed: payments.refundPayment({ paymentId: 'P-1', amount: 40 }). Do not repeat calls with effects. Try another way.",
    )
    expect(desk.client.done).toEqual(['refunded P-1'])
  })

  it('asks for a correction if its first call has invalid arguments', async () => {
    const outcome = await new Desk().run(`return payments.findPayments({ customerId: 'seven' })`)
    expect(outcome).toMatchObject({ status: 'failed', hint: { action: 'correct_call' } })
    expect(renderForModel(outcome)).toMatch(
      /^The program ended with an error: Invalid arguments: customerId must match .* No call was completed\. Correct the arguments and call again\.$/,
    )
  })

  it.each([
    ['```ts\nBODY\n```', 2],
    ['```typescript\r\nBODY\r\n```\n', 2],
    ['\n  ```\nBODY\n```', 3],
    ['~~~\nBODY\n~~~', 2],
    ['```ts\nBODY', 2],
  ])('can have the Markdown fence %j', async (fence, line) => {
    const desk = new Desk()
    expect(await desk.run(fence.replace('BODY', 'return 1'))).toMatchObject({ json: '{"value":1}' })
    expect(renderForModel(await desk.run(fence.replace('BODY', 'return payments.nothing()')))).toContain(
      `The program was not run.\nLine ${line}: Property 'nothing' does not exist`,
    )
  })

  it('waits if its first call has to wait, and ends its own errors with a period', async () => {
    const busy = tool({
      name: 'busy',
      description: '',
      parameters: {},
      run: () => {
        throw new ToolFailure('Busy.', { reason: 'rate_limited', retryAfterMs: 1500 })
      },
    })
    const free = tool({ name: 'free', description: '', parameters: {}, run: () => 1 })
    const tools = new Runtime().registerToolset(toolset('shop', busy, free))
    const program = new Runtime().registerToolset(codeMode(tools, { checker, sandbox }))
    const run = (code: string) => program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
    const first = await run('await shop.busy()')
    expect(first).toMatchObject({ hint: { reason: 'rate_limited', action: 'wait', retryAfterMs: 1500 } })
    expect(renderForModel(first)).toBe(
      'The program ended with an error: Busy. No call was completed. Try again in 2 s.',
    )
    expect(renderForModel(await run('await shop.free()\nawait shop.busy()'))).toBe(
      'The program ended with an error: Busy. Try again in 2 s. These calls were completed: shop.free(). Do not repeat calls with effects. Try another way.',
    )
    expect(renderForModel(await run("throw 'no'"))).toBe(
      'The program ended with an error: Error: no. No call was completed. Correct the arguments and call again.',
    )
  })

  it('reads a real program as the correct example', async () => {
    const program = new Runtime().registerToolset(codeMode(openDesk(new PaymentsClient()), { checker, sandbox }))
    const env = { approval: { approve: async () => 'deny' as const }, budget: { take: () => false } }
    const outcome = await program.execute({ tool: 'run_program', arguments: '{"program":"return 1"}' }, { env })
    const code = "return await payments.findPayments({ customerId: 'C-7' })"
    expect(renderForModel(outcome)).toContain(`Correct example: ${JSON.stringify({ code })}`)
    expect(await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) }, { env })).toMatchObject({
      status: 'completed',
    })
  })

  it('reads a list of completed calls in which calls with effects come before the rest', async () => {
    const parameters = {
      type: 'object',
      properties: { id: { type: 'string' }, note: { type: 'string' } },
      required: ['id'],
    }
    const find = tool({ name: 'find', description: '', parameters, annotations: { readOnly: true }, run: () => 1 })
    const pay = tool({ name: 'pay', description: '', parameters, run: () => 1 })
    const tools = new Runtime().registerToolset(toolset('shop', find, pay))
    const program = new Runtime().registerToolset(codeMode(tools, { checker, sandbox }))
    const textOf = async (code: string): Promise<string> =>
      renderForModel(await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) }))
    const many = (count: number) => `for (let n = 0; n < ${count}; n += 1) await shop.find({ id: 'A-' + n })
      await shop.pay({ id: "it's", note: 'x'.repeat(200) })
      for (const id of ['B-1', 'B-1', 'B-2']) await shop.pay({ id })
      throw new Error('${'late '.repeat(200)}')`
    expect(await textOf(many(2))).toMatch(
      /^The program ended with an error: Error: late [late ]*… These calls were completed: shop\.find\({ id: 'A-0' }\), shop\.find\({ id: 'A-1' }\), shop\.pay\({ id: "it's", note: 'x+…\), 2 times shop\.pay\({ id: 'B-1' }\), shop\.pay\({ id: 'B-2' }\)\. Do not repeat calls with effects\. Try another way\.$/,
    )
    expect(await textOf(many(40))).toMatch(
      /These calls were completed: 40 times shop\.find, shop\.pay\({ id: "it's", note: 'x+…\), 2 times shop\.pay\({ id: 'B-1' }\), shop\.pay\({ id: 'B-2' }\)\. Do not repeat calls with effects\. Try another way\.$/,
    )
  })

  it('reads the declared result of a denied call, and is suspended if the call has to wait', async () => {
    const code = `return payments.closeAccount({ customerId: 'C-7' })`
    expect(await new Desk().run(code, 'deny')).toMatchObject({
      json: '{"value":{"closed":false,"note":"A person decided to keep the account open."}}',
    })
    expect(await new Desk().run(code, 'suspend')).toMatchObject({
      status: 'suspended',
      suspension: { kind: 'approval', nested: { agent: 'desk', pending: [{ prompt: expect.any(String) }] } },
    })
  })

  it('names the calls that it left running', async () => {
    const parameters = { type: 'object', properties: {} }
    const wait = tool({
      name: 'wait',
      description: 'Waits.',
      parameters,
      run: (_, { meta }) => new Promise((resolve) => meta.signal.addEventListener('abort', resolve)),
    })
    const quick = tool({ name: 'quick', description: 'Ends at once.', parameters, run: () => 1 })
    const tools = new Runtime().registerToolset(toolset('slow', wait, quick))
    const program = new Runtime().registerToolset(codeMode(tools, { checker, sandbox }))
    const code = 'return await Promise.race([slow.wait(), slow.quick()])'
    expect(renderForModel(await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) }))).toBe(
      'The program ended while calls were running. Write `await` before each call. These calls were completed: slow.quick(). Do not repeat calls with effects. These calls were cancelled and may have had effects: slow.wait(). Try another way.',
    )
  })

  it('receives invalid values that types cannot express as a failure of the call', async () => {
    const outcome = await new Desk().run(`return payments.findPayments({ customerId: 'seven' })`)
    expect(renderForModel(outcome)).toMatch(/customerId/)
    expect(renderForModel(outcome)).toContain('No call was completed.')
  })

  it('stays within its limits', async () => {
    const loop = `for (;;) await payments.findPayments({ customerId: 'C-7' })`
    expect(renderForModel(await new Desk({ limits: { calls: 3 } }).run(loop))).toMatch(
      /^The program made more than 3 calls\. These calls were completed: 3 times payments\.findPayments\({ customerId: 'C-7' }\)\./,
    )
    expect(renderForModel(await new Desk({ limits: { computeMs: 100 } }).run('for (;;);'))).toContain(
      '100 ms of computing',
    )
    expect(renderForModel(await new Desk({ limits: { resultCharacters: 10 } }).run(`return 'x'.repeat(20)`))).toContain(
      'has 22 characters; the limit is 10',
    )
  })

  it('is cancelled with its call', async () => {
    const controller = new AbortController()
    const wait = tool({
      name: 'wait',
      description: 'Waits.',
      parameters: { type: 'object', properties: {} },
      run: (_, { meta }) => {
        controller.abort()
        return new Promise((_, reject) => meta.signal.addEventListener('abort', () => reject(meta.signal.reason)))
      },
    })
    const tools = new Runtime().registerToolset(toolset('slow', wait))
    const program = new Runtime().registerToolset(codeMode(tools, { checker, sandbox }))
    const call = { tool: 'run_program', arguments: JSON.stringify({ code: 'return slow.wait()' }) }
    expect(await program.execute(call, { signal: controller.signal })).toMatchObject({
      status: 'failed',
      hint: { reason: 'cancelled' },
    })
  })
})

describe('a program that is ended by its call', () => {
  const parameters = { type: 'object', properties: {} }
  const code = 'await shop.pay()\nawait shop.pay()\nawait shop.ship()\nreturn 1'

  /** Runs a program until `end` is called while its last call runs. */
  async function textOf(end: () => void, limitMs: number, options: CallOptions): Promise<string> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const pay = tool({ name: 'pay', description: 'Pays.', parameters, run: () => 1 })
      const ship = tool({
        name: 'ship',
        description: 'Ships.',
        parameters,
        run: () => {
          end()
          return new Promise(() => undefined)
        },
      })
      const tools = new Runtime().registerToolset(toolset('shop', pay, ship))
      const registration = codeMode(tools, { checker, sandbox }).layer(timeout(limitMs))
      const program = new Runtime().registerToolset(registration)
      return renderForModel(
        await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) }, options),
      )
    } finally {
      vi.useRealTimers()
    }
  }

  const done =
    'These calls were completed: 2 times shop.pay(). Do not repeat calls with effects. These calls were cancelled and may have had effects: shop.ship().'
  const late = `The call took too long and was aborted. ${done} Try another way.`

  it('names the calls after a timeout by a layer', async () => {
    expect(await textOf(() => vi.advanceTimersByTime(60_000), 60_000, {})).toBe(late)
  })

  it('names the calls after the deadline', async () => {
    const options = { deadline: Date.now() + 60_000 }
    expect(await textOf(() => vi.advanceTimersByTime(60_000), 120_000, options)).toBe(late)
  })

  it('names the calls after an abort', async () => {
    const controller = new AbortController()
    const text = await textOf(() => controller.abort(), 60_000, { signal: controller.signal })
    expect(text).toBe(`The call was cancelled. ${done}`)
  })
})

describe('the tool run_program', () => {
  it('describes the functions and their types to the model', () => {
    const { specs } = new Runtime().registerToolset(codeMode(openDesk(new PaymentsClient()), { checker, sandbox }))
    expect(specs.map(({ toolName }) => toolName)).toEqual(['run_program'])
    expect(specs[0]?.description).toContain(`declare namespace payments {
/** List the payments of a customer, newest first */
function findPayments(args: {
  customerId: string // Customer number, e.g. C-7
}): Promise<{ id: string; amount: number; refunded: boolean }[]>`)
  })

  it('is a tool of an agent with a model', async () => {
    const client = new PaymentsClient()
    const model = scriptedModel([
      calls({ tool: 'run_program', arguments: { code: refundAll } }),
      ({ messages }) => says(`I paid ${String(messages.at(-1)?.content)} back.`),
    ])
    const agent = base(model)
      .with(useTools(codeMode(openDesk(client), { checker, sandbox })))
      .build()
    const clerk = new Runtime().registerAgent({ name: 'clerk', description: 'Helps.' }, [], { agent })
    const env = { approval: { approve: async () => 'approve' as const }, budget: { take: () => true } }
    const run = await clerk.run('Refund the small payments of C-7.', { env })
    expect(run.result?.text).toBe('I paid {"value":{"refunded":["P-1"],"left":1},"console":["refunded 1"]} back.')
    expect(run.usage).toMatchObject({ turns: 2, toolCalls: 3 })
    expect(client.done).toEqual(['refunded P-1'])
  })

  it('publishes the events of its calls in the run and in the sinks of both runtimes, each once', async () => {
    const [ofTools, ofRun]: string[][] = [[], []]
    const sink = (names: string[] | undefined) => (event: RunEvent) => {
      if ('call' in event) names?.push(`${event.type} ${event.call.tool} in ${event.call.parentToolCallId}`)
    }
    const one = tool({
      name: 'one',
      description: 'Returns 1.',
      parameters: { type: 'object', properties: {} },
      run: () => 1,
    })
    const tools = new Runtime({ sinks: [sink(ofTools)] }).registerToolset(toolset('local', one))
    const model = scriptedModel([
      calls({ tool: 'run_program', arguments: { code: 'return local.one()' }, toolCallId: 'p' }),
      says('1.'),
    ])
    const agent = base(model)
      .with(useTools(codeMode(tools, { checker, sandbox })))
      .build()
    const clerk = new Runtime({ sinks: [sink(ofRun)] }).registerAgent({ name: 'clerk', description: '' }, [], { agent })
    for await (const event of clerk.run('One?')) sink(ofRun)(event)
    const inner = ['call_started local.one in p', 'call_ended local.one in p']
    expect(ofTools).toEqual(inner)
    expect(ofRun?.toSorted()).toEqual(
      ['call_ended program.run_program in undefined', 'call_started program.run_program in undefined', ...inner]
        .flatMap((name) => [name, name])
        .toSorted(),
    )
  })

  it('requires the `env` of the tools at compile time', async () => {
    const program = new Runtime().registerToolset(codeMode(openDesk(new PaymentsClient()), { checker, sandbox }))
    const call = { tool: 'run_program', arguments: '{"code":"return 1"}' }
    // @ts-expect-error: the desk needs an approver and a budget
    expect(await program.execute(call)).toMatchObject({ status: 'completed' })
    const env: HasApproval = { approval: { approve: async () => 'deny' } }
    // @ts-expect-error: the desk also needs a budget
    expect(await program.execute(call, { env })).toMatchObject({ status: 'completed' })
  })

  it('cannot be made of no tools, or with an invalid time limit', () => {
    const none = new Runtime().registerToolset(toolset('none'))
    expect(() => codeMode(none)).toThrow('codeMode: the agent or toolset has no tools')
    expect(() => codeMode({} as typeof none)).toThrow('codeMode: pass a registered agent or toolset')
    expect(() => typescriptChecker({ timeLimitMs: 0 })).toThrow(RangeError)
  })
})

describe('a checker', () => {
  it('rejects a program whose check takes too long, and works again afterwards', async () => {
    const timeLimitMs = 12_345
    const own = typescriptChecker({ timeLimitMs })
    const start = globalThis.setTimeout
    let isFirst = true
    // The time limit of the first check expires before the checker can answer. Other code of this process can start timers too.
    const limit = vi.spyOn(globalThis, 'setTimeout').mockImplementation((action, delay) => {
      if (delay !== timeLimitMs || !isFirst) return start(action, delay)
      isFirst = false
      queueMicrotask(action)
      return start(() => undefined, 0)
    })
    try {
      const [slow, next] = [1, 2].map(() => own.check('type Json = 1', 'return 1'))
      expect(await slow).toEqual({
        ok: false,
        issues: [{ line: 1, message: 'The check of the program takes too long. Simplify the program.' }],
      })
      expect(await next).toMatchObject({ ok: true })
    } finally {
      limit.mockRestore()
      await own.close()
    }
  })

  it('ends waiting checks when it is closed', async () => {
    const own = typescriptChecker()
    const waiting = own.check('type Json = 1', 'return 1')
    await Promise.all([expect(waiting).rejects.toThrow('The checker was closed.'), own.close()])
  })
})

describe('several toolsets in code mode', () => {
  const numbers = (name: string) => tool({ name, description: 'Add one.', parameters, run: ({ value }) => value + 1 })
  const parameters = { type: 'object', properties: { value: { type: 'number' } }, required: ['value'] }

  it('are called by one program', async () => {
    const events: string[] = []
    const runtime = new Runtime({ sinks: [(event) => event.type === 'call_ended' && events.push(event.call.tool)] })
    const one = runtime.registerToolset(toolset('one', numbers('up')))
    const two = runtime.registerToolset(toolset('two', numbers('next')))
    const program = runtime.registerToolset(codeMode([one, two], { checker, sandbox }))
    const code = 'return [await one.up({ value: 1 }), await two.next({ value: 5 })]'
    const outcome = await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
    expect(outcome).toMatchObject({ status: 'completed', result: { data: { value: [2, 6] } } })
    expect(events).toEqual(['one.up', 'two.next', 'program.run_program'])
  })

  it('must have tools, and tools with different names', () => {
    const bound = () => new Runtime().registerToolset(toolset('one', numbers('up')))
    expect(() => codeMode([bound(), bound()])).toThrow(
      "codeMode: two tools have the name 'up'. Rename one of them with `rename`.",
    )
    expect(() => codeMode([])).toThrow('codeMode: the agent or toolset has no tools')
    expect(() => codeMode([{} as never])).toThrow('codeMode: pass a registered agent or toolset, or an array of these')
  })
})

describe('a sandbox that cannot start', () => {
  it('fails the call as internal with the cause, which the model does not read', async () => {
    const message = 'Programs run in QuickJS: run `npm install quickjs-emscripten`.'
    const unavailable: Sandbox = {
      run: async () => ({ status: 'failed', reason: 'unavailable', message, logs: [] }),
      close: async () => undefined,
    }
    const outcome = await new Desk({ sandbox: unavailable }).run('return 1')
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'internal' } })
    expect(outcome).toHaveProperty('error.cause.message', message)
    expect(renderForModel(outcome)).not.toContain('Nest calls')
  })
})
