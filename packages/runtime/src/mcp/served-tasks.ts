import { randomUUID } from 'node:crypto'
import {
  type CallToolResult,
  type InputRequests,
  type JSONObject,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Result,
  type Server,
  type ServerContext,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server'
import { after } from '../call/timers.js'
import { isFields } from '../schema/json-values.js'
import { subjectOf } from './bearer-auth.js'
import { requireOption } from './caller-options.js'
import { declaredCapabilities, type ServedCall } from './served-client.js'

/** Options for the MCP tasks of a server. */
export interface ServedTaskOptions {
  /**
   * Time after which a running call becomes a task, in milliseconds. Until then, the client receives progress notifications, and faster calls need
   * only one request. 0 means that each call becomes a task at once. Default: 5,000.
   */
  readonly afterMs?: number
  /** Time for which the server keeps the result of a task after its end, in milliseconds. Default: 5 minutes. */
  readonly ttlMs?: number
  /** Time between two requests for the state of a task that the server suggests to clients, in milliseconds. Default: 1,000. */
  readonly pollIntervalMs?: number
  /**
   * Maximum number of tasks in memory. Default: 1,000. At the maximum, the server drops the oldest task that has ended. If all tasks still run, the
   * call does not become a task.
   */
  readonly maxTasks?: number
}

const TASKS = 'io.modelcontextprotocol/tasks'

/** Capability of a client or server that supports tasks. */
export const tasksCapability: { readonly extensions: Record<string, JSONObject> } = { extensions: { [TASKS]: {} } }

export function declaresTasks(context: ServerContext): boolean {
  return declaredCapabilities(context)?.extensions?.[TASKS] !== undefined
}

const anyParams: StandardSchemaV1<unknown, { readonly taskId?: unknown }> = {
  '~standard': { version: 1, vendor: 'toolgen', validate: (value) => ({ value: Object(value) }) },
}

/**
 * Calls that continue after the response to their request, with the extension `io.modelcontextprotocol/tasks` of protocol 2026-07-28. The client asks
 * for their state, answers their questions and cancels them.
 */
export class ServedTasks {
  readonly #tasks = new Map<unknown, ServedTask>()
  readonly #options: Required<ServedTaskOptions>

  constructor(options: ServedTaskOptions = {}) {
    requireOption('tasks', options, isFields(options), 'an object or false')
    const { afterMs = 5_000, ttlMs = 300_000, pollIntervalMs = 1_000, maxTasks = 1_000 } = options
    this.#options = { afterMs, ttlMs, pollIntervalMs, maxTasks }
    for (const [name, value] of Object.entries(this.#options)) {
      const minimum = name === 'afterMs' ? 0 : 1
      if (Number.isSafeInteger(value) && value >= minimum) continue
      const received = typeof value === 'number' ? value : JSON.stringify(value)
      throw new RangeError(`tasks.${name} must be an integer of at least ${minimum}, but is ${received}`)
    }
  }

  get afterMs(): number {
    return this.#options.afterMs
  }

  adopt(call: ServedCall): CallToolResult | undefined {
    if (this.#tasks.size >= this.#options.maxTasks) {
      const ended = [...this.#tasks.values()].find(({ hasEnded }) => hasEnded)
      if (ended === undefined) return undefined
      this.#tasks.delete(ended.id)
    }
    const { ttlMs } = this.#options
    const task = new ServedTask(call, this.#options)
    this.#tasks.set(task.id, task)
    // The SDK requires `content` in every result of a call.
    const created = { ...task.state, resultType: 'task', content: [] }
    void task.ended.then(() => after(ttlMs, () => this.#tasks.delete(task.id), false))
    return created
  }

  handleRequests(server: Server): void {
    const handle = (method: string, respond: (task: ServedTask, context: ServerContext) => Result): void =>
      server.setRequestHandler(method, { params: anyParams }, ({ taskId }, context) => {
        if (!declaresTasks(context)) {
          const message = `The request does not declare the capability extensions['${TASKS}']`
          throw new MissingRequiredClientCapabilityError({ requiredCapabilities: tasksCapability }, message)
        }
        const task = this.#tasks.get(taskId)
        if (task !== undefined && task.call.subject === subjectOf(context.http?.authInfo)) return respond(task, context)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The task does not exist, or has expired.')
      })
    handle('tasks/get', ({ state }) => state)
    handle('tasks/update', ({ call }, { mcpReq }) => {
      call.answer(mcpReq.inputResponses)
      return {}
    })
    handle('tasks/cancel', ({ call }) => {
      call.cancel(new Error('the client cancelled the task'))
      return {}
    })
  }

  close(): void {
    for (const { call } of this.#tasks.values()) call.cancel(new Error('the MCP server is closed'))
  }
}

type TaskEnd =
  | { readonly status: 'completed'; readonly result: CallToolResult }
  | { readonly status: 'cancelled' }
  | { readonly status: 'failed'; readonly statusMessage: string; readonly error: { code: number; message: string } }

class ServedTask {
  readonly id: string = randomUUID()
  readonly call: ServedCall
  /** Never rejects. */
  readonly ended: Promise<void>
  readonly #options: Required<ServedTaskOptions>
  readonly #createdAt: number = Date.now()
  #updatedAt: number = this.#createdAt
  #end: TaskEnd | undefined

  constructor(call: ServedCall, options: Required<ServedTaskOptions>) {
    this.call = call
    this.#options = options
    const changed = (): void => {
      // A question can remain open after the end of its call.
      if (!this.hasEnded) this.#updatedAt = Date.now()
    }
    const end = call.becomeTask(changed).then((result) => this.#endWith(result), failed)
    this.ended = end.then((reached) => {
      changed()
      this.#end = reached
    })
  }

  get hasEnded(): boolean {
    return this.#end !== undefined
  }

  get state(): Result {
    const { ttlMs, pollIntervalMs } = this.#options
    const lifeMs = this.#updatedAt - this.#createdAt + ttlMs
    return {
      taskId: this.id,
      createdAt: new Date(this.#createdAt).toISOString(),
      lastUpdatedAt: new Date(this.#updatedAt).toISOString(),
      ttlMs: this.#end === undefined ? null : lifeMs,
      pollIntervalMs,
      ...(this.#end ?? this.#progress()),
    }
  }

  /** The tool may have completed its work before it noticed the cancellation. */
  #endWith(result: CallToolResult): TaskEnd {
    const isCancelled = this.call.signal.aborted && result.isError === true
    if (isCancelled) return { status: 'cancelled' }
    // The SDK adds `resultType` only to the response itself.
    return { status: 'completed', result: { ...result, resultType: 'complete' } }
  }

  #progress(): { readonly status: string; readonly statusMessage?: string; readonly inputRequests?: InputRequests } {
    const inputRequests = this.call.questions
    const { message: statusMessage } = this.call
    const message = statusMessage !== undefined && { statusMessage }
    return Object.keys(inputRequests).length === 0
      ? { status: 'working', ...message }
      : { status: 'input_required', ...message, inputRequests }
  }
}

/** The error that the client would have received without a task. */
function failed(error: unknown): TaskEnd {
  const { code } = Object(error)
  const message = error instanceof Error ? error.message : 'Internal error'
  const rpcCode = Number.isSafeInteger(code) ? code : ProtocolErrorCode.InternalError
  return { status: 'failed', statusMessage: message, error: { code: rpcCode, message } }
}
