import { randomUUID } from 'node:crypto'
import { type Readable, Transform, type Writable } from 'node:stream'
import {
  type CallToolResult,
  type ContentBlock,
  type McpRequestContext,
  ProtocolErrorCode,
  Server,
  specTypeSchemas,
  type Transport,
} from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { failedToStart } from '../adapters/framework-tools.js'
import type { Runtime } from '../agents/runtime.js'
import { jsonOf } from '../agents/suspension.js'
import type { BoundTools } from '../call/bound-toolset.js'
import { readCall, resolveOptions } from '../call/call-target.js'
import { isFilePart, withData } from '../call/content.js'
import { failureMeta, failuresMeta } from '../call/declared-failure.js'
import { MAX_NEAR, startCall } from '../call/execute.js'
import { isReadResult } from '../call/read-result.js'
import { alternatives, approvalNote, renderForModel } from '../call/render.js'
import { shorten } from '../call/value-text.js'
import { type McpTool, mcpTool } from '../projections/mcp.js'
import { isFields } from '../schema/json-values.js'
import { nearestNames } from '../schema/nearest.js'
import { parseJson } from '../schema/parse-json.js'
import type { ContentPart } from '../types/content.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec } from '../types/tool.js'
import { subjectOf } from './bearer-auth.js'
import { MAX_MESSAGE_BYTES } from './caller-options.js'
import { type HttpListenOptions, type McpService, serveHttp } from './http-service.js'
import { ownName } from './messages.js'
import { type ServedCall, ServedCalls } from './served-client.js'
import { answeredByClient } from './served-questions.js'
import { declaresTasks, ServedTasks, tasksCapability } from './served-tasks.js'
import type { ServedContext, ServedTools } from './served-tools.js'

interface StdioStreams {
  readonly input: Readable
  /** Stream for messages to the client. Other code must not write to this stream. */
  readonly output: Writable
}

/** Options for {@link serveMcp}: the served tools and the transport. `Claims` is the type of an access token's claims. */
export type ServeMcpOptions<Env = unknown, Claims = undefined> = ServedTools<Env, Claims> & {
  /**
   * Transport of the server: `stdio` for stdin and stdout of the process, two other streams, options for HTTP, or a transport of the SDK. With
   * `stdio`, other code must not write to stdout. Default: `stdio`.
   */
  readonly transport?: 'stdio' | StdioStreams | HttpListenOptions<Claims> | Transport
}

/**
 * Serves tools as an MCP server, to clients with protocol 2026-07-28 and with older protocols. Supports schemas, annotations, structured content,
 * text, images, audio, resources, progress of streaming tools, and cancellation. A tool without an output schema can return `{ content: [...] }`
 * with content blocks of the protocol. A failed call returns an `isError` result with the text of `renderForModel`. Only a call of an unknown tool
 * returns a protocol error. If a call is suspended and the client supports elicitation, the server asks the user of the client for the approval or
 * the answer. A long call becomes an MCP task if the client supports tasks.
 *
 * @throws {TypeError} if two tools have the same name, or if other machines can reach the server and `allowedHosts` is not set.
 * @throws {RangeError} if an option of `tasks` is not an integer, or is too small.
 *
 * @example
 * await serveMcp(new Runtime(), { toolsets: [newOrdersToolsetRegistration(executor)] })
 * const service = await serveMcp(runtime, { toolsets: [orders], transport: { port: 8080 } })
 */
export async function serveMcp<Env = unknown, Claims = undefined>(
  runtime: Runtime,
  options: ServeMcpOptions<Env, Claims>,
): Promise<McpService> {
  const calls = new ServedCalls()
  const tasks = options.tasks === false ? undefined : new ServedTasks(options.tasks)
  const newServer = mcpServers(runtime, options, calls, tasks)
  const closeCalls = (): void => {
    calls.close()
    tasks?.close()
  }
  const { transport = 'stdio' } = options
  const { ended, close, ...service } = await serveOver(newServer, transport)
  return {
    ...service,
    ended: ended.finally(closeCalls),
    close: async () => {
      closeCalls()
      await close()
    },
  }
}

async function serveOver<Claims>(
  newServer: (context: McpRequestContext) => Server,
  transport: NonNullable<ServeMcpOptions<unknown, Claims>['transport']>,
): Promise<McpService> {
  if (typeof transport === 'object' && 'port' in transport) return serveHttp(newServer, transport)
  const stdio = { input: process.stdin, output: process.stdout }
  const connected = transport === 'stdio' ? overStdio(stdio) : 'output' in transport ? overStdio(transport) : transport
  const service = serveStdio(newServer, { transport: connected })
  const { onclose } = connected
  const ended = new Promise<void>((resolve) => {
    connected.onclose = () => {
      onclose?.()
      resolve()
    }
  })
  return { ended, close: () => service.close() }
}

function overStdio({ input, output }: StdioStreams): Transport {
  return new LineTransport(input, output)
}

class LineTransport extends StdioServerTransport {
  readonly #input: Readable
  readonly #lines: Transform

  constructor(input: Readable, output: Writable) {
    // For each chunk of a message, the SDK would copy all earlier chunks, so `wholeLines` passes only complete messages.
    const lines = wholeLines(MAX_MESSAGE_BYTES)
    // `wholeLines` already limits the size of a message.
    super(lines, output, { maxBufferSize: Number.POSITIVE_INFINITY })
    this.#input = input
    this.#lines = lines
  }

  override async start(): Promise<void> {
    await super.start()
    this.#input.once('error', (error) => this.#lines.destroy(error))
    // A stream that was destroyed has no `end`.
    this.#input.once('close', () => this.#lines.end())
    this.#input.pipe(this.#lines)
  }

  override async close(): Promise<void> {
    this.#input.unpipe(this.#lines)
    // A stream that is read keeps the process running.
    this.#input.pause()
    await super.close()
  }
}

function wholeLines(maxBytes: number): Transform {
  let parts: Buffer[] = []
  let size = 0
  return new Transform({
    transform(chunk: Buffer, _, done) {
      const end = chunk.lastIndexOf('\n') + 1
      const first = end === 0 ? chunk.length : chunk.indexOf('\n')
      if (size + first > maxBytes) {
        parts = []
        done(new Error(`a message of the client is longer than ${maxBytes} bytes, so the service has ended`))
        return
      }
      if (end > 0) {
        this.push(Buffer.concat([...parts, chunk.subarray(0, end)]))
        parts = []
        size = 0
      }
      if (end < chunk.length) parts.push(chunk.subarray(end))
      size += chunk.length - end
      done()
    },
  })
}

interface ServedTool {
  // `any`: the env comes from `context`, whose type follows from the tools.
  readonly bound: BoundTools<any>
  readonly spec: AgentToolSpec
  readonly listed: McpTool
}

function mcpServers<Env, Claims>(
  runtime: Runtime,
  served: ServedTools<Env, Claims>,
  calls: ServedCalls,
  tasks: ServedTasks | undefined,
): (context: McpRequestContext) => Server {
  const { server: info = ownName, instructions, context } = served
  const tools = toolTable(runtime, served)
  const listed = [...tools.values()].map(({ listed: tool, spec }) => ({ ...tool, ...failuresMeta(spec) }))
  return ({ era, requestInfo, authInfo: requester }) => {
    const offered = era === 'modern' ? tasks : undefined
    const capabilities = { tools: {}, logging: {}, ...(offered !== undefined && tasksCapability) }
    const server = new Server({ ...info }, { capabilities, ...(instructions !== undefined && { instructions }) })
    offered?.handleRequests(server)
    const isSingleRequest = era === 'modern' && requestInfo !== undefined
    // Without a session of the application, a client can read only the results of its own connection. Requests without a connection
    // can read results by their ids, which are then random, or, with authentication, only the results of their subject.
    const subject = subjectOf(requester)
    const ofSubject = subject === undefined ? undefined : `mcp-subject:${subject}`
    const resultScope = isSingleRequest ? ofSubject : `mcp:${randomUUID()}`
    server.setRequestHandler('tools/list', () => ({ tools: listed }))
    server.setRequestHandler('tools/call', async ({ params }, request) => {
      const { name, arguments: args = {} } = params
      const tool = tools.get(name)
      if (tool === undefined) throw unknownTool(name, [...tools.keys()])
      // Arguments that are nested too deeply become an empty text, which the tool rejects.
      const sent = { tool: name, arguments: jsonOf(args) ?? '' }
      const run = async (call: ServedCall): Promise<CallToolResult> => {
        let callOptions: Partial<ServedContext<unknown>> | undefined
        try {
          const mcpSession = isSingleRequest ? randomUUID() : request.sessionId
          const headers = request.http?.req?.headers
          const authInfo = request.http?.authInfo
          callOptions = await context?.({
            tool: name,
            client: call.client,
            // `bearerAuth`, whose type determines `Claims`, has set the claims.
            claims: authInfo?.extra?.claims as Claims,
            ...(mcpSession !== undefined && { mcpSession }),
            ...(headers !== undefined && { headers: Object.fromEntries(headers) }),
          })
        } catch (error) {
          return resultOf(failedToStart(sent, error), false)
        }
        const options = resolveOptions({ ...callOptions, signal: call.signal, onUpdate: call.onUpdate })
        const { traceContext, connection: mcp } = call
        const scoped = { ...options, ...(resultScope !== undefined && { resultScope }), traceContext, mcp }
        const outcome = await startCall(tool.bound.target, readCall(sent), scoped)
        const ended = await answeredByClient(outcome, tool.bound, call.client, scoped).catch((error: unknown) =>
          failedToStart(sent, error),
        )
        return resultOf(ended, tool.listed.outputSchema !== undefined)
      }
      return calls.handle(server, { name, arguments: args }, request, run, declaresTasks(request) ? tasks : undefined)
    })
    return server
  }
}

function toolTable<Env, Claims>(
  runtime: Runtime,
  { toolsets }: ServedTools<Env, Claims>,
): ReadonlyMap<string, ServedTool> {
  const tools = new Map<string, ServedTool>()
  for (const toolset of toolsets) {
    const bound = 'specs' in toolset ? toolset : runtime.registerToolset(toolset)
    for (const spec of bound.specs) {
      const { toolName } = spec
      const other = tools.get(toolName)
      const { results } = bound.target.context
      if (other !== undefined && isReadResult(spec) && isReadResult(other.spec)) {
        if (other.bound.target.context.results === results) continue
        const message = `the served tools belong to several runtimes, so that \`${toolName}\` cannot read the results of all of them. Register them with one runtime`
        throw new TypeError(message)
      }
      if (other !== undefined) {
        const message = `two of the served tools have the name '${toolName}'. Rename one of them with \`rename\``
        throw new TypeError(message)
      }
      tools.set(toolName, { bound, spec, listed: mcpTool(spec).tool })
    }
  }
  return tools
}

/** Does not use the SDK's error class, because server and client would each add the error code to the message. */
function unknownTool(name: string, names: readonly string[]): Error {
  const near = nearestNames(name, names, MAX_NEAR)
  const advice = near.length === 0 ? '' : `. Did you mean ${alternatives(near)}?`
  return Object.assign(new Error(`Unknown tool: ${shorten(name, 64)}${advice}`), {
    code: ProtocolErrorCode.InvalidParams,
  })
}

/**
 * If the tool has no result schema, a result `{ content }` is sent as MCP content. A tool that was imported from another MCP server therefore returns
 * the same content as on that server.
 */
function resultOf(outcome: ToolOutcome, isDeclared: boolean): CallToolResult {
  const textBlocks = (text: string): ContentBlock[] => [{ type: 'text', text }]
  if (outcome.status !== 'completed') {
    const failed = { content: textBlocks(renderForModel(outcome)), isError: true }
    return { ...failed, ...(outcome.status === 'failed' && failureMeta(outcome.hint)) }
  }
  const { json, content: parts = [], provenance } = outcome
  const note = approvalNote(provenance.approval)
  const parsed = parseJson(withData(json, parts))
  // A layer can replace the JSON by prose.
  const result = parsed.ok ? parsed.value : undefined
  const text = !isDeclared && typeof result === 'string' ? String(JSON.parse(json)) : json
  const isContent = !isDeclared && isFields(result) && Object.keys(result).join() === 'content'
  // Unknown blocks are sent as text.
  const blocks = isContent ? contentBlocks(result.content) : undefined
  return {
    content: [...(blocks ?? [...textBlocks(text), ...parts.map(contentBlock)]), ...(note ? textBlocks(note) : [])],
    ...(isDeclared && isFields(result) && { structuredContent: result }),
  }
}

function contentBlocks(content: unknown): ContentBlock[] | undefined {
  if (!Array.isArray(content) || content.length === 0) return undefined
  const blocks = content.map((block) => specTypeSchemas.ContentBlock['~standard'].validate(block))
  return blocks.every((block) => 'value' in block) ? blocks.map(({ value }) => value) : undefined
}

/** MCP requires a URI for a resource, so a file without a URI gets a URI. */
function contentBlock(part: ContentPart, index: number): ContentBlock {
  const { uri = `cid:file-${index + 1}`, mediaType: mimeType, annotations } = part
  const about = annotations === undefined ? {} : { annotations }
  if (isFilePart(part)) {
    const { type, mediaType, data, uri: own } = part
    if (type !== 'file' && own === undefined) return { type, mimeType: mediaType, data }
    return { type: 'resource', resource: { uri, mimeType: mediaType, blob: data }, ...about }
  }
  const kind = mimeType === undefined ? {} : { mimeType }
  if (part.type === 'text') return { type: 'resource', resource: { uri, ...kind, text: part.text }, ...about }
  const { type, name, title, description, size } = part
  return {
    ...{ type, uri, name, ...kind, ...about },
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(size !== undefined && { size }),
  }
}
