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
import { TASKS_EXTENSION } from './messages.js'
import { declaredCapabilities, type ServedCall } from './served-client.js'

/** Options for the MCP tasks of a server. */
export interface ServedTaskOptions {
  /**
   * Time after which a running call becomes a task, in milliseconds. Until then, the client receives progress notifications, and faster calls need
   * only one request. 0 means that each call becomes a task at once. Default: 7,000.
   */
  readonly afterMs?: number
  /**
   * Time for which the server keeps the result of a task after its end, in milliseconds. If no client asks for a task within this time after its
   * start, the server cancels the task. Default: 5 minutes.
   */
  readonly ttlMs?: number
  /** Time between two requests for the state of a task that the server suggests to clients, in milliseconds, at most `ttlMs`. Default: 1,000. */
  readonly pollIntervalMs?: number
  /**
   * Maximum number of tasks in memory. Default: 1,000. At the maximum, the server drops the oldest task that has ended. If all tasks still run, the
   * call does not become a task.
   */
  readonly maxTasks?: number
  /** Maximum number of tasks of one user or client (claim `sub`), with the option `auth` of the transport. Default: 100. */
  readonly maxTasksPerSubject?: number
}

/**
 * Differs from common time limits of clients. If the client gives up at the moment at which the call becomes a task, the server may not notice that
 * nobody waits for the task.
 */
const AFTER_MS = 7_000

/** Capability of a client or server that supports tasks. */
export const tasksCapability: { readonly extensions: Record<string, JSONObject> } = {
  extensions: { [TASKS_EXTENSION]: {} },
}

export function declaresTasks(context: ServerContext): boolean {
  return declaredCapabilities(context)?.extensions?.[TASKS_EXTENSION] !== undefined
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
    const { afterMs = AFTER_MS, ttlMs = 300_000, pollIntervalMs = 1_000 } = options
    const { maxTasks = 1_000, maxTasksPerSubject = 100 } = options
    this.#options = { afterMs, ttlMs, pollIntervalMs, maxTasks, maxTasksPerSubject }
    for (const [name, value] of Object.entries(this.#options)) {
      const minimum = name === 'afterMs' ? 0 : 1
      if (Number.isSafeInteger(value) && value >= minimum) continue
      const received = typeof value === 'number' ? value : JSON.stringify(value)
      throw new RangeError(`tasks.${name} must be an integer of at least ${minimum}, but is ${received}`)
    }
    // Otherwise the result would be deleted before a client asks for it.
    if (pollIntervalMs > ttlMs)
      throw new RangeError(`tasks.pollIntervalMs must be at most tasks.ttlMs (${ttlMs}), but is ${pollIntervalMs}`)
  }

  get afterMs(): number {
    return this.#options.afterMs
  }

  adopt(call: ServedCall): CallToolResult | undefined {
    const { maxTasks, maxTasksPerSubject, ttlMs } = this.#options
    const { subject } = call
    const tasks = [...this.#tasks.values()]
    const own = tasks.filter((task) => subject !== undefined && task.subject === subject)
    if (own.length >= maxTasksPerSubject && !this.#dropEnded(own)) return undefined
    if (this.#tasks.size >= maxTasks && !this.#dropEnded(tasks)) return undefined
    const task = new ServedTask(call, this.#options)
    this.#tasks.set(task.id, task)
    const cancelUnknown = (): void => {
      if (!task.isKnown) task.call?.cancel(new Error('no client asked for the task'))
    }
    // The client may have disconnected before it received the task.
    task.stopTimer = after(ttlMs, cancelUnknown, false)
    // The SDK requires `content` in every result of a call.
    const created = { ...task.state, resultType: 'task', content: [] }
    void task.ended.then(() => {
      task.stopTimer?.()
      if (this.#tasks.has(task.id)) task.stopTimer = after(ttlMs, () => this.#drop(task), false)
    })
    return created
  }

  #dropEnded(tasks: readonly ServedTask[]): boolean {
    const ended = tasks.find(({ hasEnded }) => hasEnded)
    if (ended !== undefined) this.#drop(ended)
    return ended !== undefined
  }

  #drop(task: ServedTask): void {
    task.stopTimer?.()
    this.#tasks.delete(task.id)
  }

  handleRequests(server: Server): void {
    const handle = (method: string, respond: (task: ServedTask, context: ServerContext) => Result): void =>
      server.setRequestHandler(method, { params: anyParams }, ({ taskId }, context) => {
        if (!declaresTasks(context)) {
          const message = `The request does not declare the capability extensions['${TASKS_EXTENSION}']`
          throw new MissingRequiredClientCapabilityError({ requiredCapabilities: tasksCapability }, message)
        }
        const task = this.#tasks.get(taskId)
        if (task === undefined || task.subject !== subjectOf(context.http?.authInfo)) {
          throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'The task does not exist, or has expired.')
        }
        task.isKnown = true
        return respond(task, context)
      })
    handle('tasks/get', ({ state }) => state)
    handle('tasks/update', ({ call }, { mcpReq }) => {
      call?.answer(mcpReq.inputResponses)
      return {}
    })
    handle('tasks/cancel', ({ call }) => {
      call?.cancel(new Error('the client cancelled the task'))
      return {}
    })
  }

  close(): void {
    for (const task of this.#tasks.values()) {
      task.call?.cancel(new Error('the MCP server is closed'))
      this.#drop(task)
    }
  }
}

type TaskEnd =
  | { readonly status: 'completed'; readonly result: CallToolResult }
  | { readonly status: 'cancelled' }
  | { readonly status: 'failed'; readonly statusMessage: string; readonly error: { code: number; message: string } }

class ServedTask {
  readonly id: string = randomUUID()
  readonly subject: string | undefined
  /** Never rejects. */
  readonly ended: Promise<void>
  /** Stops the timer that cancels or drops the task. */
  stopTimer: (() => void) | undefined
  /** True if a client has sent a request about the task. */
  isKnown = false
  readonly #options: Required<ServedTaskOptions>
  readonly #createdAt: number = Date.now()
  #updatedAt: number = this.#createdAt
  #call: ServedCall | undefined
  #end: TaskEnd | undefined

  constructor(call: ServedCall, options: Required<ServedTaskOptions>) {
    this.subject = call.subject
    this.#call = call
    this.#options = options
    const changed = (): void => {
      // A question can remain open after the end of its call.
      if (!this.hasEnded) this.#updatedAt = Date.now()
    }
    const end = call.becomeTask(changed).then((result) => endWith(result, call.signal), failed)
    this.ended = end.then((reached) => {
      changed()
      this.#end = reached
      // The call contains its arguments, which can be large.
      this.#call = undefined
    })
  }

  /** `undefined` after the end of the call. */
  get call(): ServedCall | undefined {
    return this.#call
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

  #progress(): { readonly status: string; readonly statusMessage?: string; readonly inputRequests?: InputRequests } {
    const { questions: inputRequests = {}, message: statusMessage } = this.#call ?? {}
    const message = statusMessage !== undefined && { statusMessage }
    return Object.keys(inputRequests).length === 0
      ? { status: 'working', ...message }
      : { status: 'input_required', ...message, inputRequests }
  }
}

/** The tool may have completed its work before it noticed the cancellation. */
function endWith(result: CallToolResult, signal: AbortSignal): TaskEnd {
  if (signal.aborted && result.isError === true) return { status: 'cancelled' }
  // The SDK adds `resultType` only to the response itself.
  return { status: 'completed', result: { ...result, resultType: 'complete' } }
}

/** The error that the client would have received without a task. */
function failed(error: unknown): TaskEnd {
  const { code } = Object(error)
  const message = error instanceof Error ? error.message : 'Internal error'
  const rpcCode = Number.isSafeInteger(code) ? code : ProtocolErrorCode.InternalError
  return { status: 'failed', statusMessage: message, error: { code: rpcCode, message } }
}
