import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  approval,
  mcpExecutor,
  Runtime,
  ToolFailure,
  type ToolLayer,
  tool,
  toolset,
  toolsetRegistration,
} from '@toolgen/runtime'
import { answer, ask, base, callTools, type Planner, usePlanner } from '@toolgen/runtime/agents'
import { stdioCaller } from '@toolgen/runtime/mcp'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { Studio } from '@toolgen/studio'
import { describe, expect, it, onTestFinished } from 'vitest'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { importedAs } from '../mcp/served.fixture.js'
import { type Client, mounted, projectOf, serve, shop } from './shop.fixture.js'

const labels = { tenant: 'acme' }
const approveAll = { approval: { approve: async () => 'approve' as const } }
const refund = calls({ tool: 'refund', arguments: { paymentId: 'P-1', amount: 90 } })
const asksDesk = calls({ tool: 'desk_ask', arguments: { question: 'Refund?' } })

describe('runs that the application starts', () => {
  it('are observed with their calls, and cannot be answered or cancelled', async () => {
    const studio = new Studio()
    const { support } = shop({
      steps: [asksDesk, says('Done.')],
      nestedSteps: [refund, says('Refunded.')],
      sinks: [studio.sink],
    })
    const client = mounted(studio, [support], true)
    const run = await support.run('Pay back', { labels, env: approveAll, deepTracing: true })
    await support.execute({ tool: 'orders.getOrder', arguments: '{"orderId":"A-1"}' }, { labels, env: approveAll })
    const { runs } = await client.get('api/runs')
    expect(runs.map(({ kind, status, agent, isOwn }: any) => [kind, status, agent, isOwn])).toEqual([
      ['call', 'completed', 'support', false],
      ['run', 'completed', 'support', false],
    ])
    expect(runs[1]).toMatchObject({ id: run.runId, usage: { turns: 2, toolCalls: 1 } })
    const parts = await client.parts(run.runId)
    const agents = new Set(parts.flatMap(({ event }) => event?.agent ?? []))
    expect(agents).toEqual(new Set(['support', 'clerk']))
    expect(parts.at(-1)).toMatchObject({ kind: 'state', summary: { status: 'completed' } })
    const message = `The application started the run \`${run.runId}\`, so the studio can only observe it.`
    expect((await client.post(`api/runs/${run.runId}/cancel`, {})).error.message).toBe(message)
  })

  it('continue after a suspension', async () => {
    const studio = new Studio()
    const { clerk } = shop({ nestedSteps: [refund, says('Refunded.')], sinks: [studio.sink] })
    const client = mounted(studio, [clerk])
    const env = { approval: { approve: async () => 'suspend' as const } }
    const { suspension, runId } = await clerk.run('Pay back', { env })
    expect((await client.get(`api/runs/${runId}`)).summary.status).toBe('suspended')
    // The stream stays open for the rest of the run.
    const parts = client.parts(runId)
    const first = client.stream(`api/runs/${runId}/parts`)
    const { value } = await first.next()
    await first.return(undefined)
    expect(value?.data.event.type).toBe('run_started')
    if (suspension === undefined) throw new Error('The run is not suspended.')
    await clerk.resume(suspension, { [suspension.pending[0]?.id ?? '']: 'approve' }, { env })
    expect((await client.get('api/runs')).runs).toMatchObject([{ id: runId, status: 'completed' }])
    const states = (await parts).flatMap(({ kind, summary }) => (kind === 'state' ? [summary.status] : []))
    expect(states).toEqual(['suspended', 'running', 'completed'])
    const ended = await client.fetch(`api/runs/${runId}/parts`, { headers: { 'last-event-id': '999' } })
    expect(ended.status).toBe(204)
  })

  it('have their own nested runs, also if two models use the same call ids at the same time', async () => {
    const studio = new Studio()
    const script = Array.from({ length: 2 }, () => ({
      calls: [{ tool: 'desk_ask', arguments: { question: 'Refund?' }, toolCallId: 'c-1' }],
    }))
    const nested = Array.from({ length: 2 }, () => ({
      calls: [{ tool: 'refund', arguments: { paymentId: 'P-1', amount: 90 }, toolCallId: 'c-1' }],
    }))
    const { support } = shop({
      steps: [...script, says('Done.'), says('Done.')],
      nestedSteps: [...nested, says('Refunded.'), says('Refunded.')],
      sinks: [studio.sink],
    })
    const client = mounted(studio, [support])
    const start = () => support.run('Pay back', { labels, env: approveAll, deepTracing: true })
    const runs = await Promise.all([start(), start()])
    expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed'])
    expect((await client.get('api/runs')).runs).toHaveLength(2)
    for (const { runId, events } of runs) {
      const parts = await client.parts(runId)
      const shown = parts.flatMap(({ event }) => (event === undefined ? [] : [event]))
      const nestedIds = new Set(events.flatMap((event) => (event.agent === 'clerk' ? [event.runId] : [])))
      expect(nestedIds.size).toBe(1)
      expect(new Set(shown.map((event: any) => event.runId))).toEqual(new Set([runId, ...nestedIds]))
      expect(shown.length).toBe(events.length)
      const parents = new Set(shown.map(({ agent, parentRunId }: any) => `${agent} ${parentRunId}`))
      expect(parents).toEqual(new Set(['support undefined', `clerk ${runId}`]))
    }
  })

  it('that the studio starts on the same runtime appear once', async () => {
    const studio = new Studio()
    const { support } = shop({
      steps: [asksDesk, says('Done.')],
      nestedSteps: [refund, says('Refunded.')],
      sinks: [studio.sink],
    })
    const handler = studio.handler({
      tools: [support],
      canCall: true,
      authorize: () => true,
      context: () => ({ labels, env: approveAll }),
    })
    const client = mounted(studio, [support])
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ agent: 'support', input: 'Pay back' })
    const started = await handler(new Request('http://shop.example/api/runs', { method: 'POST', headers, body }))
    const { run }: any = await started.json()
    const parts = await client.parts(run)
    expect(parts.filter(({ event }) => event?.type === 'run_started').length).toBe(2)
    expect((await client.get('api/runs')).runs.map(({ id }: any) => id)).toEqual([run])
  })
})

describe('a search of the runs', () => {
  const find = tool({
    name: 'find',
    description: 'Finds a customer.',
    parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    sensitive: { result: { '/email': { events: 'omit' } } },
    run: ({ name }) => {
      if (name === 'Nobody') throw new ToolFailure('Unknown to the register.')
      return { email: 'ada@secret.example', note: 'Pays \n "late"' }
    },
  })
  const steps = [
    calls({ tool: 'find', arguments: { name: 'Ada "Countess" Lovelace' } }),
    calls({ tool: 'find', arguments: { name: 'Nobody' } }),
    says('She lives in London.'),
    says('You are welcome.'),
  ]

  async function searched() {
    const agent = { agent: base(scriptedModel(steps)).build() }
    const bound = new Runtime().registerAgent({ name: 'helper', description: 'Helps.' }, [toolset('crm', find)], agent)
    const client = await serve(projectOf([bound]))
    const ran = async (input: string): Promise<string> => {
      const { run } = await client.post('api/runs', { agent: 'helper', input })
      await client.until(run, 'completed')
      return run
    }
    const [first, second] = [await ran('Where is she?\nAnswer shortly.'), await ran('Thanks')]
    const search = async (words: string): Promise<readonly string[]> => {
      const { runs } = await client.get(`api/runs?search=${encodeURIComponent(words)}`)
      return runs.map(({ id }: any) => id)
    }
    return { client, first, second, search }
  }

  it('finds texts of messages, arguments, results and errors', async () => {
    const { first, second, search } = await searched()
    for (const words of [
      ...[
        'in LONDON',
        'answer shortly',
        'register',
        'Unknown to the',
        '"Countess"',
        'lovelace',
        '"late"',
        'note',
        'crm.find',
      ],
      // Each word is in another part of the run.
      'london countess late where',
    ]) {
      expect([words, await search(words)]).toEqual([words, [first]])
    }
    expect(await search('helper')).toEqual([second, first])
    expect(await search('')).toEqual([second, first])
    expect(await search(second.slice(0, 12).toUpperCase())).toEqual([second])
    expect(await search('london welcome')).toEqual([])
  })

  it('finds neither hidden values nor names of kinds nor parts of ids', async () => {
    const { first, search } = await searched()
    for (const words of ['secret.example', 'tool_output', 'assistant', 'call_ended', first.slice(9)]) {
      expect([words, await search(words)]).toEqual([words, []])
    }
  })

  it('reads arguments that are nested too deeply for a call', async () => {
    const client = await serve(projectOf([new Runtime().registerToolset(toolset('crm', find))]))
    const deep = `{"name":"Ada\\n","more":${'['.repeat(50_000)}"Zürich"${']'.repeat(50_000)}}`
    const { run } = await client.post('api/calls', { tool: 'crm.find', arguments: deep })
    await client.parts(run)
    expect((await client.get(`api/runs?search=${encodeURIComponent('ZÜRICH')}`)).runs).toMatchObject([{ id: run }])
    expect((await client.get('api/runs?search=zebra')).runs).toEqual([])
  })

  it('has at most 200 characters', async () => {
    const { client } = await searched()
    expect(await client.get(`api/runs?search=${'x'.repeat(201)}`)).toEqual({
      error: { message: 'The search has 201 characters (search).', next: 'Search for at most 200 characters.' },
    })
  })
})

it('agents without a planner cannot run', async () => {
  const idle = new Runtime().registerAgent({ name: 'idle', description: 'Waits.' }, [])
  const priced = new Runtime({ prices: {} }).registerAgent({ name: 'priced', description: 'Waits.' }, [])
  const client = await serve(projectOf([idle, priced, shop().clerk]))
  const { agents } = await client.get('api/project')
  expect(agents.map(({ name, canRun }: any) => [name, canRun])).toEqual([
    ['idle', false],
    ['priced', false],
    ['clerk', true],
  ])
  const { error } = await client.post('api/runs', { agent: 'idle', input: 'Run' })
  expect(error.message).toBe('The agent `idle` has no planner, so it cannot run.')
})

describe('questions of runs', () => {
  it('of an agent are answered with a text', async () => {
    const planner: Planner = ({ messages }) => {
      if (messages.length === 1) return ask('Which order?')
      return messages.length === 3 ? ask('Sure?') : answer('Cancelled.')
    }
    const agent = base().with(usePlanner(planner)).build()
    const asking = new Runtime().registerAgent({ name: 'asking', description: 'Asks.' }, [], { agent })
    const client = await serve(projectOf([asking]))
    const { run } = await client.post('api/runs', { agent: 'asking', input: 'Cancel it' })
    const { pending: asked } = await client.until(run, 'waiting')
    expect(asked).toEqual([{ id: expect.any(String), kind: 'clarification', prompt: 'Which order?' }])
    const [{ id: first }] = asked
    const answerWith = (id: string, sent: object) => client.post(`api/runs/${run}/answers`, { answers: { [id]: sent } })
    const wrong = await answerWith(first, { decision: 'approve' })
    expect(wrong.error).toEqual({
      message: `The answer to \`${first}\` does not fit the kind \`clarification\` (answers.${first}).`,
      next: 'Send `{ "text": "..." }`.',
    })
    await answerWith(first, { text: 'A-1001' })
    const pending = async () => (await client.get(`api/runs/${run}`)).pending
    await expect.poll(pending).toMatchObject([{ prompt: 'Sure?' }])
    // A late answer to the first question is not an answer to the second one.
    const late = await answerWith(first, { text: 'A-1002' })
    expect(late.error.message).toBe(`Nothing waits for an answer with the id \`${first}\`.`)
    const [{ id: second }] = await pending()
    await answerWith(second, { text: 'Yes' })
    await client.parts(run)
    const { summary: ended, messages } = await client.get(`api/runs/${run}`)
    expect(ended.status).toBe('completed')
    expect(messages.map(({ content }: any) => content)).toEqual([
      'Cancel it',
      'Which order?',
      'A-1001',
      'Sure?',
      'Yes',
      'Cancelled.',
    ])
  })

  it('about typed arguments are answered with edits', async () => {
    const arguments_ = {
      type: 'object',
      properties: {
        cents: { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', maxLength: 1000, 'x-js': 'bigint' },
        day: { type: 'string', format: 'date-time', 'x-js': 'Date' },
        note: { type: 'string' },
      },
      required: ['cents', 'day', 'note'],
    } as const
    const received: unknown[] = []
    const pay = registrationOf(toolOf('bank.pay', { arguments: arguments_ }), async ({ payload }) => {
      received.push(await payload())
      return { id: 'P-1', total: 1 }
    })
    // The fixture has the types of the sources.
    const bank = new Runtime().registerToolset(pay.layer(approval() as any))
    const client = await serve(projectOf([bank]))
    const sent = { cents: '42', day: '2026-11-29T10:00:00.000Z', note: 'a' }
    const { run } = await client.post('api/calls', { tool: 'bank.pay', arguments: JSON.stringify(sent) })
    const [pending] = (await client.until(run, 'waiting')).pending
    const edited = JSON.stringify({ ...JSON.parse(pending.arguments), note: 'b' })
    await client.post(`api/runs/${run}/answers`, {
      answers: { [pending.id]: { decision: 'approve', arguments: edited } },
    })
    await client.until(run, 'completed')
    expect(received).toEqual([{ cents: 42n, day: new Date(sent.day), note: 'b' }])
  })

  it('about external results are answered with a result, or declined', async () => {
    const external: ToolLayer = () => async (request: any) => request.suspend('external', 'Ship the parcel.')
    const ship = tool({ name: 'ship', description: 'Ships.', parameters: { type: 'object' }, run: () => null }).layer(
      external,
    )
    const steps = [
      calls({ tool: 'ship', arguments: {} }),
      says('Done.'),
      calls({ tool: 'ship', arguments: {} }),
      says('Done.'),
    ]
    const agent = new Runtime().registerAgent({ name: 'shipping', description: 'Ships.' }, [toolset('parcels', ship)], {
      agent: base(scriptedModel(steps)).build(),
    })
    const client = await serve(projectOf([agent]))
    const outcomes: unknown[] = []
    for (const answer of [{ result: { parcel: 7 } }, { decision: 'deny', reason: 'No stock.' }]) {
      const { run } = await client.post('api/runs', { agent: 'shipping', input: 'Ship' })
      const { pending } = await client.until(run, 'waiting')
      expect(pending).toMatchObject([{ kind: 'external', tool: 'parcels.ship', prompt: 'Ship the parcel.' }])
      await client.post(`api/runs/${run}/answers`, { answers: { [pending[0].id]: answer } })
      const ends = (await client.parts(run)).filter(({ event }) => event?.type === 'call_ended')
      outcomes.push(ends.at(-1).event.outcome)
    }
    expect(outcomes).toMatchObject([
      { status: 'completed', json: '{"parcel":7}' },
      { status: 'failed', error: { message: 'No stock.' } },
    ])
  })

  it('of one call of an MCP server continue together, in runs and calls', async () => {
    const script = fileURLToPath(new URL('../mcp/asking-server.mjs', import.meta.url))
    const caller = stdioCaller({ command: process.execPath, args: [script] })
    onTestFinished(() => caller.close())
    const imported = importedAs('asking', { trip: {}, book: {} })
    const executor = mcpExecutor(imported, caller, { onDrift: 'ignore' })
    const asking = toolsetRegistration({ toolset: imported.toolset, provider: 'mcp' }, executor)
    const planner: Planner = ({ outcomes }) =>
      outcomes.length > 0
        ? answer(outcomes.map((each) => (each.status === 'completed' ? each.json : each.status)).join())
        : callTools(...['trip', 'book'].map((id) => ({ tool: `asking.${id}`, arguments: '{}', toolCallId: id })))
    const agent = new Runtime().registerAgent({ name: 'travel', description: 'Books.' }, [asking], { planner })
    const client = await serve(projectOf([agent]))
    const send = (run: string, answers: object) => client.post(`api/runs/${run}/answers`, { answers })
    const asked = async (id: string) =>
      (await client.until(id, 'waiting')).pending.map(({ id, prompt }: any) => [id, prompt])

    const { run } = await client.post('api/runs', { agent: 'travel', input: 'Plan it' })
    expect(await asked(run)).toEqual([
      ['trip/from', 'From where?'],
      ['trip/to~1via', 'To where?'],
      ['book/form', 'How many seats?'],
    ])
    const first = await send(run, { 'trip/from': { content: { city: 'Bern' } } })
    expect([first.status, await asked(run)]).toEqual([
      'waiting',
      [
        ['trip/to~1via', 'To where?'],
        ['book/form', 'How many seats?'],
      ],
    ])
    expect((await send(run, { 'trip/from': { decision: 'deny' } })).error).toEqual({
      message: 'Nothing waits for an answer with the id `trip/from`.',
      next: 'These ids wait: `trip/to~1via`, `book/form`.',
    })
    // The other call can be answered meanwhile. Invalid answers have no effect.
    const invalid = { 'trip/to~1via': { decision: 'deny' }, 'book/form': { content: { seats: 0 } } }
    expect((await send(run, invalid)).error).toEqual({
      message: 'The answer to "How many seats?" is invalid.',
      next: '`seats`: 0 is out of range; it must be at least 1 and at most 9007199254740991.',
    })
    await send(run, { 'trip/to~1via': { decision: 'deny' } })
    expect(await asked(run)).toEqual([['book/form', 'How many seats?']])
    await send(run, { 'book/form': { decision: 'deny' } })
    const { messages } = await client.until(run, 'completed')
    const declined = { from: { action: 'accept', content: { city: 'Bern' } }, 'to/via': { action: 'decline' } }
    expect(messages.at(-1).content).toBe(`${JSON.stringify(declined)},{"booked":0,"form":"decline"}`)

    const call = await client.post('api/calls', { tool: 'asking.trip', arguments: '{}' })
    await client.until(call.run, 'waiting')
    await send(call.run, { 'to/via': { decision: 'deny' } })
    expect(await asked(call.run)).toEqual([['from', 'From where?']])
    await send(call.run, { from: { content: { city: 'Bern' } } })
    expect(JSON.parse((await client.until(call.run, 'completed')).text)).toEqual(declined)
  })

  it('are short in lists, events and parts, and complete in the record of the run', async () => {
    const note = 'x'.repeat(50_000)
    const send = tool({
      name: 'send',
      description: 'Sends.',
      parameters: { type: 'object', properties: { note: { type: 'string' } } },
      run: () => 1,
    }).layer(approval())
    const client = await serve(projectOf([new Runtime().registerToolset(toolset('post', send))]))
    const sent = { tool: 'post.send', arguments: JSON.stringify({ note }) }
    const { run } = await client.post('api/calls', sent)
    const record = await client.until(run, 'waiting')
    expect(record.pending).toMatchObject([{ kind: 'approval', arguments: sent.arguments, schema: { type: 'object' } }])
    const short = { id: run, kind: 'approval', tool: 'post.send' }
    expect(record.summary.pending).toEqual([short])
    const list = await client.get('api/runs')
    expect([list.runs[0].pending, JSON.stringify(list).length < 1_000]).toEqual([[short], true])
    for await (const { data } of client.stream('api/events')) {
      if (data.kind === 'run') {
        expect(data.summary).toEqual(record.summary)
        break
      }
    }
    for await (const { data } of client.stream(`api/runs/${run}/parts`)) {
      if (data.kind === 'state') {
        expect(data.summary.pending).toEqual([short])
        break
      }
    }
    expect(await client.post(`api/runs/${run}/cancel`, {})).toMatchObject({ pending: [] })
  })

  it.each(['running', 'suspended'])(
    'of a %s run have new ids, also if the model repeats the id of a call',
    async (state) => {
      const pay = (amount: number) => ({
        calls: [{ tool: 'refund', arguments: { paymentId: 'P-1', amount }, toolCallId: 'c-1' }],
      })
      const { clerk, ran } = shop({ nestedSteps: [pay(1), pay(2), pay(2), says('Done.')] })
      const suspending = () => ({ env: { approval: { approve: async () => 'suspend' } } })
      const client = await serve(projectOf([clerk], state === 'suspended' ? { context: suspending } : {}))
      const { run } = await client.post('api/runs', { agent: 'clerk', input: 'Pay back' })
      const asked = async (amount: number): Promise<string> => {
        const find = async () =>
          (await client.get(`api/runs/${run}`)).pending.find(({ arguments: sent }: any) => sent.includes(`:${amount}}`))
        await expect.poll(find).toBeDefined()
        return (await find()).id
      }
      const approve = (id: string) =>
        client.post(`api/runs/${run}/answers`, { answers: { [id]: { decision: 'approve' } } })
      const first = await asked(1)
      await approve(first)
      const second = await asked(2)
      // A late answer to the first question does not answer the second one.
      expect((await approve(first)).error.message).toBe(`Nothing waits for an answer with the id \`${first}\`.`)
      expect(second).not.toBe(first)
      await approve(second)
      await expect.poll(() => ran.length).toBe(2)
      await approve(await asked(2))
      expect((await client.parts(run)).at(-1).summary.status).toBe('completed')
      expect(ran.map((each: any) => each.amount)).toEqual([1, 2, 2])
    },
  )

  it('end with the run', async () => {
    const { clerk, ran } = shop({ nestedSteps: [refund, says('Refunded.')] })
    const context = () => ({ env: { approval: { approve: async () => 'suspend' } } })
    const client = await serve(projectOf([clerk], { context }))
    const { run } = await client.post('api/runs', { agent: 'clerk', input: 'Pay back' })
    await client.until(run, 'waiting')
    expect(await client.post(`api/runs/${run}/cancel`, {})).toMatchObject({ status: 'cancelled', pending: [] })
    expect((await client.parts(run)).at(-1).summary.status).toBe('cancelled')
    expect(ran).toEqual([])
  })
})

it('a call is cancelled, also if its approver suspends it afterwards', async () => {
  let suspend = (): void => undefined
  const asked = new Promise<void>((resolve) => {
    suspend = resolve
  })
  const context = () => ({ env: { approval: { approve: () => asked.then(() => 'suspend') } } })
  const client = await serve(projectOf([shop().clerk], { context }))
  const sent = { tool: 'payments.refund', arguments: '{"paymentId":"P-1","amount":9}' }
  const { run } = await client.post('api/calls', sent)
  await client.post(`api/runs/${run}/cancel`, {})
  suspend()
  expect((await client.parts(run)).at(-1).summary.status).toBe('cancelled')
})

describe('the memory of a studio', () => {
  const call = (rows: number) => ({ tool: 'reports.build', arguments: JSON.stringify({ rows }) })

  it('keeps the latest runs', async () => {
    const client = mounted(new Studio({ maxRuns: 2 }), [shop().reports], true)
    const ids: string[] = []
    for (let count = 0; count < 4; count += 1) {
      const { run } = await client.post('api/calls', call(1))
      await client.parts(run)
      ids.unshift(run)
    }
    expect((await client.get('api/runs')).runs.map(({ id }: any) => id)).toEqual(ids.slice(0, 2))
    expect((await client.fetch(`api/runs/${ids[3]}`)).status).toBe(404)
  })

  it('refuses more runs than it keeps, while they wait', async () => {
    const client = mounted(new Studio({ maxRuns: 1 }), [shop().clerk], true)
    const sent = { tool: 'payments.refund', arguments: '{"paymentId":"P-1","amount":9}' }
    const { run } = await client.post('api/calls', sent)
    expect((await client.post('api/calls', sent)).error).toEqual({
      message: '1 runs of the studio have not ended.',
      next: 'Answer or cancel some of them.',
    })
    await client.post(`api/runs/${run}/cancel`, {})
    await client.parts(run)
    expect(await client.post('api/calls', sent)).toEqual({ run: expect.any(String) })
  })

  it('is full of waiting runs, and still observes the newest run of the application', async () => {
    const studio = new Studio({ maxRuns: 1 })
    const { clerk, runtime, reports } = shop({ sinks: [studio.sink] })
    const client = mounted(studio, [clerk], true)
    const sent = { tool: 'payments.refund', arguments: '{"paymentId":"P-1","amount":9}' }
    const { run } = await client.post('api/calls', sent)
    await client.until(run, 'waiting')
    for (let count = 0; count < 3; count += 1) await reports.execute({ tool: 'reports.build', arguments: '{}' }, {})
    await client.post(`api/runs/${run}/cancel`, {})
    expect((await client.until(run, 'cancelled')).summary.id).toBe(run)
    await runtime.close()
  })

  it('drops the oldest parts of a run, by number and by size', async () => {
    for (const options of [{ maxParts: 5 }, { maxRunBytes: 2_000 }]) {
      const client = mounted(new Studio(options), [shop().reports], true)
      const { run } = await client.post('api/calls', call(100))
      const record = await client.until(run, 'completed')
      expect(record.isShortened).toBe(true)
      const parts = await client.parts(run)
      expect(parts.length).toBeLessThan(20)
      expect(parts.at(-1)).toMatchObject({ kind: 'state', summary: { status: 'completed' } })
      if (options.maxParts !== undefined) expect(parts.length).toBe(5)
      else expect(JSON.stringify(parts).length).toBeLessThan(2_100)
    }
  })

  it('leaves the outcome to the other requests if the parts of a fast call were dropped', async () => {
    const client = mounted(new Studio({ maxRunBytes: 300 }), [shop().reports], true)
    const started = await client.post('api/calls', call(40))
    expect(started).toEqual({ run: expect.any(String) })
    const { isShortened, text } = await client.until(started.run, 'completed')
    expect([isShortened, text]).toEqual([true, '{"rows":40}'])
  })

  it('drops the oldest ended runs if all of them are too large', async () => {
    const client = mounted(new Studio({ maxBytes: 20_000 }), [shop().reports], true)
    for (let count = 0; count < 6; count += 1) {
      const { run } = await client.post('api/calls', call(40))
      await client.until(run, 'completed')
    }
    const { runs } = await client.get('api/runs')
    expect(runs.length).toBeGreaterThan(0)
    expect(runs.length).toBeLessThan(6)
  })

  it('counts results, conversations and arguments that are too large for the parts of a run', async () => {
    const blob = 'x'.repeat(100_000)
    const sized = toolset(
      'big',
      tool({ name: 'get', description: 'Gets.', parameters: { type: 'object' }, run: () => blob }),
      tool({
        name: 'put',
        description: 'Puts.',
        parameters: { type: 'object', properties: { blob: { type: 'string' } } },
        run: () => 1,
      }).layer(approval()),
    )
    const planner: Planner = ({ outcomes }) =>
      outcomes.length > 0 ? answer('ok') : callTools({ tool: 'big.get', arguments: '{}', toolCallId: 'c-1' })
    const agent = new Runtime().registerAgent({ name: 'getter', description: 'Gets.' }, [sized], { planner })
    const limits = { maxBytes: 500_000, maxRunBytes: 20_000 }
    const starts = { calls: { tool: 'big.get', arguments: '{}' }, runs: { agent: 'getter', input: 'Go' } }
    for (const [path, body] of Object.entries(starts)) {
      const client = mounted(new Studio(limits), [agent], true)
      for (let count = 0; count < 10; count += 1) {
        const { run } = await client.post(`api/${path}`, body)
        const { isShortened, summary } = await client.until(run, 'completed')
        expect([isShortened, summary.calledTools]).toEqual([true, ['big.get']])
        // The end of the call stays in the timeline, without its result.
        const end = (await client.parts(run)).find(({ event }) => event?.type === 'call_ended')
        expect(end.event.outcome.json).toBe('[100002 characters, which the studio does not store]')
      }
      const { runs } = await client.get('api/runs')
      // Only a conversation keeps the whole result, because a model reads it again.
      if (path === 'calls') expect(runs.length).toBe(10)
      else expect([path, runs.length > 0, runs.length < 6]).toEqual([path, true, true])
    }
    const client = mounted(new Studio(limits), [agent], true)
    const sent = { tool: 'big.put', arguments: JSON.stringify({ blob }) }
    const waiting: string[] = []
    let refused: any
    while (waiting.length < 10 && refused === undefined) {
      const { run, error } = await client.post('api/calls', sent)
      if (error !== undefined) refused = error
      else {
        waiting.push(run)
        await client.until(run, 'waiting')
      }
    }
    expect(refused.message).toMatch(/^The runs of the studio that have not ended need \d{6} bytes\.$/)
    expect(waiting.length).toBeLessThan(6)
    const [first = ''] = waiting
    await client.post(`api/runs/${first}/cancel`, {})
    await client.until(first, 'cancelled')
    expect(await client.post('api/calls', sent)).toEqual({ run: expect.any(String) })
  })

  it('is not larger than its limit, also for texts with wide characters', async () => {
    setFlagsFromString('--expose_gc')
    const collect: () => void = runInNewContext('gc')
    const used = (): number => {
      collect()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      return heapUsed + arrayBuffers
    }
    const get = tool({
      name: 'get',
      description: 'Gets.',
      parameters: { type: 'object' },
      run: () => `ж${'x'.repeat(4_000_000)}`,
    })
    const maxBytes = 32 * 1024 * 1024
    const client = mounted(new Studio({ maxBytes }), [new Runtime().registerToolset(toolset('big', get))], true)
    const before = used()
    for (let count = 0; count < 20; count += 1) {
      const { run } = await client.post('api/calls', { tool: 'big.get', arguments: '{}' })
      await client.until(run, 'completed')
    }
    expect((await client.get('api/runs')).runs.length).toBeGreaterThan(2)
    // Earlier tests of this process can need memory for a moment.
    await expect.poll(() => used() - before).toBeLessThan(1.25 * maxBytes)
  })

  it('has positive limits', () => {
    expect(() => new Studio({ maxRuns: 0 })).toThrow('new Studio: maxRuns is 0. Expected a positive integer.')
  })
})

describe('server-sent events', () => {
  it('answer HEAD without a stream', async () => {
    const client = mounted(new Studio(), [shop().reports], true)
    const response = await client.fetch('api/events', { method: 'HEAD' })
    expect([response.status, response.headers.get('content-type'), response.body]).toEqual([
      200,
      'text/event-stream',
      null,
    ])
  })

  it('of a client that does not read delay nobody, and skip dropped parts', async () => {
    const { reports } = shop()
    const client = mounted(new Studio({ maxParts: 10 }), [reports], true)
    const { run } = await client.post('api/calls', { tool: 'reports.build', arguments: '{"rows":2000}' })
    const slow = client.stream(`api/runs/${run}/parts`)
    const first = await slow.next()
    await client.until(run, 'completed')
    const ids = [Number(first.value?.id)]
    for await (const { id } of slow) ids.push(Number(id))
    expect(ids.length).toBeLessThan(200)
    expect(ids).toEqual([...ids].sort((a, b) => a - b))
    expect(ids.at(-1)).toBe(2_003)
  })

  it('about runs begin with their state, and continue after Last-Event-ID', async () => {
    const client = mounted(new Studio(), [shop().reports], true)
    const { run } = await client.post('api/calls', { tool: 'reports.build', arguments: '{}' })
    await client.until(run, 'completed')
    const stream = client.stream('api/events')
    const project = (await stream.next()).value
    const state = (await stream.next()).value
    expect([project?.data.kind, state?.data.summary.status]).toEqual(['project', 'completed'])
    const again = client.stream('api/events', { 'last-event-id': state?.id ?? '' })
    const next = again.next()
    const second = await client.post('api/calls', { tool: 'reports.build', arguments: '{}' })
    expect((await next).value?.data.summary.id).toBe(second.run)
    const other = client.stream('api/events', { 'last-event-id': 'other-9-9' })
    expect((await other.next()).value?.data.kind).toBe('project')
    for (const each of [stream, again, other]) await each.return(undefined)
  })

  it('contain comments that keep the connection open', async () => {
    const client = mounted(new Studio({ heartbeatMs: 1 }), [shop().reports])
    const { body } = await client.fetch('api/events')
    let text = ''
    for await (const chunk of body ?? []) {
      text += new TextDecoder().decode(chunk)
      if (text.split(': alive').length > 3) break
    }
    expect(text).toContain('"kind":"project"')
  })
})

describe('runs that the server discards', () => {
  const steps = Array.from({ length: 20 }, () => says('Done.'))
  const begin = { agent: 'support', input: 'Hello', labels }
  const ran = async (client: Client): Promise<string> => {
    const { run } = await client.post('api/runs', begin)
    await client.parts(run)
    return run
  }

  it('are announced to connected clients, also after `Last-Event-ID`, but not to new ones', async () => {
    const client = mounted(new Studio({ maxRuns: 2 }), [shop({ steps }).support], true)
    const first = await ran(client)
    const events = client.stream('api/events')
    const known = new Set<string>()
    let lastId = ''
    const next = async (): Promise<any> => {
      const { value } = await events.next()
      lastId = value?.id ?? ''
      return value?.data
    }
    while (!known.has(first)) known.add((await next()).summary?.id)
    const others = [await ran(client), await ran(client)]
    let event = await next()
    while (event.kind !== 'removed') event = await next()
    expect(event).toEqual({ kind: 'removed', run: first })
    await events.return(undefined)
    others.push(await ran(client))
    const resumed = client.stream('api/events', { 'last-event-id': lastId })
    const removed: string[] = []
    while (removed.length === 0) {
      const { value } = await resumed.next()
      if (value?.data.kind === 'removed') removed.push(value.data.run)
    }
    await resumed.return(undefined)
    expect(removed).toEqual([others[0]])
    const current = client.stream('api/events')
    const kinds = []
    for (let count = 0; count < 3; count += 1) kinds.push((await current.next()).value?.data.kind)
    await current.return(undefined)
    expect(kinds).toEqual(['project', 'run', 'run'])
  })

  it('end their streams, with the reason', async () => {
    const studio = new Studio({ maxRuns: 1 })
    let finish = (): void => undefined
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const planner: Planner = async () => {
      await finished
      return answer('Done.')
    }
    const runtime = new Runtime({ sinks: [studio.sink] })
    const waiting = runtime.registerAgent({ name: 'waiting', description: 'Waits.' }, [], { planner })
    const client = mounted(studio, [waiting])
    const first = waiting.run('Hello')
    const { runs } = await client.get('api/runs')
    const parts = client.parts(runs[0].id)
    const second = waiting.run('Hello')
    expect((await parts).at(-1)).toEqual({
      kind: 'removed',
      reason: 'The studio keeps at most 1 runs and 64 MiB, so it discarded this run.',
    })
    expect((await client.fetch(`api/runs/${runs[0].id}/parts`)).status).toBe(404)
    finish()
    await Promise.all([first, second])
  })

  it('end the connection of a client that is too slow to receive them', async () => {
    const client = mounted(new Studio({ maxRuns: 1 }), [shop({ steps }).support], true)
    await ran(client)
    const events = client.stream('api/events')
    await events.next()
    for (let count = 0; count < 10; count += 1) await ran(client)
    let left = 0
    for await (const _ of events) left += 1
    expect(left).toBeLessThan(10)
  })
})
