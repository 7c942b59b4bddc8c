import { randomUUID } from 'node:crypto'
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type CreateMessageRequestParamsBase,
  type CreateMessageResult,
  type ElicitRequestFormParams,
  type ElicitResult,
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type LoggingLevel,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { after, requireTimeLimit } from '../call/timers.js'
import { ToolFailure } from '../call/tool-failure.js'
import { deepEqual, isFields } from '../schema/json-values.js'
import { validate } from '../schema/validate.js'
import type { JsonText } from '../types/json.js'
import type { McpConnectionInfo, TraceContext } from '../types/run.js'
import { subjectOf } from './bearer-auth.js'

interface PageRequest {
  readonly mode: 'url'
  readonly message: string
  readonly url: string
}

interface AskOptions {
  /** Maximum time for the response, in milliseconds. Default: 5 minutes. */
  readonly timeoutMs?: number
}

/**
 * MCP client that called a tool. You can use this object until the call ends. To use the client in a layer (code around
 * a tool call), return the client as part of `env` from the option `context`.
 *
 * @example
 * context: ({ client }) => ({ env: { ask: (message: string) => client.elicit({ message, requestedSchema }) } })
 */
export interface ServedClient {
  readonly capabilities: ClientCapabilities
  /**
   * Sends a log message to the client. Does nothing if `level` is lower than the minimum level that the client has set. From protocol 2026-07-28 on,
   * a client receives log messages only for calls whose request contains a log level, and no log messages of MCP tasks.
   */
  log(level: LoggingLevel, data: unknown, logger?: string): void
  /**
   * Asks the user of the client to fill in a form, or to visit a web page (`mode: 'url'`). Rejects if the response is invalid or late, or if the
   * call is cancelled. From protocol 2026-07-28 on, the call waits in the memory of this process. The client must therefore send the response to
   * the same process.
   *
   * @throws {ToolFailure} `denied` if the client does not support forms or pages. The model receives the message of this error.
   */
  elicit(question: ElicitRequestFormParams | PageRequest, options?: AskOptions): Promise<ElicitResult>
  /**
   * Asks the client to call the language model of the client. Rejects if the response arrives too late, or if the call is cancelled.
   *
   * @throws {ToolFailure} `denied` if the client does not support `sampling`.
   */
  sample(request: CreateMessageRequestParamsBase, options?: AskOptions): Promise<CreateMessageResult>
}

const MAX_WAITING = 1_000

const ASK_MS = 300_000

export interface SentCall {
  readonly name: string
  readonly arguments?: Record<string, unknown> | undefined
}

export type RunCall = (call: ServedCall) => Promise<CallToolResult>

interface TaskKeeper {
  /** Time after which a call becomes a task, in milliseconds. */
  readonly afterMs: number
  /** Returns the response to the request of the call. `undefined` if there are too many tasks. */
  adopt(call: ServedCall): CallToolResult | undefined
}

/**
 * From protocol 2026-07-28 on, a server cannot send requests. Instead, the server responds to a call with questions, and the client repeats the call
 * with the answers. Between these requests, the call waits in this object, under an id that the client returns.
 */
export class ServedCalls {
  readonly #waiting = new Map<string, ServedCall>()

  /** @param tasks `undefined` if the call cannot become a task */
  async handle(
    server: Server,
    sent: SentCall,
    context: ServerContext,
    run: RunCall,
    tasks: TaskKeeper | undefined,
  ): Promise<CallToolResult | InputRequiredResult> {
    const id = context.mcpReq.requestState<string>()
    if (id === undefined) return new ServedCall(server, sent, context, this.#waiting).start(run, tasks)
    const call = this.#waiting.get(id)
    if (call?.isFor(sent, context) === true) return call.resume(context, tasks)
    const message = 'The question of this call has expired, or was asked by another call. Call the tool again.'
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, message)
  }

  close(): void {
    for (const call of this.#waiting.values()) call.cancel(new Error('the MCP server is closed'))
  }
}

/** With protocol 2026-07-28, one call can consist of several consecutive requests. */
export class ServedCall {
  readonly client: ServedClient
  /** Changes with each response that contains questions. */
  #id = ''
  readonly #server: Server
  readonly #sent: SentCall
  readonly #first: ServerContext
  readonly #waiting: Map<string, ServedCall>
  readonly #end = new AbortController()
  readonly #progressOf = progressReader()
  readonly #questions = new Map<string, { readonly request: InputRequest; answer(response: unknown): void }>()
  /** `undefined` between a response with questions and the next request of the client. */
  #context: ServerContext | undefined
  #result: Promise<CallToolResult> | undefined
  #hasEnded = false
  #sendQuestions: ((questions: InputRequiredResult) => void) | undefined
  #count = 0
  #message: string | undefined
  #taskChanged: (() => void) | undefined

  constructor(server: Server, sent: SentCall, first: ServerContext, waiting: Map<string, ServedCall>) {
    this.#server = server
    this.#sent = sent
    this.#first = first
    this.#context = first
    this.#waiting = waiting
    this.client = this.#newClient()
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  get subject(): string | undefined {
    return subjectOf(this.#first.http?.authInfo)
  }

  get questions(): InputRequests {
    return Object.fromEntries([...this.#questions].map(([key, { request }]) => [key, request]))
  }

  /** The latest update of the tool, for people. */
  get message(): string | undefined {
    return this.#message
  }

  /** Passes updates of the tool to the client. */
  readonly onUpdate = (update: JsonText): void => {
    const progress = this.#progressOf(update)
    this.#message = progress.message ?? update
    this.#taskChanged?.()
    const progressToken = this.#context?.mcpReq._meta?.progressToken
    if (progressToken === undefined) return
    const params = { progressToken, ...progress }
    // If the client has gone, its signal ends the call.
    this.#context?.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }

  get traceContext(): TraceContext | undefined {
    const { traceparent, tracestate, baggage } = this.#first.mcpReq._meta ?? {}
    if (typeof traceparent !== 'string') return undefined
    return {
      traceparent,
      ...(typeof tracestate === 'string' && { tracestate }),
      ...(typeof baggage === 'string' && { baggage }),
    }
  }

  get connection(): McpConnectionInfo {
    const protocolVersion = this.#server.getNegotiatedProtocolVersion()
    const { sessionId } = this.#first
    return { ...(protocolVersion !== undefined && { protocolVersion }), ...(sessionId !== undefined && { sessionId }) }
  }

  isFor({ name, arguments: args }: SentCall, { http }: ServerContext): boolean {
    const isOwn = subjectOf(http?.authInfo) === this.subject
    return isOwn && name === this.#sent.name && deepEqual(args, this.#sent.arguments)
  }

  start(run: RunCall, tasks: TaskKeeper | undefined): Promise<CallToolResult | InputRequiredResult> {
    const result = run(this).finally(() => {
      this.#hasEnded = true
      this.#waiting.delete(this.#id)
    })
    // If the client has disconnected, no code waits for the result.
    result.catch(() => undefined)
    this.#result = result
    return this.#responded(result, this.#first, tasks)
  }

  resume(context: ServerContext, tasks: TaskKeeper | undefined): Promise<CallToolResult | InputRequiredResult> {
    this.#waiting.delete(this.#id)
    this.answer(context.mcpReq.inputResponses)
    return this.#responded(this.#started(), context, tasks)
  }

  /**
   * The call no longer ends with the request that started it, and its questions wait for `answer`.
   *
   * @param onChange called for each update, question and answer
   */
  becomeTask(onChange: () => void): Promise<CallToolResult> {
    this.#taskChanged = onChange
    // Aborted if the client disconnects before it has received the task.
    const { signal } = this.#context?.http?.req ?? {}
    signal?.addEventListener('abort', () => this.cancel(signal.reason))
    this.#context = undefined
    this.#sendQuestions = undefined
    return this.#started()
  }

  #started(): Promise<CallToolResult> {
    if (this.#result === undefined) throw new TypeError('the call has not started')
    return this.#result
  }

  answer(responses: Readonly<Record<string, unknown>> | undefined): void {
    for (const [key, response] of Object.entries(responses ?? {})) this.#questions.get(key)?.answer(response)
  }

  cancel(reason: unknown): void {
    this.#end.abort(reason)
  }

  async #responded(
    result: Promise<CallToolResult>,
    context: ServerContext,
    tasks: TaskKeeper | undefined,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { signal } = context.mcpReq
    const cancel = (): void => this.cancel(signal.reason)
    signal.addEventListener('abort', cancel)
    if (signal.aborted) cancel()
    this.#context = context
    let stopTimer: (() => void) | undefined
    const early = new Promise<CallToolResult | InputRequiredResult>((resolve) => {
      this.#sendQuestions = resolve
      const adopt = (): void => {
        const task = this.#sendQuestions === resolve ? tasks?.adopt(this) : undefined
        if (task !== undefined) resolve(task)
      }
      stopTimer = tasks && after(tasks.afterMs, adopt)
    })
    this.#scheduleQuestions()
    try {
      return await Promise.race([result, early])
    } finally {
      stopTimer?.()
      signal.removeEventListener('abort', cancel)
      this.#context = undefined
      this.#sendQuestions = undefined
    }
  }

  #scheduleQuestions(): void {
    setImmediate(() => {
      const send = this.#sendQuestions
      if (send === undefined || this.#questions.size === 0) return
      this.#sendQuestions = undefined
      this.#id = randomUUID()
      this.#waiting.set(this.#id, this)
      send(inputRequired({ inputRequests: this.questions, requestState: this.#id }))
    })
  }

  #ask(request: InputRequest, { timeoutMs = ASK_MS }: AskOptions): Promise<unknown> {
    requireTimeLimit('timeoutMs', timeoutMs)
    this.signal.throwIfAborted()
    if (this.#hasEnded) throw new Error('the tool call has ended')
    if (this.#taskChanged === undefined && this.#waiting.size >= MAX_WAITING) {
      throw new ToolFailure('Too many calls wait for an answer of their user.', { reason: 'unavailable' })
    }
    this.#count += 1
    const key = `question-${this.#count}`
    return new Promise((resolve, reject) => {
      const end = (): void => {
        this.#questions.delete(key)
        this.#taskChanged?.()
        stopTimer()
        this.signal.removeEventListener('abort', cancel)
      }
      const fail = (error: unknown): void => {
        end()
        reject(error)
      }
      const cancel = (): void => fail(this.signal.reason)
      const late = (): void => fail(new Error(`the client did not answer within ${timeoutMs} ms`))
      // The question can remain open after the end of its call.
      const stopTimer = after(timeoutMs, late, false)
      this.signal.addEventListener('abort', cancel)
      const answer = (response: unknown): void => {
        end()
        resolve(response)
      }
      this.#questions.set(key, { request, answer })
      this.#taskChanged?.()
      this.#scheduleQuestions()
    })
  }

  #newClient(): ServedClient {
    const { id: relatedRequestId, envelope, signal } = this.#first.mcpReq
    const capabilities = (): ClientCapabilities =>
      declaredCapabilities(this.#first) ?? this.#server.getClientCapabilities() ?? {}
    const unableTo = (ask: string): ToolFailure => {
      const message = `The tool needs a client that can ${ask}, but this client cannot.`
      return new ToolFailure(message, { reason: 'denied' })
    }
    const isOld = envelope === undefined
    // With older protocols, the server sends a request. Over HTTP, the server uses the stream of the call, because the
    // client may have no other stream.
    const options = ({ timeoutMs: timeout = ASK_MS }: AskOptions): RequestOptions => ({
      relatedRequestId,
      signal,
      timeout,
    })
    return {
      get capabilities() {
        return capabilities()
      },
      log: (level, data, logger) => {
        // If the client has gone, the call ends by its signal.
        this.#context?.mcpReq.log(level, data, logger).catch(() => undefined)
      },
      elicit: async (question, limits = {}) => {
        const { elicitation } = capabilities()
        const isPage = question.mode === 'url'
        if (isPage && elicitation?.url === undefined) throw unableTo('open web pages')
        if (elicitation === undefined || (!isPage && elicitation.form === undefined && elicitation.url !== undefined)) {
          throw unableTo('ask its user')
        }
        if (isOld) {
          return this.#server.elicitInput(
            isPage ? { ...question, elicitationId: randomUUID() } : question,
            options(limits),
          )
        }
        const request = isPage ? inputRequired.elicitUrl({ ...question }) : inputRequired.elicit(question)
        return elicited(question, await this.#ask(request, limits))
      },
      sample: async (request, limits = {}) => {
        if (capabilities().sampling === undefined) throw unableTo('ask its model')
        if (isOld) return this.#server.createMessage(request, options(limits))
        const response = await this.#ask(inputRequired.createMessage(request), limits)
        const view = inputResponse({ response }, 'response')
        if (view.kind !== 'sampling' || Array.isArray(view.result.content))
          throw new TypeError('the client sent no message')
        return view.result as CreateMessageResult
      },
    }
  }
}

/** Capabilities that the request declares. `undefined` with protocols before 2026-07-28. */
export function declaredCapabilities({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  // The SDK has validated the envelope, but its type has no properties.
  const sent: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = mcpReq.envelope ?? {}
  return sent[CLIENT_CAPABILITIES_META_KEY]
}

function elicited(question: ElicitRequestFormParams | PageRequest, response: unknown): ElicitResult {
  const view = inputResponse({ response }, 'response')
  if (view.kind !== 'elicit') throw new TypeError('the client did not respond to the form')
  const { action, content } = view
  if (action !== 'accept' || question.mode === 'url') return { action }
  const [issue] = validate({ ...question.requestedSchema }, content ?? {})
  if (issue !== undefined) throw new TypeError(`the response of the client does not match the form at '${issue.path}'`)
  return { action, content: (content ?? {}) as NonNullable<ElicitResult['content']> }
}

interface CallProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

function progressReader(): (update: JsonText) => CallProgress {
  let last = Number.NEGATIVE_INFINITY
  return (update) => {
    const value: unknown = JSON.parse(update)
    const { progress, total, message } = isFields(value) ? value : {}
    const isProgress = typeof progress === 'number' && progress > last
    last = isProgress ? progress : Math.max(last, 0) + 1
    return {
      progress: last,
      ...(isProgress && typeof total === 'number' && { total }),
      ...(isProgress ? typeof message === 'string' && { message } : { message: update }),
    }
  }
}
