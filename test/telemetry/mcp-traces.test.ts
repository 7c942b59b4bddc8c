import { createServer } from 'node:http'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { type Baggage, context, propagation } from '@opentelemetry/api'
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { mcpExecutor, Runtime, tool, toolset, toolsetRegistration } from '../../packages/runtime/src/index.js'
import { httpCaller, type McpCaller, serveMcp } from '../../packages/runtime/src/mcp.js'
import { otelTracer } from '../../packages/runtime/src/otel.js'
import { atEnd, endAll } from '../mcp/http-server.fixture.js'
import { importedAs } from '../mcp/served.fixture.js'
import { followContext, type RecordedTelemetry, recordTelemetry, type SpanTree } from './recorded-telemetry.js'
import { shape } from './weather.js'

let telemetry: RecordedTelemetry
let unfollow: () => void
beforeAll(() => {
  unfollow = followContext()
  propagation.setGlobalPropagator(
    new CompositePropagator({ propagators: [new W3CTraceContextPropagator(), new W3CBaggagePropagator()] }),
  )
})
afterAll(() => {
  propagation.disable()
  unfollow()
})
beforeEach(() => {
  telemetry = recordTelemetry()
})
afterEach(endAll)

const runtime = (): Runtime => new Runtime({ tracer: otelTracer(telemetry) })
const imported = importedAs('served', { look: {} })

const tenantOf = (baggage: Baggage | undefined): string => baggage?.getEntry('tenant')?.value ?? 'none'

const look = tool({
  name: 'look',
  description: 'Looks.',
  parameters: {},
  run: () => ({ tenant: tenantOf(propagation.getBaggage(context.active())) }),
})

function called(caller: McpCaller) {
  atEnd(() => (caller as McpCaller & { close(): Promise<void> }).close())
  const executor = mcpExecutor(imported, caller, { onDrift: 'ignore' })
  const tools = runtime().registerToolset(toolsetRegistration({ toolset: imported.toolset, provider: 'mcp' }, executor))
  const baggage = propagation.createBaggage({ tenant: { value: 'acme' } })
  const call = { tool: 'served.look', arguments: '{}' }
  return context.with(propagation.setBaggage(context.active(), baggage), () => tools.execute(call))
}

it('the spans of our server belong to the call of our client, and its baggage is active', async () => {
  const service = await serveMcp(runtime(), { toolsets: [toolset('local', look)], transport: { port: 0 } })
  atEnd(() => service.close())
  const outcome = await called(httpCaller({ url: String(service.url) }))
  expect(outcome).toMatchObject({ status: 'completed', json: '{"tenant":"acme"}' })
  const trees = telemetry.trees()
  expect(trees.map(shape)).toEqual([['execute_tool served_look', 'UNSET', ['execute_tool look', 'UNSET']]])
  const [client] = trees as [SpanTree]
  const attributes = { 'mcp.method.name': 'tools/call', 'mcp.protocol.version': '2026-07-28' }
  expect(client).toMatchObject({ kind: 'CLIENT', attributes })
  expect(client.children).toMatchObject([{ kind: 'SERVER', attributes }])
  // This protocol has no sessions.
  for (const span of [client, ...client.children]) expect(span.attributes).not.toHaveProperty('mcp.session.id')
})

it('a client that sends something else as trace context starts a trace of its own', async () => {
  const service = await serveMcp(runtime(), { toolsets: [toolset('local', look)], transport: { port: 0 } })
  atEnd(() => service.close())
  for (const traceparent of [7, 'nonsense', '']) {
    const caller = httpCaller({ url: String(service.url) })
    atEnd(() => caller.close())
    const traceContext = { traceparent: traceparent as string }
    const { signal } = new AbortController()
    expect(await caller.callTool({ name: 'look', arguments: {} }, { signal, traceContext })).toMatchObject({
      content: [{ text: '{"tenant":"none"}' }],
    })
  }
  expect(telemetry.trees().map(({ children }) => children)).toEqual([[], [], []])
})

it('a server of SDK 1 receives the trace context too', async () => {
  const received: unknown[] = []
  const server = new McpServer1({ name: 'old', version: '1' })
  server.registerTool('look', {}, (extra: { readonly _meta?: unknown }) => {
    received.push(extra._meta)
    return { content: [{ type: 'text', text: '{}' }] }
  })
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'session-1' })
  await server.connect(transport as never)
  const http = createServer((request, response) => void transport.handleRequest(request, response))
  const port = await new Promise<number>((resolve) => {
    http.listen(0, '127.0.0.1', () => resolve(Object(http.address()).port))
  })
  atEnd(async () => void http.close().closeAllConnections())
  expect(await called(httpCaller({ url: `http://127.0.0.1:${port}/mcp` }))).toMatchObject({ status: 'completed' })
  expect(received).toEqual([
    { traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/), baggage: 'tenant=acme' },
  ])
  expect(telemetry.trees()).toMatchObject([
    { kind: 'CLIENT', attributes: { 'mcp.protocol.version': '2025-11-25', 'mcp.session.id': 'session-1' } },
  ])
})

it('the spans of a failed call and of both sides of an older protocol have its session', async () => {
  const broken = tool({
    name: 'look',
    description: 'Looks.',
    parameters: {},
    run: () => {
      throw new Error('broken')
    },
  })
  const service = await serveMcp(runtime(), { toolsets: [toolset('local', broken)], transport: { port: 0 } })
  atEnd(() => service.close())
  const asOld: typeof fetch = async (url, init) => {
    const isProbe = String(init?.body).includes('server/discover')
    const error = { jsonrpc: '2.0', id: null, error: { code: -32_601, message: 'Method not found' } }
    return isProbe ? Response.json(error, { status: 404 }) : fetch(url, init)
  }
  expect(await called(httpCaller({ url: String(service.url), fetch: asOld }))).toMatchObject({ status: 'failed' })
  const [client] = telemetry.trees() as [SpanTree]
  const attributes = { 'mcp.protocol.version': '2025-11-25', 'mcp.session.id': expect.stringMatching(/^[\w-]{36}$/) }
  expect(client).toMatchObject({ kind: 'CLIENT', status: 'ERROR', attributes })
  expect(client.children).toMatchObject([
    { kind: 'SERVER', status: 'ERROR', attributes: { 'mcp.session.id': client.attributes['mcp.session.id'] } },
  ])
})

it('a call that the server rejects has the connection too', async () => {
  const caller: McpCaller = {
    ...{ server: undefined, connection: { protocolVersion: '2025-06-18' } },
    callTool: () => Promise.reject(new Error('refused')),
    listTools: async () => [],
    close: async () => undefined,
  }
  expect(await called(caller)).toMatchObject({ status: 'failed' })
  const [span] = telemetry.trees()
  expect(span).toMatchObject({ status: 'ERROR', attributes: { 'mcp.protocol.version': '2025-06-18' } })
})

it('without a tracer, nothing is sent', async () => {
  const service = await serveMcp(runtime(), { toolsets: [toolset('local', look)], transport: { port: 0 } })
  atEnd(() => service.close())
  const caller = httpCaller({ url: String(service.url) })
  atEnd(() => caller.close())
  const executor = mcpExecutor(imported, caller, { onDrift: 'ignore' })
  const registration = toolsetRegistration({ toolset: imported.toolset, provider: 'mcp' }, executor)
  await new Runtime().registerToolset(registration).execute({ tool: 'served.look', arguments: '{}' })
  expect(telemetry.trees()).toMatchObject([{ kind: 'SERVER', children: [] }])
})
