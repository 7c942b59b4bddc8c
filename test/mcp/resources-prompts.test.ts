import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { ListResourcesRequestSchema, ListResourceTemplatesRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { afterEach, describe, expect, it } from 'vitest'
import { mcpPrompt, mcpResource, mcpResources } from '../../packages/runtime/src/codegen/v1.js'
import { mcpExecutor } from '../../packages/runtime/src/index.js'
import { httpCaller, inMemoryCaller, type SdkCaller } from '../../packages/runtime/src/mcp.js'
import { newServer } from './content-server.mjs'
import { atEnd, endAll } from './http-server.fixture.js'
import { newServerOverHttp } from './new-server.fixture.js'
import { importedAs } from './served.fixture.js'

afterEach(endAll)

function opened(caller: SdkCaller): SdkCaller {
  atEnd(() => caller.close())
  return caller
}

const overMemory = async (): Promise<SdkCaller> => {
  const connect = async (transport: any): Promise<void> => void serveStdio(newServer, { transport })
  return opened(inMemoryCaller(() => ({ connect })))
}

/** The same server, without the probe for protocol 2026-07-28. */
const oldServer = async (): Promise<SdkCaller> => opened(inMemoryCaller(() => newServer() as any))

const overHttp = async (): Promise<SdkCaller> => {
  const { url } = await newServerOverHttp(undefined, newServer)
  return opened(httpCaller({ url }))
}

describe.each([
  ['protocol 2026-07-28 in memory', overMemory],
  ['protocol 2026-07-28 over HTTP', overHttp],
  ['an older protocol', oldServer],
])('a server with %s', (_, reach) => {
  it('lists its resources, and sends their text and bytes', async () => {
    const { listResources, readResource } = mcpResources(mcpExecutor(importedAs('content', {}), await reach()))
    expect(await listResources()).toEqual([
      { uri: 'memo://notes', name: 'notes', title: 'Notes', mimeType: 'text/plain' },
      { uri: 'memo://logo', name: 'logo' },
    ])
    expect(await readResource('memo://notes')).toEqual([
      { type: 'text', uri: 'memo://notes', mimeType: 'text/plain', text: 'Call Ada.' },
    ])
    expect(await readResource('memo://logo')).toMatchObject([{ type: 'blob', mimeType: 'image/png' }])
  })

  it('lists its resource templates, and sends resources of a template', async () => {
    const executor = mcpExecutor(importedAs('content', {}), await reach())
    expect(await mcpResources(executor).listResourceTemplates()).toEqual([
      {
        uriTemplate: 'memo://days/{day}{?lang}',
        name: 'daily-note',
        description: 'Note of a day.',
        mimeType: 'text/plain',
      },
    ])
    expect(await mcpResource(executor, 'memo://days/{day}{?lang}', { day: 'mon day', lang: 'de' })).toEqual([
      { type: 'text', uri: 'memo://days/mon%20day?lang=de', text: '{"day":"mon%20day","lang":"de"}' },
    ])
    await expect(mcpResource(executor, 'memo://days/{day}', {})).rejects.toThrow(
      "URI template 'memo://days/{day}': the variable 'day' must be a string of valid Unicode, but is nothing.",
    )
    await expect(mcpResource(executor, 'memo://days/{day}', { day: 'a' }, { maxBytes: 2 })).rejects.toMatchObject({
      code: expect.stringMatching(/refused|too_large/),
    })
  })

  it('rejects unknown resources, and the caller rejects resources that are too large', async () => {
    const { readResource } = mcpResources(mcpExecutor(importedAs('content', {}), await reach()))
    await expect(readResource('memo://none')).rejects.toMatchObject({ name: 'McpCallError', code: 'refused' })
    await expect(readResource('memo://notes', { maxBytes: 8 })).rejects.toMatchObject({
      code: 'too_large',
      message: "the resource 'memo://notes' has 9 bytes, more than `maxBytes` (8). Set a higher `maxBytes` to read it",
    })
    expect(await readResource('memo://notes', { maxBytes: 9 })).toHaveLength(1)
    await expect(readResource('memo://notes', { maxBytes: 0 })).rejects.toThrow(RangeError)
  })

  it('sends prompts, which become chat messages', async () => {
    const executor = mcpExecutor(importedAs('content', {}), await reach())
    const review = await mcpPrompt(executor, 'code-review', { language: 'ts', focus: undefined })
    expect(review).toEqual([
      { role: 'user', content: 'Review this ts for everything.' },
      { role: 'assistant', content: 'Send the code.' },
    ])
    expect(await mcpPrompt(executor, 'picture')).toMatchObject([
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: expect.stringMatching(/^data:image\/png;base64,/) } }],
      },
    ])
    expect(await mcpPrompt(executor, 'link')).toEqual([
      { role: 'user', content: 'Resource: memo://notes, notes, text/plain' },
    ])
    const [memo] = await mcpPrompt(executor, 'memo')
    expect(memo?.content).toMatch(/^Resource: memo:\/\/notes, text\/plain\nCall Ada\./)
    expect(String(memo?.content).length).toBeLessThan(20_100)
    await expect(mcpPrompt(executor, 'code-review')).rejects.toMatchObject({ code: 'refused' })
  })
})

it('a server of SDK 1 without resources and prompts has none, and a request for one is rejected', async () => {
  const make = () => {
    const server = new McpServer1({ name: 'plain', version: '1' })
    server.registerTool('go', {}, () => ({ content: [] }))
    return server
  }
  const caller = opened(inMemoryCaller(make as any))
  const lists = [caller.listResources(), caller.listResourceTemplates(), caller.listPrompts()]
  expect(await Promise.all(lists)).toEqual([[], [], []])
  await expect(caller.readResource('memo://notes')).rejects.toMatchObject({
    code: 'refused',
    message: "the server 'plain' offers no resources",
  })
  await expect(caller.getPrompt('review', {})).rejects.toThrow("the server 'plain' offers no prompts")
})

it('a server with resources that does not know templates has none', async () => {
  const server = new Server({ name: 'plain', version: '1' }, { capabilities: { resources: {}, tools: {} } })
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [] }))
  const caller = opened(inMemoryCaller(server))
  expect(await caller.listResourceTemplates()).toEqual([])
})

it('a list of resource templates without URI templates is rejected', async () => {
  const server = new Server({ name: 'plain', version: '1' }, { capabilities: { resources: {}, tools: {} } })
  server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [{ name: 'a' }] }) as any)
  const caller = opened(inMemoryCaller(server))
  await expect(caller.listResourceTemplates()).rejects.toMatchObject({
    code: 'malformed',
    message: 'resource template 1 of the list has no URI template',
  })
})

it('a caller without resources fails with the name of the missing method', async () => {
  const caller = {
    server: undefined,
    callTool: async () => ({}),
    listTools: async () => [],
    close: async () => undefined,
  }
  const { readResource } = mcpResources(mcpExecutor(importedAs('content', {}), caller))
  await expect(readResource('memo://notes')).rejects.toThrow("The MCP caller has no method 'readResource'")
})
