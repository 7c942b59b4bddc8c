import { Runtime, tool, toolset } from '@toolgen/runtime'
import { answer, base, callTools, type Planner } from '@toolgen/runtime/agents'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { describe, expect, it } from 'vitest'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { projectOf, serve, shop } from './shop.fixture.js'

const email = 'ada@secret.example'

/** Tool whose result has an email address that the studio must not show. */
const finding = (sensitive: object) =>
  tool({
    name: 'find',
    description: 'Finds a customer.',
    parameters: { type: 'object' },
    sensitive: { result: { '/email': sensitive } },
    run: () => ({ email }),
  })

const sessions = [undefined, 's-1']

describe('the next run of a conversation', () => {
  it.each(sessions)('hides the values of the first run (session %s)', async (sessionId) => {
    const model = scriptedModel([calls({ tool: 'find' }), says('Found.'), says(`It is ${email}.`), says(`${email}!`)])
    const agent = new Runtime().registerAgent(
      { name: 'helper', description: 'Helps.' },
      [toolset('crm', finding({ events: 'omit', recording: 'omit' }))],
      { agent: base(model).build() },
    )
    const client = await serve(projectOf([agent], { context: () => ({ sessionId }) }))
    let after: string | undefined
    for (const input of ['Who is it?', 'Which address?', 'Sure?']) {
      const { run } = await client.post('api/runs', { agent: 'helper', input, ...(after !== undefined && { after }) })
      expect(JSON.stringify(await client.parts(run))).not.toContain('secret')
      const record = await client.get(`api/runs/${run}`)
      expect([record.summary.status, JSON.stringify(record).includes('secret')]).toEqual(['completed', false])
      after = run
    }
    // The model has received the value.
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(email)
  })

  it.each(sessions)('knows the pseudonyms of the first run (session %s)', async (sessionId) => {
    const received: unknown[] = []
    const mail = tool({
      name: 'mail',
      description: 'Sends a mail.',
      parameters: { type: 'object', properties: { to: { type: 'string' } } },
      run: (sent) => {
        received.push(sent)
        return 'sent'
      },
    })
    const planner: Planner = ({ messages, outcomes }) => {
      if (outcomes.length > 0) return answer('Done.')
      const [to] = /email_\w+@redacted\.invalid/.exec(JSON.stringify(messages)) ?? []
      return to === undefined
        ? callTools({ tool: 'crm.find', arguments: '{}', toolCallId: 'c-1' })
        : callTools({ tool: 'crm.mail', arguments: JSON.stringify({ to }), toolCallId: 'c-2' })
    }
    const agent = new Runtime().registerAgent(
      { name: 'helper', description: 'Helps.' },
      [toolset('crm', finding({ model: 'pseudonym', events: 'omit' }), mail)],
      { planner },
    )
    const client = await serve(projectOf([agent], { context: () => ({ sessionId }) }))
    const first = await client.post('api/runs', { agent: 'helper', input: 'Find' })
    await client.parts(first.run)
    const next = await client.post('api/runs', { agent: 'helper', input: 'Mail', after: first.run })
    expect(JSON.stringify(await client.parts(next.run))).not.toContain('secret')
    expect(received).toEqual([{ to: email }])
  })

  it('is refused if it could not hide the values', async () => {
    const agentOn = (runtime: Runtime, name: string) => {
      const model = scriptedModel([calls({ tool: 'find' }), says('Found.'), says('Hello.')])
      const tools = [toolset('crm', finding({ events: 'omit', recording: 'omit' }))] as const
      return runtime.registerAgent({ name, description: 'Helps.' }, tools, { agent: base(model).build() })
    }
    const runtime = new Runtime()
    const agents = [agentOn(runtime, 'one'), agentOn(runtime, 'two'), agentOn(new Runtime(), 'other')]
    const client = await serve(projectOf(agents))
    const first = await client.post('api/runs', { agent: 'one', input: 'Who?' })
    await client.parts(first.run)
    const next = (more: object) => client.post('api/runs', { agent: 'one', input: 'Sure?', after: first.run, ...more })
    const refusals = [
      [{ agent: 'other' }, 'the agent `other` has another runtime'],
      [{ sessionId: 'another' }, 'the new run has another session'],
    ] as const
    for (const [more, reason] of refusals) {
      expect((await next(more)).error).toEqual({
        message: `The conversation can have values that only its own runtime and session hide, but ${reason}.`,
        next: 'Start a new conversation.',
        code: 'cannot_continue',
      })
    }
    const { run } = await next({ agent: 'two' })
    expect(JSON.stringify(await client.parts(run))).not.toContain('secret')
  })
})

describe('the session of a run', () => {
  const owned = (field: string, from: 'sessionId' | 'labels.tenant', received: unknown[]) =>
    registrationOf(
      toolOf('bank.charge', {
        arguments: { type: 'object', properties: {} },
        spec: { serverOwned: [{ field, from, schema: { type: 'string' } }] },
      }),
      async ({ payload }) => {
        received.push(await payload())
        return { id: 'x', total: 1 }
      },
    )

  it('is not made up for a tool that needs its id', async () => {
    const received: unknown[] = []
    const planner: Planner = ({ outcomes }) =>
      outcomes.length > 0 ? answer('ok') : callTools({ tool: 'bank.charge', arguments: '{}', toolCallId: 'c-1' })
    const design = { name: 'bank', description: 'Charges.' }
    const agent = new Runtime().registerAgent(design, [owned('session', 'sessionId', received)], { planner })
    const client = await serve(projectOf([agent]))
    const without = await client.post('api/runs', { agent: 'bank', input: 'Go' })
    expect((await client.until(without.run, 'failed')).summary.status).toBe('failed')
    const { run } = await client.post('api/runs', { agent: 'bank', input: 'Go', sessionId: 's-7' })
    await client.until(run, 'completed')
    expect(received).toEqual([{ session: 's-7' }])
  })

  it('and the labels of the application have precedence over those of a request', async () => {
    const received: unknown[] = []
    const agent = new Runtime().registerToolset(owned('tenant', 'labels.tenant', received))
    const context = () => ({ labels: { tenant: 'acme' } })
    for (const more of [{}, { context }]) {
      const client = await serve(projectOf([agent], more))
      for (const labels of [{ tenant: 'other' }, { tenant: 'other', x: '1' }, { x: '1' }]) {
        const { run } = await client.post('api/calls', { tool: 'bank.charge', arguments: '{}', labels })
        await client.parts(run)
      }
    }
    expect(received.map((each: any) => each.tenant)).toEqual(['other', 'other', 'acme', 'acme', 'acme'])
  })
})

it('messages that are not chat messages are rejected', async () => {
  const client = await serve(projectOf([shop().clerk]))
  const inputs = [
    [{ role: 'user', content: 42 }],
    [{ role: 'user', content: {} }],
    [{ role: 'user', content: [null] }],
    [{ role: 'assistant', tool_calls: [null] }],
  ]
  const headers = { 'content-type': 'application/json' }
  for (const input of inputs) {
    const body = JSON.stringify({ agent: 'clerk', input })
    const response = await client.fetch('api/runs', { method: 'POST', headers, body })
    const { error } = (await response.json()) as any
    expect([input, response.status, error?.message]).toEqual([input, 400, expect.stringContaining('body/input/0')])
  }
})
