import { approval, type JsonValue, Runtime, runConfig, type ToolsetRegistration, tool, toolset } from '@toolgen/runtime'
import { base } from '@toolgen/runtime/agents'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { Studio } from '@toolgen/studio'
import { afterEach, expect, it } from 'vitest'
import { createProject, type Project } from '../cli/project.fixture.js'
import { Dev } from './dev.fixture.js'
import { type Client, mounted, projectOf, serve, shop } from './shop.fixture.js'

const labels = { tenant: 'acme-tenant' }
const asks = calls({ tool: 'orders_getOrder', arguments: { orderId: 'A-1' } })

async function ended(client: Client, input: object): Promise<string> {
  const { run } = await client.post('api/runs', input)
  await client.parts(run)
  return run
}

/** Downloads a cassette and returns its lines. */
async function linesOf(client: Client, run: string): Promise<readonly any[]> {
  const response = await client.fetch(`api/runs/${run}/cassette`)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/jsonl; charset=utf-8'])
  const { agent, startedAt } = (await client.get(`api/runs/${run}`)).summary
  const name = `${agent}-${new Date(startedAt).toISOString().slice(0, 19).replaceAll(':', '-')}Z-${run.slice(0, 8)}`
  expect(response.headers.get('content-disposition')).toBe(`attachment; filename="${name}.jsonl"`)
  expect(response.headers.get('cache-control')).toBe('no-store')
  const lines = (await response.text()).trimEnd().split('\n')
  return lines.map((line) => JSON.parse(line))
}

/** Agent whose model calls the tool `name` once. */
function agentOf(registration: ToolsetRegistration<any>, name: string, args: JsonValue = {}) {
  const model = scriptedModel([calls({ tool: name, arguments: args }), says('Done.')])
  const design = { name: 'helper', description: 'Helps.' }
  return new Runtime().registerAgent(design, [registration], { agent: base(model).build() })
}

let project: Project | undefined
afterEach(() => {
  project?.remove()
  project = undefined
})

it('a run of the studio is replayed by `toolgen run` without its model', async () => {
  const helper = (steps: string): string => `import { approval, Runtime, tool, toolset } from '@toolgen/runtime'
import { modelPlanner } from '@toolgen/runtime/agents'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'

const parameters = { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] }
const refund = tool({ name: 'refund', description: 'Refund.', parameters, run: ({ amount }) => ({ refunded: amount }) })
const planner = modelPlanner(scriptedModel([${steps}]))
export default new Runtime().registerAgent({ name: 'helper', description: 'Helps.' }, [toolset('payments', refund.layer(approval()))], { planner })
`
  project = createProject(
    {
      'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
      'toolgen.config.ts': `export default { design: 'design/*.ts', output: 'gen' }\n`,
      'design/none.ts': 'export {}\n',
      'works.ts': helper(`calls({ tool: 'refund', arguments: { amount: 5 } }), says('I paid 5 back.')`),
      'breaks.ts': helper(`new Error('The model was called.')`),
    },
    ['@toolgen/studio'],
  )
  const client = await new Dev(project, 'works.ts', '--port', '0').client()
  const { run } = await client.post('api/runs', { agent: 'helper', input: 'Refund 5' })
  const { summary } = await client.until(run, 'waiting')
  expect((await client.fetch(`api/runs/${run}/cassette`)).status).toBe(409)
  await client.post(`api/runs/${run}/answers`, { answers: { [summary.pending[0].id]: { decision: 'approve' } } })
  await client.parts(run)
  project.write({ 'run.jsonl': await (await client.fetch(`api/runs/${run}/cassette`)).text() })
  const replayed = project.toolgen('run', 'helper', 'Refund 5', '--cassette', 'run.jsonl', '-m', 'breaks.ts')
  expect([replayed.code, replayed.stdout]).toEqual([0, 'I paid 5 back.\n'])
  expect(replayed.stderr).toContain('payments.refund completed {"refunded":5}')
})

it('contains the requests of nested agents, but no ids, labels or causes', async () => {
  const refund = calls({ tool: 'refund', arguments: { paymentId: 'P-1', amount: 90 } })
  const bad = calls({ tool: 'orders_getOrder', arguments: { orderId: 'A-0' } })
  const { support } = shop({
    steps: [asks, bad, calls({ tool: 'desk_ask', arguments: { question: 'Refund?' } }), says('Done.')],
    nestedSteps: [refund, says('Refunded.')],
  })
  const env = { approval: { approve: async () => 'approve' as const } }
  const client = await serve(projectOf([support], { context: () => ({ labels, env, sessionId: 's-secret' }) }))
  const lines = await linesOf(client, await ended(client, { agent: 'support', input: 'Pay back' }))
  expect(lines.map(({ type, agent, tool: id }) => [type, agent, id].filter(Boolean).join(' '))).toEqual([
    '',
    'model support',
    'tool support orders.getOrder',
    'model support',
    'tool support orders.getOrder',
    'model support',
    'model clerk',
    'tool clerk payments.refund',
    'model clerk',
    'model support',
  ])
  const text = JSON.stringify(lines)
  expect(['acme-tenant', 's-secret', 'secret_table'].filter((each) => text.includes(each))).toEqual([])
})

it('hides values from the audience `recording`, and does not exist if only the audience `events` must not read them', async () => {
  const find = (audiences: object) => {
    const own = tool({
      name: 'find',
      description: 'Find a customer.',
      parameters: { type: 'object' },
      sensitive: { result: { '/email': audiences } },
      run: () => ({ email: 'ada@example.com' }),
    })
    return agentOf(toolset('local', own), 'find')
  }
  const hidden = await serve(projectOf([find({ events: 'omit', recording: 'omit' })]))
  const lines = await linesOf(hidden, await ended(hidden, { agent: 'helper', input: 'Find Ada' }))
  expect(JSON.stringify(lines)).not.toContain('ada@example.com')
  expect(JSON.stringify(lines)).toContain('local.find')
  const readable = await serve(projectOf([find({ events: 'omit' })]))
  const run = await ended(readable, { agent: 'helper', input: 'Find Ada' })
  const message =
    'The run has no cassette, because it would contain values that the page hides: the tool `local.find` hides values from the audience `events`, but not from `recording`.'
  expect(await readable.get(`api/runs/${run}/cassette`)).toEqual({
    error: { message, next: 'Hide them from both audiences.' },
  })
})

it('does not contain hidden values of the conversation that a run continues', async () => {
  const own = tool({
    name: 'find',
    description: 'Find a customer.',
    parameters: { type: 'object' },
    sensitive: { result: { '/email': { events: 'omit', recording: 'omit' } } },
    run: () => ({ email: 'ada@example.com' }),
  })
  const script = scriptedModel([calls({ tool: 'find' }), says('Found.'), says('Yes.'), says('Hello.'), says('Bye.')])
  const agent = new Runtime().registerAgent({ name: 'helper', description: 'Helps.' }, [toolset('local', own)], {
    agent: base(script).build(),
  })
  const client = await serve(projectOf([agent]))
  const first = await ended(client, { agent: 'helper', input: 'Find Ada' })
  const second = await ended(client, { agent: 'helper', input: 'Sure?', after: first })
  expect(script.requests.at(-1)?.messages.map(({ content }) => content)).toContain('{"email":"ada@example.com"}')
  const refused = await client.fetch(`api/runs/${second}/cassette`)
  expect([refused.status, ((await refused.json()) as any).error.message]).toEqual([
    409,
    'The run has no cassette, because it would contain values that the page hides: the run continues a conversation with such values.',
  ])
  // A conversation without hidden values can be continued.
  const third = await ended(client, { agent: 'helper', input: 'Hello' })
  const fourth = await ended(client, { agent: 'helper', input: 'Goodbye', after: third })
  expect(await linesOf(client, fourth)).toHaveLength(2)
})

it('does not exist if a call waited with state that only the server reads', async () => {
  const pay = tool({
    name: 'pay',
    description: 'Pay.',
    parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
    run: () => 'paid',
  }).layer(approval())
  const payments = { ...toolset('local', pay), payloadAdapter: () => '{"to":"account-4711"}' }
  const agent = agentOf(payments, 'pay', { to: 'Ada' })
  const env = { approval: { approve: async () => 'suspend' as const } }
  const client = await serve(projectOf([agent], { context: () => ({ env }) }))
  const { run } = await client.post('api/runs', { agent: 'helper', input: 'Pay Ada' })
  const { summary } = await client.until(run, 'waiting')
  await client.post(`api/runs/${run}/answers`, { answers: { [summary.pending[0].id]: { decision: 'approve' } } })
  await client.parts(run)
  expect((await client.get(`api/runs/${run}/cassette`)).error.message).toContain(
    'the tool `local.pay` waited with state that only the server reads',
  )
})

it('of other runs do not exist: 409 with the reason and the next step', async () => {
  const studio = new Studio({ maxRunBytes: 2_000 })
  const { support } = shop({ steps: [asks, says('Done.'), asks, says('Done.')], sinks: [studio.sink] })
  const client = mounted(studio, [support], true)
  const errorOf = async (run: string): Promise<any> => {
    const response = await client.fetch(`api/runs/${run}/cassette`)
    const { error } = (await response.json()) as any
    const { noCassette } = await client.get(`api/runs/${run}`)
    // The record of the run has the same reason.
    if (response.status === 409) expect(noCassette).toEqual(error)
    return { status: response.status, ...error }
  }
  const observed = await support.run('Where is A-1?', { labels, env: { approval: { approve: async () => 'deny' } } })
  expect(await errorOf(observed.runId)).toEqual({
    status: 409,
    message: `The application started the run \`${observed.runId}\`, so the studio can only observe it.`,
    next: 'Start it again in the studio, for example on the page Chat.',
  })
  const { run: call } = await client.post('api/calls', {
    tool: 'orders.getOrder',
    arguments: '{"orderId":"A-1"}',
    labels,
  })
  await client.parts(call)
  expect(await errorOf(call)).toMatchObject({ status: 409, message: 'Only runs of agents have a cassette.' })
  const large = await ended(client, { agent: 'support', input: 'x'.repeat(2_000), labels })
  expect(await client.get(`api/runs/${large}`)).toMatchObject({ summary: { status: 'completed' } })
  expect(await errorOf(large)).toMatchObject({
    status: 409,
    message: 'The recording in memory failed: it is larger than 2000 bytes.',
    next: expect.stringContaining('toolgen run'),
  })
  expect(await errorOf('none')).toMatchObject({ status: 404 })
})

it('count as memory of their runs', async () => {
  // Each of the seven requests of a run contains the input.
  const input = 'x'.repeat(10_000)
  const script = (runs: number) =>
    Array.from({ length: runs }, () => [...Array.from({ length: 6 }, () => asks), says('Done.')]).flat()
  const start = { agent: 'support', input, labels }
  const unlimited = mounted(new Studio(), [shop({ steps: script(1) }).support], true)
  const only = await ended(unlimited, start)
  const size = (await (await unlimited.fetch(`api/runs/${only}/cassette`)).text()).length
  const limited = mounted(new Studio({ maxBytes: 4 * size }), [shop({ steps: script(8) }).support], true)
  for (let count = 0; count < 8; count += 1) await ended(limited, start)
  expect((await limited.get('api/runs')).runs.length).toBeLessThan(5)
})

it('records with the configuration of the application, and leaves an invalid one to the run', async () => {
  let requests = 0
  const config = runConfig().modelLayer((next) => (request) => {
    requests += 1
    return next(request)
  })
  const { support } = shop({ steps: [says('Done.'), says('Done.')] })
  const client = await serve(projectOf([support], { context: () => ({ labels, config }) }))
  const lines = await linesOf(client, await ended(client, { agent: 'support', input: 'Hello' }))
  expect([lines.length, requests]).toEqual([2, 1])
  const wrong = await serve(projectOf([support], { context: () => ({ labels, config: {} }) }))
  const { run } = await wrong.post('api/runs', { agent: 'support', input: 'Hello' })
  expect((await wrong.until(run, 'failed')).summary.status).toBe('failed')
})

it('the file name of a cassette has only safe characters', async () => {
  const name = '../"; filename=évil\u{1f4a3}.exe\\'
  const agent = new Runtime().registerAgent({ name, description: 'Answers.' }, [], {
    agent: base(scriptedModel([says('Hello.')])).build(),
  })
  const client = await serve(projectOf([agent]))
  const run = await ended(client, { agent: name, input: 'Hello' })
  const { headers } = await client.fetch(`api/runs/${run}/cassette`)
  expect(headers.get('content-disposition')).toMatch(
    /^attachment; filename="filename-vil-\.exe--\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[\da-f]{8}\.jsonl"$/,
  )
})
