import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  type ClientCapabilities,
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  LoggingMessageNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import {
  approval,
  type ExecutorRequest,
  Runtime,
  type ToolLayer,
  type ToolsetRegistration,
  tool,
  toolset,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import type { ServedClient } from '../../packages/runtime/src/mcp/served-client.js'
import type { ServedRequest } from '../../packages/runtime/src/mcp/served-tools.js'
import { serveMcp } from '../../packages/runtime/src/mcp.js'
import { servedTool } from './served.fixture.js'

const ends: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

/** What is needed of the client. */
interface HasClient {
  readonly client: ServedClient
}

const plain: ToolsetRegistration = toolset(
  'local',
  tool({ name: 'delete', description: 'Deletes.', parameters: { type: 'object' }, run: () => 'deleted' }),
)

/** A client of the SDK over HTTP, where what is asked of it must find its way back. */
async function clientOf<Env>(
  tools: ToolsetRegistration<Env>,
  context: (request: ServedRequest) => { readonly env: Env },
  capabilities: ClientCapabilities,
): Promise<Client> {
  const service = await serveMcp<any>(new Runtime(), { toolsets: [tools], context, transport: { port: 0 } })
  ends.push(() => service.close())
  const client = new Client({ name: 'test', version: '1' }, { capabilities })
  ends.push(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(new URL(service.url ?? '')))
  return client
}

/** A tool that does something with its client before it answers. */
function doing(work: (client: ServedClient) => Promise<unknown>): ToolsetRegistration<HasClient> {
  const layer: ToolLayer<HasClient> = () => async (request) => request.complete(await work(request.env.client))
  return plain.layer(layer)
}

const call = { name: 'delete', arguments: {} }
const unable = (text: string): object => ({ content: [{ type: 'text', text }], isError: true })
const ownClient = ({ client }: ServedRequest): { readonly env: HasClient } => ({ env: { client } })
const sure = { type: 'object', properties: { sure: { type: 'boolean' } } } as const

it.each([
  ['accept', { content: [{ type: 'text', text: 'deleted' }] }],
  ['decline', { isError: true }],
] as const)('a person at the client approves of calls, or does not: %s', async (action, expected) => {
  const client = await clientOf(
    plain.layer(approval({ when: () => true })),
    ({ client }) => ({
      env: {
        approval: {
          approve: async ({ tool }) => {
            const { action } = await client.elicit({ message: `Run ${tool}?`, requestedSchema: { ...sure } })
            return action === 'accept' ? 'approve' : 'deny'
          },
        },
      },
    }),
    { elicitation: {} },
  )
  const asked: string[] = []
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message)
    return { action, ...(action === 'accept' && { content: { sure: true } }) }
  })
  expect(await client.callTool(call)).toMatchObject(expected)
  expect(asked).toEqual(['Run local.delete?'])
})

it('what a client cannot do is known, and fails the call that asks for it', async () => {
  const known: ClientCapabilities[] = []
  const asking = doing((client) => {
    known.push(client.capabilities)
    return client.elicit({ message: 'Sure?', requestedSchema: { ...sure } })
  })
  const client = await clientOf(asking, ownClient, { sampling: {} })
  expect(await client.callTool(call)).toEqual(
    unable('The tool needs a client that can ask its user, but this client cannot. Try another way.'),
  )
  expect(known).toEqual([{ sampling: {} }])
})

it('a client without a model cannot be asked for its answer', async () => {
  const asking = doing((client) => client.sample({ messages: [], maxTokens: 10 }))
  const client = await clientOf(asking, ownClient, { elicitation: {} })
  expect(await client.callTool(call)).toEqual(
    unable('The tool needs a client that can ask its model, but this client cannot. Try another way.'),
  )
})

it('an answer that does not come in time fails the call', async () => {
  const asking = doing((client) => client.elicit({ message: 'Sure?', requestedSchema: { ...sure } }, { timeoutMs: 20 }))
  const client = await clientOf(asking, ownClient, { elicitation: {} })
  client.setRequestHandler(ElicitRequestSchema, () => new Promise<never>(() => undefined))
  expect(await client.callTool(call)).toMatchObject({ isError: true })
})

it('the model of the client is asked', async () => {
  const sampling = doing(async (client) => {
    const content = { type: 'text', text: 'Hi?' } as const
    return (await client.sample({ messages: [{ role: 'user', content }], maxTokens: 10 })).content
  })
  const client = await clientOf(sampling, ownClient, { sampling: {} })
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    model: 'small',
    role: 'assistant',
    content: { type: 'text', text: 'Hello.' },
  }))
  expect(JSON.stringify(await client.callTool(call))).toContain('Hello.')
})

it('the log of the client is written, from the level on that it asked for', async () => {
  const logging = doing(async (client) => {
    client.log('info', 'begun')
    client.log('warning', { disk: 'full' }, 'disk')
  })
  const client = await clientOf(logging, ownClient, {})
  const logged: object[] = []
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    logged.push(params)
  })
  await client.callTool(call)
  await client.setLoggingLevel('warning')
  await client.callTool(call)
  const warned = { level: 'warning', data: { disk: 'full' }, logger: 'disk' }
  expect(logged).toEqual([{ level: 'info', data: 'begun' }, warned, warned])
})

describe('what the official client lists', () => {
  const either = [
    { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  ]

  it('defect 14a: has no union at the root of arguments, and calls are validated with the whole schema', async () => {
    const tools = [servedTool('people', 'find', { arguments: { type: 'object', oneOf: either } })]
    const people = { name: 'people', namespace: 'default', description: 'People.', tools }
    const executor = { execute: ({ payload }: ExecutorRequest) => payload() }
    const find = toolsetRegistration({ toolset: people, provider: 'service' }, executor)
    const client = await clientOf(find, () => ({ env: {} }), {})
    const [listed] = (await client.listTools()).tools
    expect(listed?.inputSchema).toMatchObject({ type: 'object', properties: { id: {}, name: {} } })
    expect(Object.keys(listed?.inputSchema ?? {})).not.toContain('oneOf')
    expect(await client.callTool({ name: 'people_find', arguments: { id: 'a' } })).not.toHaveProperty('isError')
    expect(await client.callTool({ name: 'people_find', arguments: { id: 'a', name: 'b' } })).toMatchObject({
      isError: true,
    })
    expect(await client.callTool({ name: 'people_find', arguments: {} })).toMatchObject({ isError: true })
  })

  it('defect 13d: is every tool, also one whose result has a name with half of a surrogate pair', async () => {
    const result = { type: 'object', properties: { 'a\ud800': { type: 'string' } } }
    const tools = [servedTool('odd', 'half', { outputSchema: result }), servedTool('odd', 'whole')]
    const odd = { name: 'odd', namespace: 'default', description: 'Odd.', tools }
    const registration = toolsetRegistration({ toolset: odd, provider: 'service' }, { execute: () => ({}) })
    const client = await clientOf(registration, () => ({ env: {} }), {})
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['odd_half', 'odd_whole'])
    expect(await client.callTool({ name: 'odd_half', arguments: {} })).not.toHaveProperty('isError')
  })
})
