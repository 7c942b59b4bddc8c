import { calls, says } from '@toolgen/runtime/testing'
import { describe, expect, it } from 'vitest'
import { projectOf, serve, shop } from './shop.fixture.js'

const labels = { tenant: 'tenant-secret-7' }

describe('tools', () => {
  it('are listed with their agents', async () => {
    const { support, reports } = shop()
    const client = await serve(projectOf([support, reports]))
    const { agents, ...project } = await client.get('api/project')
    expect(project).toEqual({
      ...{ name: 'shop', generation: 1, canCall: true, reports: [], problems: [] },
      hasSessions: false,
    })
    expect(agents).toEqual([
      {
        name: 'support',
        description: 'Answers customers.',
        instructions: 'Be brief.',
        canRun: true,
        tools: ['orders.getOrder', 'payments.refund', 'desk.ask'],
      },
    ])
    const { tools } = await client.get('api/tools')
    expect(tools.map(({ id, agent, badges }: any) => [id, agent, badges])).toEqual([
      ['orders.getOrder', 'support', ['read-only']],
      ['payments.refund', 'support', ['destructive']],
      ['desk.ask', 'support', []],
      ['reports.build', undefined, ['streaming']],
    ])
  })

  it('have details', async () => {
    const client = await serve(projectOf([shop().support]))
    const tool = await client.get('api/tools/orders.getOrder')
    expect(tool).toMatchObject({
      id: 'orders.getOrder',
      examples: [{ orderId: 'A-1001' }],
      serverOwned: [{ field: 'tenant', from: 'labels.tenant' }],
      needs: ['labels.tenant'],
    })
    expect(tool.declaration).toContain('function getOrder(args: {')
    expect(tool.definitions.map(({ vendor }: any) => vendor)).toEqual(['openai', 'anthropic', 'gemini', 'mcp'])
  })

  it.each([
    ['{"orderId":"A-1"}', true, ''],
    ['{"orderId":"A-1","quantity":0}', false, 'quantity'],
    ['{"orderId":', false, 'JSON'],
    ['{"orderId":"A-1","tenant":"x"}', false, 'tenant'],
  ])('validate the arguments %s', async (sent, isValid, part) => {
    const { support } = shop()
    const client = await serve(projectOf([support]))
    const validation = await client.post('api/validate', { tool: 'orders.getOrder', arguments: sent })
    expect(validation).toMatchObject({ isValid })
    expect(validation.text).toContain(part)
    expect(validation.issues.length > 0).toBe(!isValid)
    // The model reads the same text.
    const { run } = await client.post('api/calls', { tool: 'orders.getOrder', arguments: sent, labels })
    await client.parts(run)
    const { text } = await client.get(`api/runs/${run}`)
    if (!isValid) expect(text).toBe(validation.text)
  })

  it('are unknown, or have several agents', async () => {
    const { support, clerk } = shop()
    const client = await serve(projectOf([support, clerk]))
    const unknown = [
      'api/tools/orders.none',
      'api/tools/__proto__',
      'api/tools/..%2f..%2fetc',
      'api/tools/%00',
      'api/x',
    ]
    for (const path of unknown) {
      const response = await client.fetch(path)
      expect([path, response.status]).toEqual([path, 404])
      expect(await response.json()).toEqual({ error: { message: expect.any(String), next: expect.any(String) } })
    }
    const several = await client.fetch('api/tools/payments.refund')
    expect(several.status).toBe(400)
    expect(await several.json()).toMatchObject({
      error: { message: 'Several agents use `payments.refund`: support, clerk.' },
    })
    expect((await client.get('api/tools/payments.refund?agent=clerk')).agent).toBe('clerk')
  })
})

describe('calls', () => {
  it('have parts, a text for models and a summary', async () => {
    const { support } = shop()
    const client = await serve(projectOf([support]))
    const sent = { tool: 'orders.getOrder', arguments: '{"orderId":"A-7"}', labels }
    const { run, ended } = await client.post('api/calls', sent)
    const parts = await client.parts(run)
    expect(parts.map(({ kind, event }) => event?.type ?? kind)).toEqual(['call_started', 'call_ended', 'state'])
    expect(parts[1].event.outcome).toMatchObject({ status: 'completed', json: '{"id":"A-7","total":42}' })
    expect(parts[2].summary).toMatchObject({ status: 'completed', kind: 'call', tool: 'orders.getOrder', isOwn: true })
    const record = await client.get(`api/runs/${run}`)
    expect(record).toMatchObject({ text: '{"id":"A-7","total":42}', messages: [], before: 0, isShortened: false })
    expect(record.summary.title).toBe('{"orderId":"A-7"}')
    expect((await client.get('api/runs')).runs).toEqual([record.summary])
    expect(ended).toEqual({ parts, text: record.text })
  })

  it('stream updates', async () => {
    const { reports } = shop()
    const client = await serve(projectOf([reports]))
    const { run } = await client.post('api/calls', { tool: 'reports.build', arguments: '{"rows":2}' })
    const types = (await client.parts(run)).map(({ kind, event }) => event?.type ?? kind)
    expect(types).toEqual(['call_started', 'call_updated', 'call_updated', 'call_ended', 'state'])
  })

  it('wait for approvals, also with edited arguments', async () => {
    const { support, ran } = shop()
    const client = await serve(projectOf([support]))
    const sent = { tool: 'payments.refund', arguments: '{"paymentId":"P-1","amount":90}' }
    const { run, ...others } = await client.post('api/calls', sent)
    expect(others).toEqual({})
    const { pending } = await client.until(run, 'waiting')
    expect(pending).toMatchObject([
      { kind: 'approval', tool: 'payments.refund', agent: 'support', arguments: sent.arguments },
    ])
    const [{ id }] = pending
    const wrong = { answers: { [id]: { decision: 'approve', arguments: '{"paymentId":"P-1","amount":0}' } } }
    const refused = await client.post(`api/runs/${run}/answers`, wrong)
    expect(refused.error.message).toContain('The edited arguments')
    const deep = `{"paymentId":"P-1","amount":40,"note":${'['.repeat(5_000)}${']'.repeat(5_000)}}`
    for (const [text, next] of [
      [deep, /500 levels/],
      ['{"paymentId":', /not valid JSON/],
      ['[]', /object/],
    ] as const) {
      const headers = { 'content-type': 'application/json' }
      const body = JSON.stringify({ answers: { [id]: { decision: 'approve', arguments: text } } })
      const response = await client.fetch(`api/runs/${run}/answers`, { method: 'POST', headers, body })
      expect([response.status, await response.json()]).toEqual([
        400,
        {
          error: {
            message: 'The edited arguments of `payments.refund` are invalid.',
            next: expect.stringMatching(next),
          },
        },
      ])
    }
    const edited = { decision: 'approve', arguments: '{"paymentId":"P-1","amount":40}' }
    expect(await client.post(`api/runs/${run}/answers`, { answers: { [id]: edited } })).toMatchObject({ pending: [] })
    await client.parts(run)
    expect(ran).toEqual([{ paymentId: 'P-1', amount: 40 }])
    const again = await client.post(`api/runs/${run}/answers`, { answers: { [id]: edited } })
    expect(again.error.message).toBe(`Nothing waits for an answer with the id \`${id}\`.`)
  })

  it('are denied with a reason, or cancelled', async () => {
    const { support, ran } = shop()
    const client = await serve(projectOf([support]))
    const sent = { tool: 'payments.refund', arguments: '{"paymentId":"P-1","amount":90}' }
    const first = await client.post('api/calls', sent)
    const [{ id }] = (await client.until(first.run, 'waiting')).pending
    await client.post(`api/runs/${first.run}/answers`, { answers: { [id]: { decision: 'deny', reason: 'Too much.' } } })
    await client.parts(first.run)
    expect((await client.get(`api/runs/${first.run}`)).text).toContain('Too much.')
    const second = await client.post('api/calls', sent)
    await client.until(second.run, 'waiting')
    await client.post(`api/runs/${second.run}/cancel`, {})
    const last = (await client.parts(second.run)).at(-1)
    expect(last).toMatchObject({ kind: 'state', summary: { status: 'cancelled', pending: [] } })
    expect(ran).toEqual([])
  })
})

describe('runs', () => {
  it('have events, items, deltas and a conversation that continues', async () => {
    const steps = [
      calls({ tool: 'orders_getOrder', arguments: { orderId: 'A-7' } }),
      says('It has shipped.'),
      says('Yes.'),
    ]
    const { support, model } = shop({ steps })
    const client = await serve(projectOf([support]))
    const { run } = await client.post('api/runs', { agent: 'support', input: 'Where is A-7?', labels })
    const parts = await client.parts(run)
    expect(new Set(parts.map(({ kind }) => kind))).toEqual(new Set(['event', 'item', 'delta', 'state']))
    expect(parts.at(-1)).toMatchObject({
      kind: 'state',
      summary: { status: 'completed', usage: { turns: 2, toolCalls: 1 } },
    })
    const { messages, summary } = await client.get(`api/runs/${run}`)
    expect(messages.map(({ role }: any) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(summary.title).toBe('Where is A-7?')
    const next = await client.post('api/runs', { agent: 'support', input: 'Sure?', after: run, labels })
    await client.parts(next.run)
    const record = await client.get(`api/runs/${next.run}`)
    expect(record.messages.map(({ content }: any) => content).slice(-3)).toEqual(['It has shipped.', 'Sure?', 'Yes.'])
    expect(model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
      ...['system', 'user', 'assistant', 'tool', 'assistant', 'user'],
    ])
  })

  it('continue after Last-Event-ID, and end with status 204', async () => {
    const { support } = shop({ steps: [says('Hello.')] })
    const client = await serve(projectOf([support]))
    const { run } = await client.post('api/runs', { agent: 'support', input: 'Hello', labels })
    const all = await client.parts(run)
    const rest: unknown[] = []
    for await (const { data } of client.stream(`api/runs/${run}/parts`, { 'last-event-id': '2' })) rest.push(data)
    expect(rest).toEqual(all.slice(2))
    const response = await client.fetch(`api/runs/${run}/parts`, { headers: { 'last-event-id': String(all.length) } })
    expect(response.status).toBe(204)
  })

  it('stream later parts to a client whose Last-Event-ID is too high', async () => {
    const { clerk } = shop({ nestedSteps: [calls({ tool: 'refund', arguments: { paymentId: 'P-1', amount: 9 } })] })
    const client = await serve(projectOf([clerk]))
    const { run } = await client.post('api/runs', { agent: 'clerk', input: 'Pay back' })
    await client.until(run, 'waiting')
    const stream = client.stream(`api/runs/${run}/parts`, { 'last-event-id': '999999999' })
    const first = stream.next()
    // The answer to this request comes after the start of the stream.
    await client.get('api/project')
    await client.post(`api/runs/${run}/cancel`, {})
    expect((await first).value?.data.kind).toBeDefined()
    await stream.return(undefined)
  })

  it('wait for the approval of a nested agent', async () => {
    const refund = calls({ tool: 'refund', arguments: { paymentId: 'P-1', amount: 90 } })
    const steps = [calls({ tool: 'desk_ask', arguments: { question: 'Refund?' } }), says('Done.')]
    const { support, ran } = shop({ steps, nestedSteps: [refund, says('Refunded.')] })
    const client = await serve(projectOf([support]))
    const { run } = await client.post('api/runs', { agent: 'support', input: 'Pay back', labels })
    const { pending } = await client.until(run, 'waiting')
    expect(pending).toMatchObject([{ kind: 'approval', agent: 'clerk', arguments: '{"paymentId":"P-1","amount":90}' }])
    await client.post(`api/runs/${run}/answers`, { answers: { [pending[0].id]: { decision: 'approve' } } })
    const parts = await client.parts(run)
    expect(parts.at(-1).summary.status).toBe('completed')
    expect(parts.some(({ event }) => event?.type === 'run_started' && event.agent === 'clerk')).toBe(true)
    expect(ran).toEqual([{ paymentId: 'P-1', amount: 90 }])
  })

  it('that the approver of the application has suspended are resumed', async () => {
    const refund = calls({ tool: 'refund', arguments: { paymentId: 'P-1', amount: 90 } })
    const steps = [calls({ tool: 'desk_ask', arguments: { question: 'Refund?' } }), says('Done.')]
    const { support, ran } = shop({ steps, nestedSteps: [refund, says('Refunded.')] })
    const context = () => ({ labels, env: { approval: { approve: async () => 'suspend' } } })
    const client = await serve(projectOf([support], { context }))
    const { run } = await client.post('api/runs', { agent: 'support', input: 'Pay back' })
    const { pending } = await client.until(run, 'waiting')
    expect(pending).toMatchObject([
      { kind: 'approval', tool: 'payments.refund', agent: 'clerk', arguments: '{"paymentId":"P-1","amount":90}' },
    ])
    const answer = { decision: 'approve', arguments: '{"paymentId":"P-1","amount":30}' }
    await client.post(`api/runs/${run}/answers`, { answers: { [pending[0].id]: answer } })
    expect((await client.parts(run)).at(-1).summary.status).toBe('completed')
    expect(ran).toEqual([{ paymentId: 'P-1', amount: 30 }])
  })
})
