import { PassThrough } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Runtime, toolsetRegistration } from '../../packages/runtime/src/index.js'
import { httpCaller, inMemoryCaller, type SdkCaller, serveMcp, sseCaller } from '../../packages/runtime/src/mcp.js'
import { atEnd, type Called, calledEventServer, calledServer, endAll } from './http-server.fixture.js'
import { boundOver, importedAs, servedTool } from './served.fixture.js'

afterEach(endAll)

const { signal } = new AbortController()
const call = (caller: SdkCaller, name = 'go') => caller.callTool({ name, arguments: {} }, { signal })

function opened(caller: SdkCaller): SdkCaller {
  atEnd(() => caller.close())
  return caller
}

/** A server of this package with tools that answer a text. */
async function serving(names: readonly string[], text: string, maxMessageBytes?: number): Promise<SdkCaller> {
  const tools = names.map((name) => servedTool('texts', name))
  const toolset = { name: 'texts', namespace: 'default', description: 'Texts.', tools }
  const registration = toolsetRegistration({ toolset, provider: 'service' }, { execute: () => text })
  const service = await serveMcp(new Runtime(), { toolsets: [registration], transport: { port: 0 } })
  atEnd(() => service.close())
  return opened(httpCaller({ url: String(service.url), ...(maxMessageBytes !== undefined && { maxMessageBytes }) }))
}

describe('an answer over Streamable HTTP', () => {
  it.each([200_000, 5_000_000])('of %d bytes is read', async (length) => {
    const caller = await serving(['long'], 'x'.repeat(length))
    expect(await call(caller, 'texts_long')).toMatchObject({ content: [{ text: expect.toSatisfy(ofLength(length)) }] })
  })

  it('that is longer than what is taken fails its call alone', async () => {
    const caller = await serving(['long'], 'x'.repeat(5_000_000), 1_000_000)
    await expect(call(caller, 'texts_long')).rejects.toMatchObject({ code: 'too_large' })
    expect(await caller.listTools()).toHaveLength(1)
  })

  it('lists thousands of tools', async () => {
    const names = Array.from({ length: 3_000 }, (_, at) => `tool_${at}`)
    expect(await (await serving(names, '')).listTools()).toHaveLength(3_000)
  })
})

const answer = (id: number): object => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: 'é€😀'.repeat(9) }] },
})
const json = (id: number): string => JSON.stringify(answer(id))

const forms: readonly (readonly [string, (id: number) => string])[] = [
  ['one line', (id) => `data: ${json(id)}\n\n`],
  ['one line without a space', (id) => `event: message\ndata:${json(id)}\n\n`],
  ['lines that end with CR and LF', (id) => `event: message\r\ndata: ${json(id)}\r\n\r\n`],
  ['lines that end with CR', (id) => `: hello\r\rdata: ${json(id)}\r\r`],
  ['a byte order mark first', (id) => `\ufeffdata: ${json(id)}\n\n`],
  ['many lines of data', (id) => `${JSON.stringify(answer(id), null, 1).replaceAll(/^/gm, 'data: ')}\n\n`],
  ['spaces after colons', (id) => `data: ${json(id).replaceAll('":', '": ')}\n\n`],
  [
    'another answer before',
    (id) => `data: ${JSON.stringify({ ...answer(id), id: id * 10 + 1 })}\n\ndata: ${json(id)}\n\n`,
  ],
  ['no empty line at its end', (id) => `data: ${json(id)}`],
]

const inPieces =
  (form: (id: number) => string, length: number): Called =>
  async (id, response) => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
    const bytes = Buffer.from(form(id))
    for (let at = 0; at < bytes.length; at += length) {
      response.write(bytes.subarray(at, at + length))
      await setImmediate()
    }
    response.end()
  }

describe.each(forms)('an event with %s', (what, form) => {
  it.each([1, 7, 100_000])('is read in pieces of %d bytes, and nothing is wrong with it', async (length) => {
    const errors: string[] = []
    const url = await calledServer(inPieces(form, length))
    const caller = opened(httpCaller({ url, onError: (error) => errors.push(String(error)) }))
    expect(await call(caller)).toMatchObject({ content: [{ text: 'é€😀'.repeat(9) }] })
    await caller.close()
    const stray = expect.stringContaining('unknown message ID')
    expect(errors).toEqual(what === 'another answer before' ? [stray] : [])
  })
})

it.each([100, 200_000])('an answer over server-sent events is read in pieces of %d bytes', async (length) => {
  const text = 'x'.repeat(300 * length > 1_000_000 ? 3_000_000 : 5_000)
  const form = (id: number): string =>
    `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ text }] } })}\n\n`
  const url = await calledEventServer(inPieces(form, length))
  expect(await call(opened(sseCaller({ url })))).toMatchObject({
    content: [{ text: expect.toSatisfy(ofLength(text.length)) }],
  })
})

/** Of texts whose difference nobody wants to read. */
function ofLength(length: number): (text: string) => boolean {
  return (text) => text.length === length
}

it('defect 13b: a listed tool without a name is left out, and reported', async () => {
  const server = new Server({ name: 'odd', version: '1' }, { capabilities: { tools: {} } })
  const inputSchema = { type: 'object' }
  const tools: any = [{ name: 'go', inputSchema }, { inputSchema }, 'x', { name: ' ', inputSchema }]
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools }))
  const errors: unknown[] = []
  const caller = opened(inMemoryCaller(server, { onError: (error) => errors.push(error) }))
  expect((await caller.listTools()).map(({ name }) => name)).toEqual(['go'])
  expect(errors.map(String)).toEqual(
    [2, 3, 4].map((position) => `McpCallError: the tool ${position} of the list has no name and is skipped`),
  )
  const skipped: unknown[] = []
  await caller.listTools({ onSkippedTool: (error) => skipped.push(error) })
  expect([skipped.length, errors.length]).toEqual([3, 3])
})

describe('a message to a server over stdio', () => {
  const PIECE = 65_536

  /** Serves the tool `echo`, which returns the length of its argument `text`. */
  const served = async () => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const toolset = { name: 'texts', namespace: 'default', description: 'Texts.', tools: [servedTool('texts', 'echo')] }
    const execute = async (request: { payload(): unknown }) => {
      const { text = '' } = (await request.payload()) as { readonly text?: string }
      return { length: text.length }
    }
    const registration = toolsetRegistration({ toolset, provider: 'service' }, { execute })
    const service = await serveMcp(new Runtime(), { toolsets: [registration], transport: { input, output } })
    onTestFinished(() => service.close())
    const send = async (text: string): Promise<void> => {
      for (let at = 0; at < text.length; at += PIECE) {
        if (!input.write(text.slice(at, at + PIECE))) await setImmediate()
      }
    }
    const received = output.setEncoding('utf8')[Symbol.asyncIterator]()
    const answer = async () => JSON.parse((await received.next()).value)
    const clientInfo = { name: 'client', version: '1' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    await send(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
    expect(await answer()).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } })
    return { service, input, send, answer }
  }

  const echo = (args: string): string =>
    `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"texts_echo","arguments":${args}}}\n`

  /** Counts the bytes that are copied from now on. */
  const copied = (): (() => number) => {
    const concat = vi.spyOn(Buffer, 'concat')
    onTestFinished(() => concat.mockRestore())
    return () => concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0)
  }

  it('of 20 MB in pieces is received, and is not copied for each piece', async () => {
    const { send, answer } = await served()
    const bytes = copied()
    await send(echo(`{"text":"${'x'.repeat(20_000_000)}"}`))
    expect(await answer()).toMatchObject({
      id: 2,
      result: { content: [{ text: '{"length":20000000}' }] },
    })
    expect(bytes()).toBeLessThan(60_000_000)
  })

  it('that is too long ends the service, without copies of its pieces', async () => {
    const { service, input, send } = await served()
    const bytes = copied()
    await send('x'.repeat(64 * 1024 * 1024 + 1))
    await service.ended
    expect(bytes()).toBeLessThan(1_000_000)
    expect(input.isPaused()).toBe(true)
  })

  it('ends the service when the client closes it, also in the middle of a message', async () => {
    const { service, input, send } = await served()
    await send('{"jsonrpc":"2.0",')
    input.end()
    await service.ended
  })

  it('with arguments that are nested too deeply fails its call alone', async () => {
    const { send, answer } = await served()
    const deep = `${'{"text":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    await send(echo(deep))
    const failed = await answer()
    expect(failed).toMatchObject({ id: 2, result: { isError: true } })
    expect(JSON.stringify(failed)).not.toContain('call stack')
    await send(echo('{"text":"abc"}'))
    expect(await answer()).toMatchObject({ result: { content: [{ text: '{"length":3}' }] } })
  })
})

it.each([
  ['structured content', (deep: string) => `{"content":[],"structuredContent":${deep}}`],
  ['content', (deep: string) => `{"content":[{"type":"text","text":"a","_meta":${deep}},{"type":"text","text":"b"}]}`],
])('%s that is nested over 20,000 levels fails its call as `malformed_result`', async (_, result) => {
  const deep = `${'{"a":'.repeat(30_000)}1${'}'.repeat(30_000)}`
  const url = await calledServer((id, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`{"jsonrpc":"2.0","id":${id},"result":${result(deep)}}`)
  })
  const tools = boundOver(opened(httpCaller({ url })), importedAs('texts', { go: {} }))
  expect(await tools.execute({ tool: 'texts_go', arguments: '{}' })).toMatchObject({
    status: 'failed',
    error: { reason: 'malformed_result' },
  })
})
