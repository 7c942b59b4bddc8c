import {
  approval,
  type HasApproval,
  provenanced,
  type RunEvent,
  Runtime,
  renderForModel,
  runConfig,
  type ToolLayer,
  type Tracer,
  tool,
  toolset,
} from '@toolgen/runtime'
import { modelPlanner } from '@toolgen/runtime/agents'
import { codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { otelTracer } from '@toolgen/runtime/otel'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { recordTelemetry } from '../telemetry/recorded-telemetry.js'
import { crm, invalidArguments, marker, pseudonymsIn, secretIn, secrets } from './crm.fixture.js'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

function supportOf(steps: Parameters<typeof scriptedModel>[0], options = {}) {
  const { registration, received } = crm()
  const model = scriptedModel(steps)
  const design = { name: 'support', description: 'Answers customers.' }
  const runtime = new Runtime(options)
  const support = runtime.registerAgent(design, [registration], { planner: modelPlanner(model) })
  return { support, received, model, runtime }
}

describe('pseudonyms for models', () => {
  it('a model reads pseudonyms, and the executor gets the values that the model passes on', async () => {
    const { support, received, model } = supportOf([
      calls({ tool: 'find', arguments: { id: marker } }),
      ({ messages }) => {
        const { email = '', salary = '', ssn = '' } = pseudonymsIn(messages)
        return calls({ tool: 'mail', arguments: { to: email, amount: salary, body: `About ${ssn} and ${email}.` } })
      },
      ({ messages }) => says(`Sent to ${pseudonymsIn(messages).to}.`),
    ])
    const run = await support.run('Write to the customer.')
    expect(secretIn(model.requests.map(({ messages }) => messages))).toBeUndefined()
    expect(pseudonymsIn(run.messages.slice(0, 4)).email).toMatch(/^email_[a-f\d]{12}@redacted\.invalid$/)
    expect(pseudonymsIn(run.messages.slice(0, 4)).note).toContain(marker)
    expect(received[1]?.args).toEqual({
      to: secrets.email,
      amount: secrets.salary,
      body: `About ${secrets.ssn} and ${secrets.email}.`,
    })
    expect(run.result?.text).toBe(`Sent to ${secrets.email}.`)
  })

  it.each([
    ['a URL', encodeURIComponent, encodeURIComponent],
    ['JSON', (text: string) => JSON.stringify({ a: text }), (text: string) => JSON.stringify({ a: text })],
    ['a text', (text: string) => `About ${text}.`, (text: string) => `About ${text}.`],
  ])('a pseudonym inside %s becomes the value in the same form', async (_, write, read) => {
    const { support, received } = supportOf([])
    const bodyOf = async (body: string): Promise<unknown> => {
      const outcome = await support.execute({ tool: 'mail', arguments: JSON.stringify({ body }) }, { sessionId: 's' })
      return outcome.status === 'completed' ? Object(received.at(-1)?.args).body : outcome.status
    }
    const outcome = await support.execute({ tool: 'find', arguments: '{}' }, { sessionId: 's' })
    const found: Record<string, string> = JSON.parse(renderForModel(outcome))
    for (const name of ['email', 'ssn', 'iban'] as const)
      expect(await bodyOf(write(found[name] ?? ''))).toBe(read(secrets[name]))
    expect(await bodyOf(write('<iban_0123456789ab>'))).toBe('failed')
  })

  it('a value has the same pseudonym in the whole session, and another one in another session', async () => {
    const { support, received } = supportOf([])
    const emailIn = async (sessionId: string): Promise<string> => {
      const outcome = await support.execute({ tool: 'find', arguments: '{}' }, { sessionId })
      return JSON.parse(renderForModel(outcome)).email
    }
    const first = await emailIn('one')
    expect(await emailIn('one')).toBe(first)
    expect(await emailIn('two')).not.toBe(first)
    const other = { tool: 'mail', arguments: JSON.stringify({ to: first }) }
    const rejected = await support.execute(other, { sessionId: 'two' })
    expect(renderForModel(rejected)).toBe(
      `The value of "${first}" is not available here. Read the value again, and use the new result. Try another way.`,
    )
    expect(received.map(({ tool }) => tool)).toEqual(['find', 'find', 'find'])
    expect(await support.execute(other, { sessionId: 'one' })).toMatchObject({
      result: { data: { to: secrets.email } },
    })
  })

  it('calls outside sessions and runs find the values of each other', async () => {
    const { support, received } = supportOf([])
    const found = await support.execute({ tool: 'find', arguments: '{}' })
    const { email } = JSON.parse(renderForModel(found))
    await support.execute({ tool: 'mail', arguments: JSON.stringify({ to: email }) })
    expect(received.at(-1)?.args).toEqual({ to: secrets.email })
  })

  it('the application reads values', async () => {
    const { support } = supportOf([])
    const outcome = await support.execute({ tool: 'find', arguments: '{}' })
    expect(outcome).toMatchObject({ status: 'completed', result: { data: secrets } })
  })

  it('long texts without pseudonyms take linear time', async () => {
    const { support } = supportOf([])
    await support.execute({ tool: 'find', arguments: '{}' }, { sessionId: 's' })
    const sent = JSON.stringify({ to: '_a'.repeat(500_000) })
    // Quadratic time would take hours.
    const outcome = await support.execute({ tool: 'mail', arguments: sent }, { sessionId: 's' })
    expect(outcome.status).toBe('completed')
  })

  it('a layer can replace the result by prose', async () => {
    const prose: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      return outcome.status === 'completed' ? { ...outcome, json: `${marker} has ${secrets.email}.` } : outcome
    }
    const { support } = supportOf([])
    const config = runConfig().layer(prose)
    const text = renderForModel(await support.execute({ tool: 'find', arguments: '{}' }, { config }))
    expect(text).toMatch(/^MARKER-7 has email_[a-f\d]{12}@redacted\.invalid\.$/)
  })

  it('a layer can move values to other fields', async () => {
    const events: RunEvent[] = []
    const moving: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      if (outcome.status !== 'completed') return outcome
      const { email, ssn } = Object(outcome.result.data)
      return request.complete({ contact: email, text: `${marker} has ${ssn}.` })
    }
    const { support } = supportOf([], { sinks: [(event: RunEvent) => events.push(event)] })
    const config = runConfig().layer(moving)
    const outcome = await support.execute({ tool: 'find', arguments: '{}' }, { config })
    expect(renderForModel(outcome)).toContain(marker)
    expect(secretIn(renderForModel(outcome))).toBeUndefined()
    expect(secretIn(events)).toBeUndefined()
  })

  it('the hint of a failure has pseudonyms', async () => {
    const { support } = supportOf([])
    const outcome = await support.execute({ tool: 'fail', arguments: JSON.stringify({ email: secrets.email }) })
    expect(renderForModel(outcome)).toContain(marker)
    expect(secretIn(renderForModel(outcome))).toBeUndefined()
  })
})

describe('arguments that an approver changes', () => {
  it('are pseudonyms for models, and do not appear in events', async () => {
    const events: RunEvent[] = []
    const { support, received } = supportOf([], { sinks: [(event: RunEvent) => events.push(event)] })
    const changed = { id: marker, email: secrets.email }
    const env: HasApproval = { approval: { approve: async () => ({ decision: 'approve', arguments: changed }) } }
    const sent = JSON.stringify({ id: 'C-1' })
    const outcome = await support.execute(
      { tool: 'find', arguments: sent },
      { config: runConfig().layer(approval()), env },
    )
    expect(received.at(-1)?.args).toEqual(changed)
    expect(renderForModel(outcome)).toMatch(/The approver changed the arguments of this call to .*MARKER-7/)
    expect(secretIn(renderForModel(outcome))).toBeUndefined()
    expect(secretIn(events)).toBeUndefined()
  })
})

describe('a tool without sensitive fields hides values', () => {
  it.each([{ sessionId: 's' }, { runId: 'r' }])('that another call of %j learns while it runs', async (scope) => {
    let release = (_: unknown): void => undefined
    const waiting = new Promise((resolve) => {
      release = resolve
    })
    const late = tool({ name: 'late', description: 'Waits.', parameters: {}, run: () => waiting })
    const events: RunEvent[] = []
    const runtime = new Runtime({ sinks: [(event) => events.push(event)] })
    const customers = runtime.registerToolset(crm().registration)
    const lates = runtime.registerToolset(toolset('other', late))
    const ended = lates.execute({ tool: 'late', arguments: '{}' }, scope)
    await customers.execute({ tool: 'find', arguments: '{}' }, scope)
    release({ note: marker, email: secrets.email })
    const outputs = [renderForModel(await ended), events]
    expect(JSON.stringify(outputs)).toContain(marker)
    expect(secretIn(outputs)).toBeUndefined()
  })

  it('that its own calls learn outside sessions and runs, and other calls do not know them', async () => {
    const { support, runtime } = supportOf([])
    const program = runtime.registerToolset(codeMode(support, { checker, sandbox }))
    const code = `return [await crm.find({ id: '${marker}' }), 'Call ${secrets.salary + 1}']`
    const text = renderForModel(await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) }))
    expect(text).toContain(marker)
    expect(secretIn(text)).toBeUndefined()
    const echo = tool({ name: 'echo', description: 'Repeats.', parameters: {}, run: () => secrets.email })
    const other = runtime.registerToolset(toolset('other', echo))
    expect(renderForModel(await other.execute({ tool: 'echo', arguments: '{}' }))).toContain(secrets.email)
  })
})

describe('what event sinks and tracers read', () => {
  it('no arguments that are not JSON', async () => {
    const events: RunEvent[] = []
    const { support } = supportOf([], { sinks: [(event: RunEvent) => events.push(event)] })
    await support.execute({ tool: 'find', arguments: `{"email":"${secrets.email}",` })
    expect(events[0]).toMatchObject({ type: 'call_started', arguments: '"[redacted]"' })
    expect(secretIn(events)).toBeUndefined()
  })

  describe('invalid arguments', () => {
    const parameters = {
      type: 'object',
      properties: { email: { type: 'string' }, n: { type: 'number', maximum: 9 } },
      required: ['email', 'n'],
    }
    /** Runs an agent that calls a tool whose email address is hidden from events and recordings, but not from models. */
    async function runOf(sent: string, steps: Parameters<typeof scriptedModel>[0] = [says('Done.')]) {
      const events: RunEvent[] = []
      const charge = toolOf('bank.charge', {
        arguments: parameters,
        spec: { sensitive: { payload: { '/email': { events: 'omit', recording: 'omit' } } } },
      })
      const registration = registrationOf(charge, () => ({ id: 'C-1', total: 1 }))
      const model = scriptedModel([calls({ tool: 'bank_charge', arguments: sent }), ...steps])
      const runtime = new Runtime({ sinks: [(event) => events.push(event)] })
      const design = { name: 'support', description: 'Answers customers.' }
      const support = runtime.registerAgent(design, [registration], { planner: modelPlanner(model) })
      const run = await support.run('Charge the customer.')
      const started = events.find(({ type }) => type === 'call_started')
      return { events, run, started: Object(started).arguments, messages: model.requests.at(-1)?.messages ?? [] }
    }

    it.each(invalidArguments.slice(0, -1))(
      'are omitted in events, and stay in the conversation of the model: %s',
      async (sent) => {
        const { events, started, messages, run } = await runOf(sent)
        expect(started).toBe('"[redacted]"')
        expect(secretIn(events)).toBeUndefined()
        expect(messages).toContainEqual(
          expect.objectContaining({
            tool_calls: [expect.objectContaining({ function: { name: 'bank_charge', arguments: sent } })],
          }),
        )
        expect(run.outcomes[0]).toMatchObject({
          hint: { reason: expect.stringMatching(/arguments|fields/), rejected: sent },
        })
      },
    )

    it('a misplaced number is not in the issues', async () => {
      const { events } = await runOf('{"email":"","n":1234567}')
      expect(JSON.stringify(events)).not.toContain('1234567')
    })

    it('without values stay', async () => {
      expect((await runOf('{"email":null}')).started).toBe('{"email":null}')
      expect((await runOf('{}')).started).toBe('{}')
    })

    it('only with an invalid sensitive value keep their other fields', async () => {
      expect((await runOf('{"email":["ada"],"n":1}')).started).toBe('{"email":["[redacted]"],"n":1}')
    })

    it('do not hide the corrected arguments', async () => {
      const { events } = await runOf('{"email":"ada@example.com","n":1', [
        calls({ tool: 'bank_charge', arguments: '{"email":"ada@example.com","n":1}' }),
        says('Done.'),
      ])
      const started = events.filter(({ type }) => type === 'call_started').map((event) => Object(event).arguments)
      expect(started).toEqual(['"[redacted]"', '{"email":"[redacted]","n":1}'])
    })
  })

  it('short values, numbers and flags are hidden at their fields', async () => {
    const events: RunEvent[] = []
    const hidden = { events: 'omit', model: 'pseudonym' } as const
    const check = tool({
      name: 'check',
      description: 'Checks.',
      parameters: {},
      sensitive: { result: { '/people/*': hidden, '/byName/**/pin': hidden } },
      run: () => ({ people: [{ code: 'X1', age: 7, ok: true, none: null }], byName: { a: { b: { pin: 42 } } }, n: 7 }),
    })
    const runtime = new Runtime({ sinks: [(event) => events.push(event)] })
    const outcome = await runtime.registerToolset(toolset('t', check)).execute({ tool: 'check', arguments: '{}' })
    const gone = '[redacted]'
    const [, ended] = events
    expect(Object(ended).outcome.result.data).toEqual({
      people: [{ code: gone, age: gone, ok: gone, none: null }],
      byName: { a: { b: { pin: gone } } },
      n: 7,
    })
    expect(JSON.parse(renderForModel(outcome)).byName.a.b.pin).toMatch(/^<pin_[a-f\d]{12}>$/)
  })

  it('no short value in messages, suspensions and runs, but other fields', async () => {
    const sinks: unknown[] = []
    const spans: unknown[] = []
    const hidden = { events: 'omit', telemetry: 'omit', recording: 'pseudonym' } as const
    const code = tool({
      name: 'code',
      description: 'Returns a code.',
      parameters: { type: 'object', properties: { pin: { type: 'integer' }, floor: { type: 'integer' } } },
      sensitive: { payload: { '/pin': hidden }, result: { '/pin': hidden, '/ok': hidden } },
      run: ({ floor }) => ({ pin: 4711, ok: true, floor }),
    })
    const tracer: Tracer = {
      call: (_, work) => work(),
      model: (_, work) => work(),
      run: async (_, work) => {
        const ended = await work()
        spans.push(ended)
        return ended
      },
    }
    const model = scriptedModel([
      calls({ tool: 'code', arguments: { floor: 3 } }),
      calls({ tool: 'code', arguments: { pin: 4711, floor: 4711 } }),
      says('Done.'),
    ])
    const design = { name: 'support', description: 'Answers.' }
    const runtime = new Runtime({ tracer, sinks: [(event) => sinks.push(event)] })
    const support = runtime.registerAgent(design, [toolset('t', code)], { planner: modelPlanner(model) })
    const env: HasApproval = {
      approval: { approve: async (request) => (Object(request.arguments).pin === 4711 ? 'suspend' : 'approve') },
    }
    const options = { env, config: runConfig().layer(approval()) }
    const run = support.run('Get the code.', options)
    const parts: unknown[] = []
    for await (const part of run.parts()) parts.push(part)
    const { suspension } = await run
    for (const output of [sinks, parts, spans, suspension]) {
      const text = JSON.stringify(output).replaceAll('\\', '')
      expect(text).not.toMatch(/"pin":4711|"ok":true/)
      expect(text).toContain('"floor":4711')
    }
    const stored = JSON.parse(JSON.stringify(suspension))
    const resumed = await support.resume(stored, { [stored.pending[0].id]: 'approve' }, options)
    expect(resumed.outcomes.at(-1)).toMatchObject({ result: { data: { pin: 4711, ok: true, floor: 4711 } } })
  })

  it('no value in data of the application, also in properties like `id`', async () => {
    const sinks: unknown[] = []
    const { support } = supportOf([], { sinks: [(event: RunEvent) => sinks.push(event)] })
    const detail = { extra: { source: { id: secrets.ssn, path: marker } } }
    const noting: ToolLayer = (next) => async (request) => {
      const outcome = await next(request)
      return outcome.status === 'completed' ? request.complete(provenanced(outcome.result.data, detail)) : outcome
    }
    await support.execute({ tool: 'find', arguments: '{}' }, { config: runConfig().layer(noting) })
    expect(JSON.stringify(sinks)).toContain(`"path":"${marker}"`)
    expect(secretIn(sinks)).toBeUndefined()
  })

  it('no secret, also if a model sends one or an error quotes it', async () => {
    const events: RunEvent[] = []
    const telemetry = recordTelemetry()
    const tracer = otelTracer({ ...telemetry, captureContent: true })
    const { support } = supportOf(
      [
        calls({ tool: 'find', arguments: { id: marker, email: secrets.email } }, { tool: 'watch', arguments: {} }),
        calls({ tool: 'fail', arguments: { email: secrets.email } }),
        says(`It is ${secrets.email}, ${marker}.`),
      ],
      { sinks: [(event: RunEvent) => events.push(event)], tracer },
    )
    const run = support.run('Find the customer.')
    const parts: unknown[] = []
    for await (const part of run.parts()) parts.push(part)
    const spans = telemetry.trees()
    for (const output of [events, parts, spans]) {
      expect(JSON.stringify(output)).toContain(marker)
      expect(secretIn(output)).toBeUndefined()
    }
    expect((await run).result?.text).toBe(`It is ${secrets.email}, ${marker}.`)
  })
})
