import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { CallToolRequestSchema, type CallToolResult, type ContentBlock } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import {
  mcpExecutor,
  Runtime,
  type ToolsetRegistration,
  tool,
  toolset,
  toolsetRegistration,
  transformOutput,
} from '../../packages/runtime/src/index.js'
import { inMemoryCaller, type SdkCaller, serveMcp } from '../../packages/runtime/src/mcp.js'
import { CodecError } from '../../packages/runtime/src/schema.js'
import type { McpProgress } from '../../packages/runtime/src/types/mcp.js'
import { importedAs } from './served.fixture.js'

const { signal } = new AbortController()
const callers: SdkCaller[] = []

afterEach(async () => {
  for (const caller of callers.splice(0)) await caller.close()
})

/** A client of what is served. */
function clientOf(served: ToolsetRegistration<any>): SdkCaller {
  const caller = inMemoryCaller({
    connect: (transport) => serveMcp(new Runtime(), { toolsets: [served], transport }),
  })
  callers.push(caller)
  return caller
}

/** A client of an imported toolset that is served again; its server gives the answer. */
function proxyOf(answer: CallToolResult): SdkCaller {
  const server = new Server({ name: 'camera', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(CallToolRequestSchema, () => answer)
  const camera = inMemoryCaller(server)
  callers.push(camera)
  const imported = importedAs('camera', { take: {} })
  const executor = mcpExecutor(imported, camera, { onDrift: 'ignore' })
  return clientOf(toolsetRegistration({ toolset: imported.toolset, provider: 'mcp' }, executor))
}

const image: ContentBlock = {
  type: 'image',
  data: 'aGVsbG8=',
  mimeType: 'image/png',
  annotations: { audience: ['user'] },
}
const audio = { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' } as const
const link = { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt' } as const
const embedded = { type: 'resource', resource: { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'a' } } as const
const text = { type: 'text', text: 'A picture:' } as const

it('defect 8: a served tool sends nothing of the issues of an error that no model may see', async () => {
  const { signal: stopped } = new AbortController()
  const echo = tool({ name: 'echo', description: 'Echoes.', parameters: {}, run: () => ({}) })
  const failing = toolset('local', echo).layer(() => async (request) => {
    const cause = new CodecError([{ constraint: 'check_failed', path: '/SECRET', message: 'It is not right.' }])
    return request.fail(new Error('broken', { cause }))
  })
  const outcome = await new Runtime().registerToolset(failing).execute({ tool: 'echo', arguments: '{}' })
  expect(outcome).toMatchObject({ error: { issues: [{ path: '/SECRET' }] } })
  const answer = await clientOf(failing).callTool({ name: 'echo', arguments: {} }, { signal: stopped })
  expect(answer).toMatchObject({ isError: true })
  expect(JSON.stringify(answer)).not.toContain('SECRET')
})

describe('an imported tool that is served again', () => {
  it.each<[string, CallToolResult['content']]>([
    ['an image', [image]],
    ['a sound', [audio]],
    ['a resource and a link', [embedded, link]],
    ['text and an image', [text, image]],
    ['several texts', [text, text]],
    ['prose', [text]],
    ['JSON of an object', [{ type: 'text', text: '{"a":1}' }]],
    ['a number as text', [{ type: 'text', text: '42' }]],
  ])('answers %s as its own server did', async (_, content) => {
    const answer = await proxyOf({ content }).callTool({ name: 'camera_take', arguments: {} }, { signal })
    expect(answer).toEqual({ content })
  })
})

/** A client of one tool that answers with a value. */
function answering(value: unknown): SdkCaller {
  const run = (): unknown => value
  return clientOf(toolset('local', tool({ name: 'give', description: 'Gives.', parameters: { type: 'object' }, run })))
}

const give = { name: 'give', arguments: {} }

describe('a tool of ones own', () => {
  it('answers with an image by answering with MCP content', async () => {
    expect(await answering({ content: [image] }).callTool(give, { signal })).toEqual({ content: [image] })
  })

  it.each([
    ['content that is no list', { content: 'a' }],
    ['no blocks', { content: [] }],
    ['a block of an unknown kind', { content: [image, { type: 'hologram' }] }],
    ['an image without data', { content: [{ type: 'image' }] }],
    ['more than content', { content: [image], id: 1 }],
    ['a list', [image]],
  ])('answers as JSON with %s', async (_, value) => {
    const content = [{ type: 'text', text: JSON.stringify(value) }]
    expect(await answering(value).callTool(give, { signal })).toEqual({ content })
  })

  it('answers with a text as it is', async () => {
    const content = [{ type: 'text', text: 'She said "hello".' }]
    expect(await answering('She said "hello".').callTool(give, { signal })).toEqual({ content })
  })

  it('answers with the prose that a layer puts in place of JSON', async () => {
    const run = (): unknown => ({ id: 1 })
    const own = toolset('local', tool({ name: 'give', description: 'Gives.', parameters: { type: 'object' }, run }))
    const client = clientOf(own.layer(transformOutput(() => 'Too long.')))
    expect(await client.callTool(give, { signal })).toEqual({ content: [{ type: 'text', text: 'Too long.' }] })
  })

  it('reports progress from the start', async () => {
    const caller = clientOf(
      toolset(
        'local',
        tool({
          name: 'give',
          description: 'Gives.',
          parameters: { type: 'object' },
          updates: { type: 'object' },
          run: async (_, { emit }) => {
            for (const update of [{ progress: 0, total: 2 }, { progress: 2, total: 2 }, { done: true }])
              await emit(update)
          },
        }),
      ),
    )
    const told: McpProgress[] = []
    await caller.callTool(give, { signal, onProgress: (progress) => told.push(progress) })
    expect(told).toEqual([
      { progress: 0, total: 2 },
      { progress: 2, total: 2 },
      { progress: 3, message: '{"done":true}' },
    ])
  })
})
