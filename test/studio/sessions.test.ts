import { type BoundAgent, Runtime, tool, toolset } from '@toolgen/runtime'
import { base } from '@toolgen/runtime/agents'
import { agentToolsetRegistration } from '@toolgen/runtime/codegen/v1'
import { memoryStore, SessionRegistry, type StoredSessionReader } from '@toolgen/runtime/sessions'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { Studio } from '@toolgen/studio'
import { expect, it, onTestFinished, vi } from 'vitest'
import { toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { createProject } from '../cli/project.fixture.js'
import { Dev } from './dev.fixture.js'
import { Client, projectOf, serve, shop } from './shop.fixture.js'

/** Agent with sessions in memory. Each session has one conversation with a call. */
function helperWith(sensitive?: object) {
  const find = tool({
    name: 'find',
    description: 'Find a customer.',
    parameters: { type: 'object' },
    ...(sensitive !== undefined && { sensitive: { result: { '/email': sensitive } } }),
    run: () => ({ email: 'ada@example.com' }),
  })
  const script = Array.from({ length: 50 }, () => [calls({ tool: 'find' }), says('It is Ada.')]).flat()
  const agent = new Runtime().registerAgent({ name: 'helper', description: 'Helps.' }, [toolset('local', find)], {
    agent: base(scriptedModel(script)).build(),
  })
  const store = memoryStore()
  const sessions = new SessionRegistry({ agents: { helper: agent }, store, conversation: true })
  const talk = async (sessionId: string, text: string): Promise<void> => {
    const session = await sessions.open(sessionId, { userId: 'user-secret', namespaces: ['helper'] })
    await session.run(agent, text)
    await sessions.close(sessionId)
  }
  return { agent, store, talk }
}

function clientOf(tools: any[], sessions: StoredSessionReader): Client {
  const handler = new Studio().handler({ tools, sessions, authorize: () => true })
  return new Client({ url: 'http://shop.example' }, handler)
}

it('lists sessions by pages, without the ids of sessions and users', async () => {
  const { agent, store, talk } = helperWith()
  for (let index = 0; index < 25; index += 1) await talk(`session-${index}`, `Question ${index}`)
  const client = clientOf([agent], store)
  expect(await client.get('api/project')).toMatchObject({ hasSessions: true })
  const first = await client.get('api/sessions')
  const second = await client.get(`api/sessions?after=${encodeURIComponent(first.next)}`)
  expect([first.sessions.length, second.sessions.length, second.next]).toEqual([20, 5, undefined])
  expect(first.sessions[0]).toEqual({
    id: expect.any(String),
    namespaces: ['helper'],
    savedAt: expect.any(Number),
  })
  const all = [...first.sessions, ...second.sessions]
  expect(new Set(all.map(({ id }) => id)).size).toBe(25)
  expect(JSON.stringify([first, second])).not.toMatch(/session-|user-secret/)
  const records = await Promise.all(all.map(({ id }) => client.get(`api/sessions/${id}`)))
  expect(records.map(({ messages }) => messages[0].content)).toEqual(
    Array.from({ length: 25 }, (_, index) => `Question ${24 - index}`),
  )
  expect(records[0]).toMatchObject({ agent: 'helper', runningCalls: 0 })
  expect(records[0].messages.map(({ role }: any) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(JSON.stringify(records)).not.toMatch(/session-|user-secret/)
})

it('the messages of a session are the input of a new run', async () => {
  const { agent, store, talk } = helperWith()
  await talk('s-1', 'Who is it?')
  const client = await serve(projectOf([agent], { sessions: store }))
  const [{ id }] = (await client.get('api/sessions')).sessions
  const { messages } = await client.get(`api/sessions/${id}`)
  const changed = messages.map((each: any) => (each.role === 'tool' ? { ...each, content: '{"email":"eve"}' } : each))
  const { run } = await client.post('api/runs', { agent: 'helper', input: changed.slice(0, 3) })
  await client.until(run, 'completed')
  expect((await client.get(`api/sessions/${id}`)).messages).toEqual(messages)
})

it('does not show values that the audience `events` must not read', async () => {
  const hidden = helperWith({ events: 'omit', recording: 'omit' })
  const onlyEvents = helperWith({ events: 'omit' })
  for (const { talk } of [hidden, onlyEvents]) await talk('s-1', 'Who is it?')
  const recordOf = async (client: Client) => {
    const [{ id }] = (await client.get('api/sessions')).sessions
    const response = await client.fetch(`api/sessions/${id}`)
    return { status: response.status, text: await response.text() }
  }
  const shown = await recordOf(clientOf([hidden.agent], hidden.store))
  expect(shown.status).toBe(200)
  expect(shown.text).not.toContain('ada@example.com')
  const refused = await recordOf(clientOf([onlyEvents.agent], onlyEvents.store))
  expect(refused.status).toBe(409)
  expect(JSON.parse(refused.text).error.message).toBe(
    'The tool `local.find` hides values from the audience `events`, but not from `recording`.',
  )
  const unknown = await recordOf(clientOf([shop().clerk], hidden.store))
  expect(unknown.status).toBe(409)
  expect(JSON.parse(unknown.text).error.message).toContain('The studio does not know the tool `local.find`')
})

it('does not show values that only nested agents, or other agents with the same tool, hide from `events`', async () => {
  const runtime = new Runtime()
  const findOf = (sensitive?: object) =>
    tool({
      name: 'find',
      description: 'Find a customer.',
      parameters: { type: 'object' },
      ...(sensitive !== undefined && { sensitive: { result: { '/email': sensitive } } }),
      run: () => ({ email: 'ada@example.com' }),
    })
  const agentOf = (name: string, sensitive?: object) => {
    const model = scriptedModel([calls({ tool: 'find' }), says('It is ada@example.com.')])
    const tools = [toolset('local', findOf(sensitive))] as const
    return runtime.registerAgent({ name, description: 'Finds.' }, tools, { agent: base(model).build() })
  }
  const deskOf = (name: string, clerk: BoundAgent) => {
    const exported = toolsetOf(
      toolOf('desk.ask', { arguments: { type: 'object', properties: {} }, result: { type: 'string' } }),
    )
    const ofClerk = { toolset: exported, agent: clerk.agent, tools: { ask: { prose: true } } }
    const model = scriptedModel([calls({ tool: 'desk_ask' }), says('It is ada@example.com.')])
    const tools = [agentToolsetRegistration(ofClerk, () => clerk)] as const
    return runtime.registerAgent({ name, description: 'Asks.' }, tools, { agent: base(model).build() })
  }
  const statusOf = async (agent: BoundAgent, others: readonly BoundAgent[]) => {
    const store = memoryStore()
    const registry = new SessionRegistry({ agents: { helper: agent }, store, conversation: true })
    const session = await registry.open('s-1', { userId: 'u-1', namespaces: ['helper'] })
    await session.run(agent, 'Who is it?')
    await registry.close('s-1')
    const statuses: number[] = []
    for (const tools of [
      [agent, ...others],
      [...others, agent],
    ]) {
      const client = clientOf(tools, store)
      const [{ id }] = (await client.get('api/sessions')).sessions
      statuses.push((await client.fetch(`api/sessions/${id}`)).status)
    }
    return statuses
  }
  const onlyEvents = { events: 'omit' }
  expect(await statusOf(deskOf('open', agentOf('plain')), [])).toEqual([200, 200])
  expect(await statusOf(deskOf('asking', agentOf('clerk', onlyEvents)), [])).toEqual([409, 409])
  const outer = deskOf('outer', deskOf('inner', agentOf('innermost', onlyEvents)))
  expect(await statusOf(outer, [])).toEqual([409, 409])
  expect(await statusOf(agentOf('hiding', onlyEvents), [agentOf('showing')])).toEqual([409, 409])
})

it('rejects stored sessions that it cannot read', async () => {
  const { agent, store, talk } = helperWith()
  await talk('s-1', 'Who is it?')
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => printed.mockRestore())
  for (const broken of [
    { messages: [{ sequence: 1, message: '{"role":"user","content":"secret' }] },
    { messages: [{ sequence: 1, message: '7' }] },
    { messages: [null] },
    { availableTools: undefined },
    { running: undefined },
    { namespaces: null },
  ]) {
    const read = async (id: string) => ({ ...(await store.read(id)), ...broken }) as any
    const client = clientOf([agent], { list: (options) => store.list(options), read })
    const [{ id }] = (await client.get('api/sessions')).sessions
    const response = await client.fetch(`api/sessions/${id}`)
    const { error } = (await response.json()) as any
    expect([broken, response.status, error.message]).toEqual([broken, 409, 'The stored session is not valid.'])
  }
})

it('rejects unknown ids and positions, and hides the errors of a store', async () => {
  const { agent, store } = helperWith()
  const client = clientOf([agent], store)
  for (const id of ['none', 'AAAA', Buffer.alloc(16).toString('base64url'), Buffer.alloc(60).toString('base64url')]) {
    expect((await client.fetch(`api/sessions/${id}`)).status).toBe(404)
    expect((await client.fetch(`api/sessions?after=${id}`)).status).toBe(400)
  }
  const fails = async (): Promise<never> => {
    throw new Error('no connection for session-1')
  }
  const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined)
  onTestFinished(() => printed.mockRestore())
  const broken = clientOf([agent], { list: fails, read: fails })
  const response = await broken.fetch('api/sessions')
  expect([response.status, await response.text()]).toEqual([409, expect.not.stringContaining('session-1')])
  expect(printed).toHaveBeenCalledTimes(1)
  const none = await serve(projectOf([agent]))
  expect(await none.get('api/project')).toMatchObject({ hasSessions: false })
  expect(await none.get('api/sessions')).toMatchObject({ error: { message: 'This studio has no session store.' } })
})

it('`toolgen dev` shows the session store that its module exports', async () => {
  const project = createProject(
    {
      'package.json': '{ "name": "shop", "private": true, "type": "module" }\n',
      'toolgen.config.ts': `export default { design: 'design/*.ts', output: 'gen' }\n`,
      'design/none.ts': 'export {}\n',
      'tools.ts': `import { Runtime, tool, toolset } from '@toolgen/runtime'
import { memoryStore } from '@toolgen/runtime/sessions'
const ping = tool({ name: 'ping', description: 'Ping.', parameters: { type: 'object' }, run: () => 1 })
const sessions = memoryStore()
const message = JSON.stringify({ role: 'user', content: 'Hello' })
await sessions.save({ version: 1, sessionId: 's-1', userId: 'u-1', namespaces: ['pings'], availableTools: ['pings.ping'],
  entries: [], running: [], messages: [{ sequence: 1, message }], nextSequence: 2 }, 'owner', { releases: true })
export default { toolsets: [new Runtime().registerToolset(toolset('pings', ping))], sessions }
`,
    },
    ['@toolgen/studio'],
  )
  onTestFinished(() => project.remove())
  const client = await new Dev(project, 'tools.ts', '--port', '0').client()
  const [{ id }] = (await client.get('api/sessions')).sessions
  expect(await client.get(`api/sessions/${id}`)).toEqual({
    messages: [{ role: 'user', content: 'Hello' }],
    runningCalls: 0,
  })
})
