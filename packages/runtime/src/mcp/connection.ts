import {
  CLIENT_CAPABILITIES_META_KEY,
  Client,
  type ClientCapabilities,
  type InputRequiredResult,
  isInputRequiredResult,
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type StandardSchemaV1,
  type Transport,
} from '@modelcontextprotocol/client'
import { vendorRules } from '../adapters/vendor-errors.js'
import { AbortListeners } from '../call/call-group.js'
import { withMeaning } from '../call/classify.js'
import { ignoreErrors } from '../call/telemetry.js'
import { after, LONGEST_TIMER_MS, ReconnectDelays, requireTimeLimit, sleep } from '../call/timers.js'
import { type Fields, isFields } from '../schema/json-values.js'
import type { JsonObject } from '../types/json.js'
import type {
  McpCallOptions,
  McpPrompt,
  McpRequestOptions,
  McpResource,
  McpResourceContents,
  McpResourceTemplate,
  McpServerInfo,
  McpToolCall,
  McpToolInfo,
  McpToolResult,
} from '../types/mcp.js'
import type { McpConnectionInfo } from '../types/run.js'
import type { CallerOptions } from './caller-options.js'
import { elicited, inputRequestsOf, listedRoots, questionOf } from './elicitation.js'
import { McpCallError } from './mcp-call-error.js'
import { malformedAnswer, ownName, refusal, TASKS_EXTENSION } from './messages.js'
import {
  callResult,
  headersIn,
  listedPrompts,
  listedResources,
  listedResourceTemplates,
  listedTools,
  malformed,
  resourceContents,
  withoutQuestions,
} from './server-lists.js'
import { ServerEnd } from './server-process.js'
import {
  REPEATABLE,
  readTask,
  receivedTask,
  type StartedTask,
  serverState,
  startedTask,
  storedState,
  type Task,
} from './tasks.js'

/**
 * Some old stdio servers do not respond to unknown requests. If the response to `server/discover` does not arrive within this time and within
 * `PROBE_SHARE` of `connectTimeoutMs`, the client uses an older protocol.
 */
const PROBE_MS = 10_000
const PROBE_SHARE = 1 / 3

/** Delays before the client reopens a lost stream of change notifications. */
const FIRST_LISTEN_MS = 1_000
const LONGEST_LISTEN_MS = 60_000

/** JSON-RPC error code of protocol 2026-07-28: the request lacks HTTP headers for some of its arguments. */
const HEADER_MISMATCH = -32_020

const METHOD_NOT_FOUND = -32_601

/** Questions to the user do not count: after the answer, the count starts again. */
const MAX_ROUNDS = 10

/** Delay before a repetition that needs no input, only the server's `requestState`. The SDK has the same delay. */
const PAUSE_MS = 250

/** The executor validates the result later. */
const anyResult: StandardSchemaV1<unknown, object> = {
  '~standard': { version: 1, vendor: 'toolgen', validate: (value) => ({ value: Object(value) }) },
}

export interface CallerTransport extends Transport {
  /** Kills the server process if this transport has started the process. */
  abandon?(): void
  /** Called when notifications of the server can have been lost. */
  onreopened?: () => void
  /** Removes the secrets of the requests from a text of the server. */
  hide?(text: string): string
}

/** Many requests use the same signal, so they share one listener for each signal. */
const listeners = new AbortListeners()

/** The work itself continues after an abort. */
export function unlessAborted<Value>(work: Promise<Value>, signals: readonly AbortSignal[]): Promise<Value> {
  return new Promise((resolve, reject) => {
    const releases = signals.map((signal) => listeners.add(signal, () => reject(signal.reason)))
    work.then(resolve, reject).finally(() => {
      for (const release of releases) release()
    })
  })
}

export class Connection {
  readonly #client: Client
  readonly #options: CallerOptions
  readonly #listener: ConnectionListener
  readonly transport: CallerTransport
  /** Contains only tools with arguments that the client must also send as HTTP headers. */
  readonly #headerSchemas = new Map<string, JsonObject>()
  readonly #end = new AbortController()
  /** Received tasks, until a call follows them or they are cancelled. */
  readonly #receivedTasks = new Set<Promise<void>>()
  #earlyErrors: unknown[] | undefined = []
  hasEndedAtProbe = false
  lastError: unknown

  constructor(transport: CallerTransport, options: CallerOptions, isOld: boolean, listener: ConnectionListener) {
    const { client = ownName, roots, elicit, connectTimeoutMs = DEFAULT_CONNECT_MS } = options
    this.transport = transport
    this.#options = options
    this.#listener = listener
    const isStdio = 'stderr' in transport
    this.#client = new Client(
      { ...client },
      {
        capabilities: this.#clientCapabilities(),
        versionNegotiation: {
          mode: isOld ? 'legacy' : 'auto',
          probe: isStdio ? { timeoutMs: Math.min(connectTimeoutMs * PROBE_SHARE, PROBE_MS) } : {},
        },
      },
    )
    if (roots !== undefined) {
      this.#client.setRequestHandler('roots/list', () => listedRoots(roots))
    }
    if (elicit !== undefined) {
      this.#client.setRequestHandler('elicitation/create', async (request, { mcpReq }) => {
        try {
          return await elicited(elicit, questionOf(request.params), mcpReq.signal)
        } catch (error) {
          // A server with an older protocol receives only an error response.
          if (this.isOld) this.#heard(error)
          throw error
        }
      })
    }
    this.#client.setNotificationHandler('notifications/tools/list_changed', () => listener.toolsChanged())
    this.#client.onerror = (error) => this.#heard(error)
    // Until the server has answered `server/discover`, the client does not listen to the transport.
    let isProbing = true
    transport.onerror = (error) => {
      isProbing &&= this.#client.transport === undefined
      if (isProbing) this.#heard(error)
    }
    transport.onreopened = () => listener.toolsChanged()
    transport.onclose = () => {
      this.#end.abort()
      listener.closed()
    }
  }

  get isClosed(): boolean {
    return this.#end.signal.aborted
  }

  get isOld(): boolean {
    return this.#client.getProtocolEra() === 'legacy'
  }

  get server(): McpServerInfo | undefined {
    const info = this.#client.getServerVersion()
    return info && { name: info.name, version: info.version }
  }

  get info(): McpConnectionInfo {
    const protocolVersion = this.#client.getNegotiatedProtocolVersion()
    const { sessionId } = this.transport
    return { ...(protocolVersion !== undefined && { protocolVersion }), ...(sessionId !== undefined && { sessionId }) }
  }

  get capabilities(): JsonObject {
    // The value was parsed from JSON.
    return { ...this.#client.getServerCapabilities() } as JsonObject
  }

  async open(end: AbortSignal): Promise<void> {
    const { connectTimeoutMs = DEFAULT_CONNECT_MS } = this.#options
    const late = new AbortController()
    const error = new McpCallError('timeout', `no connection within ${connectTimeoutMs} ms`)
    const stopTimer = after(connectTimeoutMs, () => late.abort(error))
    try {
      end.throwIfAborted()
      const connecting = this.#client.connect(this.transport, { timeout: LONGEST_TIMER_MS })
      await unlessAborted(connecting, [late.signal, end])
    } catch (error) {
      const isNegotiation = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed
      this.hasEndedAtProbe = isNegotiation && this.isClosed && this.lastError instanceof ServerEnd
      const failure = this.#failure(error)
      if (late.signal.aborted || end.aborted) this.transport.abandon?.()
      await this.close()
      throw failure
    } finally {
      stopTimer()
    }
    if (this.#hasTasks) {
      const { onmessage } = this.transport
      this.transport.onmessage = (message, extra) => {
        const task = receivedTask(message)
        if (task === undefined) return onmessage?.(message, extra)
        onmessage?.({ ...message, result: task.result }, extra)
        void this.#track(task.cancelUnlessStarted((taskId) => this.cancelTask(taskId, {})))
      }
    }
    if (!this.isOld && this.#client.getServerCapabilities()?.tools?.listChanged === true) void this.#listen()
  }

  async #track(task: Promise<void>): Promise<void> {
    this.#receivedTasks.add(task)
    await task
    this.#receivedTasks.delete(task)
  }

  reportEarlyErrors(): void {
    const errors = this.#earlyErrors ?? []
    this.#earlyErrors = undefined
    for (const error of errors) this.#heard(error)
  }

  get #hasTasks(): boolean {
    return !this.isOld && isFields(this.#client.getServerCapabilities()?.extensions?.[TASKS_EXTENSION])
  }

  async callTool(
    { name, arguments: args, inputResponses, requestState }: McpToolCall,
    options: McpCallOptions,
  ): Promise<McpToolResult | StartedTask> {
    const { roots } = this.#options
    const { traceContext } = options
    const params = { name, arguments: { ...args } }
    if (this.isOld) {
      if (inputResponses !== undefined) throw afterDowngrade()
      const sent = { ...params, ...(traceContext !== undefined && { _meta: { ...traceContext } }) }
      const result = await this.#request(options, (more) =>
        this.#client.request({ method: 'tools/call', params: sent }, anyResult, more),
      )
      return withoutQuestions(result)
    }
    let sent: Continuation = {
      ...(inputResponses !== undefined && { inputResponses }),
      ...(requestState !== undefined && { requestState: serverState(requestState) }),
    }
    for (let round = 1; ; round += 1) {
      const result = await this.#call({ ...params, ...sent }, options)
      if (!isInputRequiredResult(result)) return result
      const { requestState, inputRequests = {} } = result
      const { questions, roots: rootKeys, unsupported } = inputRequestsOf(inputRequests, roots !== undefined)
      if (unsupported !== undefined)
        throw malformed(`the server requests '${unsupported}', which this caller does not support`)
      const state = requestState !== undefined && { requestState }
      // If the server also needs the roots, it requests them again after the answers.
      if (Object.keys(questions).length > 0) {
        const stored = requestState !== undefined && { requestState: storedState(requestState) }
        return { inputRequired: { questions, ...stored } }
      }
      if (round === MAX_ROUNDS) {
        throw new McpCallError('malformed', `the server required input again after ${MAX_ROUNDS} responses`)
      }
      if (roots === undefined || rootKeys.length === 0) {
        await sleep(PAUSE_MS, options.signal)
        sent = { ...state }
      } else {
        const listed = await listedRoots(roots)
        sent = { ...state, inputResponses: Object.fromEntries(rootKeys.map((key) => [key, listed])) }
      }
    }
  }

  async #call(
    params: CallParams & Continuation,
    options: McpCallOptions,
  ): Promise<McpToolResult | InputRequiredResult | StartedTask> {
    const { name } = params
    const _meta = this.#meta(options)
    const allowInputRequired = options.allowInputRequired === true && this.#options.elicit === undefined
    const call = (): Promise<McpToolResult | InputRequiredResult> =>
      this.#request(options, (more) => {
        const inputSchema = { ...this.#headerSchemas.get(name), type: 'object' as const }
        const toolDefinition = { name, inputSchema }
        return this.#client.callTool({ ...params, _meta }, { ...more, allowInputRequired, toolDefinition })
      })
    const result = await call().catch(async (error: unknown) => {
      if (!(error instanceof McpCallError && error.rpcCode === HEADER_MISMATCH)) throw error
      // The server requires arguments as headers, which are named in the schema of the tool.
      await this.listTools(options.signal, () => undefined)
      return call()
    })
    if (isInputRequiredResult(result)) return result
    return startedTask(result, this.#hide) ?? callResult(result)
  }

  async getTask(taskId: string, options: McpCallOptions): Promise<Task> {
    return readTask(await this.#taskRequest('tasks/get', { taskId }, options), taskId, this.#hide)
  }

  updateTask(taskId: string, inputResponses: Fields, options: McpCallOptions): Promise<unknown> {
    return this.#taskRequest('tasks/update', { taskId, inputResponses }, options)
  }

  cancelTask(taskId: string, options: Omit<McpCallOptions, 'signal'>): Promise<unknown> {
    return this.#taskRequest('tasks/cancel', { taskId }, { ...options, signal: undefined })
  }

  async #taskRequest(method: string, params: Record<string, unknown>, options: TaskRequestOptions): Promise<object> {
    if (this.isOld) throw afterDowngrade()
    const { onProgress, ...limits } = options
    const request = { method, params: { ...params, _meta: this.#meta(options) } }
    return this.#request(limits, (more) => this.#client.request(request, anyResult, more))
  }

  readonly #hide = (text: string): string => this.transport.hide?.(text) ?? text

  /** Only a call that can be suspended declares that the caller answers questions. */
  #meta(options: Omit<McpCallOptions, 'signal'>): Record<string, unknown> {
    const capabilities: ClientCapabilities = {
      ...this.#clientCapabilities(options.allowInputRequired),
      ...(this.#hasTasks && { extensions: { [TASKS_EXTENSION]: {} } }),
    }
    return { ...options.traceContext, [CLIENT_CAPABILITIES_META_KEY]: capabilities }
  }

  #clientCapabilities(allowInputRequired: boolean = false): ClientCapabilities {
    const { roots, elicit } = this.#options
    return {
      ...(roots !== undefined && { roots: {} }),
      ...((elicit !== undefined || allowInputRequired) && { elicitation: { form: {}, url: {} } }),
    }
  }

  async listTools(
    signal: AbortSignal | undefined,
    onSkippedTool: (error: McpCallError, name?: string) => void,
  ): Promise<readonly McpToolInfo[]> {
    const tools = await listedTools(this.#pages('tools/list', { signal }), onSkippedTool)
    this.#headerSchemas.clear()
    if (this.isOld || this.transport.hasPerRequestStream !== true) return tools
    return tools.filter(({ name, inputSchema }) => {
      const headers = headersIn(inputSchema)
      // The value was parsed from JSON.
      if (headers === 'valid') this.#headerSchemas.set(name, inputSchema as JsonObject)
      if (headers !== 'invalid') return true
      onSkippedTool(malformed(`the tool '${name}' has an invalid x-mcp-header and is skipped`), name)
      return false
    })
  }

  async listResources(options: McpRequestOptions): Promise<readonly McpResource[]> {
    return this.capabilities.resources === undefined ? [] : listedResources(this.#pages('resources/list', options))
  }

  async listResourceTemplates(options: McpRequestOptions): Promise<readonly McpResourceTemplate[]> {
    if (this.capabilities.resources === undefined) return []
    return listedResourceTemplates(this.#pages('resources/templates/list', options)).catch((error: unknown) => {
      // Many servers offer resources, and do not know templates.
      if (error instanceof McpCallError && error.rpcCode === METHOD_NOT_FOUND) return []
      throw error
    })
  }

  async readResource(
    uri: string,
    maxBytes: number,
    options: McpRequestOptions,
  ): Promise<readonly McpResourceContents[]> {
    const answer = await this.#offered('resources', { method: 'resources/read', params: { uri } }, options)
    return resourceContents(uri, answer, maxBytes)
  }

  async listPrompts(options: McpRequestOptions): Promise<readonly McpPrompt[]> {
    return this.capabilities.prompts === undefined ? [] : listedPrompts(this.#pages('prompts/list', options))
  }

  getPrompt(name: string, args: Readonly<Record<string, string>>, options: McpRequestOptions): Promise<object> {
    return this.#offered('prompts', { method: 'prompts/get', params: { name, arguments: { ...args } } }, options)
  }

  #offered(
    capability: 'resources' | 'prompts',
    request: { readonly method: string; readonly params: Record<string, unknown> },
    options: McpRequestOptions,
  ): Promise<object> {
    if (this.capabilities[capability] !== undefined)
      return this.#request({ signal: undefined, ...options }, (more) => this.#client.request(request, anyResult, more))
    throw new McpCallError(
      'refused',
      `the server${this.server ? ` '${this.server.name}'` : ''} offers no ${capability}`,
    )
  }

  #pages(
    method: string,
    options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number },
  ): (cursor: string | undefined) => Promise<object> {
    return (cursor) => {
      const request = { method, ...(cursor !== undefined && { params: { cursor } }) }
      return this.#request({ signal: undefined, ...options }, (more) => this.#client.request(request, anyResult, more))
    }
  }

  async close(): Promise<void> {
    this.#end.abort()
    await Promise.all(this.#receivedTasks)
    // The client does not close a transport whose handshake failed.
    await Promise.allSettled([this.#client.close(), this.transport.close()])
  }

  async #request<Answer>(
    options: Omit<McpCallOptions, 'signal'> & { readonly signal: AbortSignal | undefined },
    send: (options: RequestOptions) => Promise<Answer>,
  ): Promise<Answer> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? 60_000, onProgress } = options
    requireTimeLimit('timeoutMs', timeoutMs)
    signal?.throwIfAborted()
    // One signal can belong to many requests, and Node warns of many listeners.
    const own = new AbortController()
    const release = signal && listeners.add(signal, () => own.abort())
    try {
      return await send({
        signal: own.signal,
        timeout: sdkTimeout(timeoutMs),
        resetTimeoutOnProgress: true,
        ...(onProgress !== undefined && {
          onprogress: ({ progress, total, message }) =>
            onProgress({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) }),
        }),
      })
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
        throw new McpCallError('timeout', `no response within ${timeoutMs} ms`)
      }
      throw this.#failure(error)
    } finally {
      release?.()
    }
  }

  /** From protocol 2026-07-28 on, servers send notifications of changed tools only to clients that request these notifications. */
  async #listen(): Promise<void> {
    const delays = new ReconnectDelays(FIRST_LISTEN_MS, LONGEST_LISTEN_MS)
    for (let isFirst = true; !this.isClosed; isFirst = false) {
      try {
        const options = { timeout: sdkTimeout(this.#options.timeoutMs ?? 60_000), signal: this.#end.signal }
        const subscription = await this.#client.listen({ toolsListChanged: true }, options)
        // Changes before this moment were not reported.
        if (!isFirst) this.#listener.toolsChanged()
        if ((await subscription.closed) === 'local') return
      } catch (error) {
        if (this.isClosed) return
        this.#heard(this.#failure(error))
        if (error instanceof ProtocolError && !(error.data instanceof McpCallError) && !REPEATABLE.has(error.code))
          return
      }
      if (!(await sleep(delays.next(), this.#end.signal))) return
    }
  }

  #heard(error: unknown): void {
    this.lastError = error
    if (this.#earlyErrors !== undefined) this.#earlyErrors.push(error)
    else ignoreErrors(() => this.#options.onError?.(error))
  }

  #failure(error: unknown): unknown {
    if (!(error instanceof Error) || error instanceof McpCallError) return error
    const { name, message, cause } = error
    if (error instanceof ProtocolError) {
      // Created by `ownAnswer`: data from a server is never an `Error` object.
      if (error.data instanceof McpCallError) return error.data
      return refusal(error)
    }
    if (error instanceof SdkHttpError) return new McpCallError('http', message, { status: error.status, cause: error })
    // A RangeError means that the response is nested too deeply for the SDK.
    if (['ZodError', '$ZodError', 'SyntaxError', 'RangeError'].includes(name)) return malformedAnswer(error)
    if (error instanceof SdkError) {
      if (malformedCodes.has(error.code)) return new McpCallError('malformed', message, { cause: error })
      if (error.code === SdkErrorCode.EraNegotiationFailed && cause !== undefined) return this.#failure(cause)
    }
    return this.isClosed ? this.#closed(error) : withMeaning(error, vendorRules.mcpSdk)
  }

  #closed(error: Error): McpCallError {
    const cause = this.lastError ?? error
    if (cause instanceof ServerEnd) return new McpCallError('closed', cause.unanswered)
    return new McpCallError('closed', 'the connection was closed before the server responded', { cause })
  }
}

interface CallParams {
  readonly name: string
  readonly arguments: Record<string, unknown>
}

type TaskRequestOptions = Omit<McpCallOptions, 'signal'> & { readonly signal: AbortSignal | undefined }

interface Continuation {
  readonly inputResponses?: Readonly<Record<string, unknown>>
  readonly requestState?: string
}

interface ConnectionListener {
  closed(): void
  toolsChanged(): void
}

const DEFAULT_CONNECT_MS = 30_000

const malformedCodes: ReadonlySet<SdkErrorCode> = new Set([
  SdkErrorCode.InvalidResult,
  SdkErrorCode.UnsupportedResultType,
  SdkErrorCode.InputRequiredRoundsExceeded,
  SdkErrorCode.CapabilityNotSupported,
  SdkErrorCode.ClientHttpUnexpectedContent,
])

function afterDowngrade(): McpCallError {
  const message =
    'the call began with protocol 2026-07-28, but the server now supports only older protocols. Call the tool again'
  return new McpCallError('refused', message)
}

function sdkTimeout(milliseconds: number): number {
  return Math.min(milliseconds, LONGEST_TIMER_MS)
}
