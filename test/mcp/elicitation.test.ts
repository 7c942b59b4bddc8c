import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { inputRequired, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { CallerOptions } from '../../packages/runtime/src/mcp/caller-options.js'
import {
  httpCaller,
  inMemoryCaller,
  type McpAnswer,
  type McpQuestion,
  type SdkCaller,
} from '../../packages/runtime/src/mcp.js'
import { atEnd, endAll } from './http-server.fixture.js'
import { newServerOverHttp } from './new-server.fixture.js'

afterEach(endAll)

const { signal } = new AbortController()
const said = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] })
const page = { message: 'Sign in.', url: 'https://pay.example.com/sign-in' }
const requestedSchema = {
  type: 'object' as const,
  properties: { size: { type: 'integer' as const, minimum: 1 } },
  required: ['size'],
}

function newServer(): McpServer {
  const server = new McpServer({ name: 'asking', version: '1' })
  const form = z.object({ size: z.int().min(1) })
  server.registerTool('form', { inputSchema: z.object({}) }, (_, { mcpReq: { inputResponses } }) =>
    inputResponses === undefined
      ? inputRequired({ inputRequests: { q: inputRequired.elicit({ message: 'Which size?', requestedSchema: form }) } })
      : said(inputResponses.q),
  )
  server.registerTool('page', { inputSchema: z.object({}) }, (_, { mcpReq: { inputResponses } }) =>
    inputResponses === undefined
      ? inputRequired({ inputRequests: { q: inputRequired.elicitUrl({ ...page }) } })
      : said(inputResponses.q),
  )
  return server
}

function oldServer(): McpServer1 {
  const server = new McpServer1({ name: 'asking', version: '1' })
  const ask = (question: any) => async () => said(await server.server.elicitInput(question))
  server.registerTool('form', {}, ask({ message: 'Which size?', requestedSchema }))
  server.registerTool('page', {}, ask({ mode: 'url', elicitationId: 'e1', ...page }))
  return server
}

function opened(caller: SdkCaller): SdkCaller {
  atEnd(() => caller.close())
  return caller
}

const servers: readonly [string, (options: CallerOptions) => Promise<SdkCaller>][] = [
  [
    'protocol 2026-07-28 in memory',
    async (options) => {
      const connect = async (transport: any): Promise<void> => void serveStdio(newServer, { transport })
      return opened(inMemoryCaller(() => ({ connect }), options))
    },
  ],
  [
    'protocol 2026-07-28 over HTTP',
    async (options) => {
      const { url } = await newServerOverHttp(undefined, newServer)
      return opened(httpCaller({ url, ...options }))
    },
  ],
  ['SDK 1', async (options) => opened(inMemoryCaller(oldServer as any, options))],
]

const recordingTo =
  (questions: McpQuestion[], answer: McpAnswer) =>
  (question: McpQuestion): McpAnswer => {
    questions.push(question)
    return answer
  }

const call = (caller: SdkCaller, name: string): Promise<any> => caller.callTool({ name, arguments: {} }, { signal })
const textOf = ({ content }: any): string => content[0].text

describe.each(servers)('a server with %s', (_, reach) => {
  it('asks with a form, and receives the answer, a refusal or a cancellation', async () => {
    const answers = [{ action: 'accept', content: { size: 3 } }, { action: 'decline' }, { action: 'cancel' }] as const
    for (const answer of answers) {
      const questions: McpQuestion[] = []
      const caller = await reach({ elicit: recordingTo(questions, answer) })
      expect(JSON.parse(textOf(await call(caller, 'form')))).toEqual(answer)
      expect(questions).toMatchObject([{ mode: 'form', message: 'Which size?', schema: { required: ['size'] } }])
    }
  })

  it('asks to visit a page, whose address the application receives', async () => {
    const questions: McpQuestion[] = []
    const caller = await reach({ elicit: recordingTo(questions, { action: 'accept' }) })
    expect(JSON.parse(textOf(await call(caller, 'page')))).toEqual({ action: 'accept' })
    expect(questions).toEqual([{ mode: 'url', ...page }])
  })

  it('does not receive an answer that its schema forbids', async () => {
    const errors: unknown[] = []
    const elicit = () => ({ action: 'accept', content: { size: 0 } }) as const
    const caller = await reach({ elicit, onError: (error) => errors.push(error) })
    const result = await call(caller, 'form').catch((error: unknown) => {
      errors.push(error)
      return { isError: true }
    })
    expect(result).toMatchObject({ isError: true })
    expect(errors.map(String).join()).toContain("The answer of `elicit` does not match the requested schema at '/size'")
  })

  it('does not ask a caller that cannot answer', async () => {
    const result = await call(await reach({}), 'form').catch(() => ({ isError: true }))
    expect(result).toMatchObject({ isError: true })
  })
})

it('a server that has changed to an older protocol does not receive answers to its question', async () => {
  const [, reach] = servers[2] ?? []
  const answered = { name: 'form', arguments: {}, inputResponses: { q: { action: 'decline' } } } as const
  const caller = await reach?.({})
  const call = caller?.callTool(answered, { signal, allowInputRequired: true })
  await expect(call).rejects.toMatchObject({ code: 'refused', message: expect.stringContaining('Call the tool again') })
})

it('a function that returns no answer fails the call with the forms of answers', async () => {
  const [, reach] = servers[0] ?? []
  const caller = await reach?.({ elicit: () => undefined as never })
  await expect(call(caller as SdkCaller, 'form')).rejects.toThrow("`elicit` must return { action: 'accept', content }")
})
