import { type JSONRPCMessage, ProtocolError, type Result, specTypeSchemas } from '@modelcontextprotocol/client'
import { classify } from '../call/classify.js'
import { ignoreErrors } from '../call/telemetry.js'
import { after, sleep, untilAborted } from '../call/timers.js'
import { peek } from '../call/tool-failure.js'
import { type Fields, isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { McpAnswer, McpQuestion } from '../types/elicitation.js'
import type { McpCallOptions, McpToolCall, McpToolResult } from '../types/mcp.js'
import type { CallerOptions } from './caller-options.js'
import { elicited, inputRequestsOf, listedRoots } from './elicitation.js'
import { McpCallError } from './mcp-call-error.js'
import { malformedAnswer, nextTurn, refusal } from './messages.js'
import { callResult } from './server-lists.js'

const DEFAULT_POLL_MS = 1_000
const MIN_POLL_MS = 50
const MAX_POLL_MS = 300_000

/** Consecutive failures of a request after which the call fails. The delay between them doubles. */
const MAX_FAILURES = 6

/** Maximum wait for the confirmation of a cancellation. */
const CANCEL_MS = 1_000

const INVALID_PARAMS = -32_602
/** Internal errors, and errors of the server itself. All other JSON-RPC errors occur again if the request is repeated. */
export const REPEATABLE: ReadonlySet<number> = new Set([-32_603, -32_000])

const TASK_META = 'toolgen/task'

/**
 * The SDK rejects results of the type `task`, and discards their content, so an object of this class in the `_meta` of another result replaces them.
 * Data from a server is never an object of this class.
 */
class ReceivedTask {
  readonly fields: Fields
  isStarted = false

  constructor(fields: Fields) {
    this.fields = fields
  }

  get result(): Result {
    return { resultType: 'complete', content: [], _meta: { [TASK_META]: this } }
  }

  /** Cancels the task if no call follows it: the call was aborted before the response arrived, or the response is invalid. */
  async cancelUnlessStarted(cancel: (taskId: string) => Promise<unknown>): Promise<void> {
    // A call that awaits the response starts in the same turn.
    await nextTurn()
    const { taskId } = this.fields
    if (!this.isStarted && isTaskId(taskId)) await confirmed(cancel(taskId))
  }
}

/** Returns `undefined` for a message without a task. */
export function receivedTask(message: JSONRPCMessage): ReceivedTask | undefined {
  const isTask = 'result' in message && peek(message.result, 'resultType') === 'task'
  return isTask ? new ReceivedTask(message.result) : undefined
}

/** The task that a server created for a tool call. */
export class StartedTask {
  readonly facts: TaskFacts
  readonly isWorking: boolean

  constructor(fields: Fields, hide: Hide) {
    this.facts = readFacts(fields, hide)
    this.isWorking = fields.status === 'working'
  }
}

/** Removes secrets from a text of the server. */
type Hide = (text: string) => string

/** Returns `undefined` for a result that is not a task. */
export function startedTask({ _meta }: McpToolResult, hide: Hide): StartedTask | undefined {
  const received = peek(_meta, TASK_META)
  if (!(received instanceof ReceivedTask)) return undefined
  const task = new StartedTask(received.fields, hide)
  received.isStarted = true
  return task
}

interface TaskFacts {
  readonly taskId: string
  readonly statusMessage?: string
  readonly pollIntervalMs: number
  /** Time from which the server may forget the task. Absent if the server keeps the task without a limit. */
  readonly expiresAt?: number
}

export type Task = TaskFacts &
  (
    | { readonly status: 'working' | 'cancelled' }
    | { readonly status: 'input_required'; readonly inputRequests: Fields }
    | { readonly status: 'completed'; readonly result: McpToolResult }
    | { readonly status: 'failed'; readonly error: McpCallError }
  )

export function readTask(answer: object, taskId: string, hide: Hide): Task {
  const fields = { ...answer } as Fields
  const facts = readFacts(fields, hide)
  if (facts.taskId !== taskId) throw invalid('the response is about another task')
  const { status } = fields
  switch (status) {
    case 'input_required':
      if (!isFields(fields.inputRequests)) throw invalid('a task that requires input has no `inputRequests`')
      return { ...facts, status, inputRequests: fields.inputRequests }
    case 'completed':
      return { ...facts, status, result: readResult(fields.result) }
    case 'failed': {
      const { code, message, data } = isFields(fields.error) ? fields.error : {}
      if (!Number.isInteger(code) || typeof message !== 'string') throw invalid('a failed task has no valid `error`')
      return { ...facts, status, error: refusal(new ProtocolError(Number(code), hide(message), data)) }
    }
    default:
      return { ...facts, status: status === 'working' ? status : 'cancelled' }
  }
}

const statuses: readonly unknown[] = ['working', 'input_required', 'completed', 'failed', 'cancelled']

function readFacts({ taskId, status, statusMessage, createdAt, ttlMs, pollIntervalMs }: Fields, hide: Hide): TaskFacts {
  if (!isTaskId(taskId)) throw invalid('a task has no `taskId`')
  if (!statuses.includes(status)) throw invalid(`a task has the unknown status ${JSON.stringify(status)}`)
  if (statusMessage !== undefined && typeof statusMessage !== 'string') throw invalid('`statusMessage` is not a string')
  requireDuration('ttlMs', ttlMs ?? undefined)
  requireDuration('pollIntervalMs', pollIntervalMs)
  const expiresAt = typeof ttlMs === 'number' && typeof createdAt === 'string' ? Date.parse(createdAt) + ttlMs : NaN
  return {
    taskId,
    ...(statusMessage !== undefined && { statusMessage: hide(statusMessage) }),
    pollIntervalMs: pollInterval(pollIntervalMs),
    ...(!Number.isNaN(expiresAt) && { expiresAt }),
  }
}

function isTaskId(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function pollInterval(milliseconds: unknown): number {
  const requested = typeof milliseconds === 'number' ? milliseconds : DEFAULT_POLL_MS
  return Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, requested))
}

function requireDuration(name: string, value: unknown): void {
  if (value === undefined || (Number.isInteger(value) && Number(value) >= 0)) return
  throw invalid(`\`${name}\` of a task is not an integer of at least 0`)
}

function readResult(result: unknown): McpToolResult {
  const { resultType = 'complete', ...fields } = isFields(result) ? result : {}
  const read = specTypeSchemas.CallToolResult['~standard'].validate(fields)
  // The schema is the one of older protocols, in which `content` has a default.
  const isResult = resultType === 'complete' && fields.content !== undefined
  if (!isResult || read instanceof Promise || read.issues !== undefined)
    throw invalid('the result of a task is not a tool result')
  return callResult(read.value)
}

function invalid(problem: string): McpCallError {
  return malformedAnswer(new TypeError(problem))
}

/** Begins the `requestState` of a task. */
const TASK_STATE = 'toolgen/task:'
/** Begins the `requestState` of a server if it would otherwise look like one of this client. */
const SERVER_STATE = 'toolgen/server:'

/** A server can be a gateway that repeats the state of a task of its own. */
export function storedState(requestState: string): string {
  return requestState.startsWith('toolgen/') ? SERVER_STATE + requestState : requestState
}

export function serverState(requestState: string): string {
  return requestState.startsWith(SERVER_STATE) ? requestState.slice(SERVER_STATE.length) : requestState
}

/** Part of a task that a suspension stores as its `requestState`, so that another process can continue the call. */
interface TaskState extends Omit<TaskFacts, 'statusMessage'> {
  /** Keys of the answered questions, which the server can ask again until it has processed the answers. */
  readonly answered: readonly string[]
  /** Keys of the requests for roots that are answered together with the questions. */
  readonly roots: readonly string[]
}

/** Returns `undefined` if the call does not continue a task. */
export function taskStateOf({ requestState = '' }: McpToolCall): TaskState | undefined {
  if (!requestState.startsWith(TASK_STATE)) return undefined
  const state = parseJson(requestState.slice(TASK_STATE.length))
  if (!state.ok || !isFields(state.value)) return undefined
  const { taskId, pollIntervalMs, answered, roots, expiresAt } = state.value
  if (typeof taskId !== 'string' || !isTexts(answered) || !isTexts(roots)) return undefined
  const expiry = typeof expiresAt === 'number' && { expiresAt }
  return { taskId, pollIntervalMs: pollInterval(pollIntervalMs), ...expiry, answered, roots }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

/** Requests about a task. Each request can use another connection to the server. */
export interface TaskRequests {
  get(taskId: string, signal: AbortSignal): Promise<Task>
  update(taskId: string, inputResponses: Fields, signal: AbortSignal): Promise<unknown>
  cancel(taskId: string): Promise<unknown>
}

/** Tool call that the server runs as a task. */
export class TaskCall {
  readonly #taskId: string
  readonly #requests: TaskRequests
  /** Aborted with the call and with the caller. */
  readonly #signal: AbortSignal
  readonly #options: McpCallOptions
  readonly #caller: CallerOptions
  readonly #answered: Set<string>
  #expiresAt: number | undefined
  #pollIntervalMs: number
  #statusMessage: string | undefined
  #updates = 0
  #isOver = false

  constructor(
    { taskId, pollIntervalMs, expiresAt, answered }: TaskFacts & Partial<TaskState>,
    requests: TaskRequests,
    signal: AbortSignal,
    options: McpCallOptions,
    caller: CallerOptions,
  ) {
    this.#taskId = taskId
    this.#requests = requests
    this.#signal = signal
    this.#options = options
    this.#caller = caller
    this.#answered = new Set(answered)
    this.#pollIntervalMs = pollIntervalMs
    this.#expiresAt = expiresAt
  }

  async follow({ facts, isWorking }: StartedTask): Promise<McpToolResult> {
    return this.#orCancelled(async () => {
      this.#observe(facts)
      if (isWorking) await this.#pause(this.#pollIntervalMs)
      return this.#result()
    })
  }

  async resume(answers: Readonly<Record<string, McpAnswer>>, rootKeys: readonly string[]): Promise<McpToolResult> {
    return this.#orCancelled(async () => {
      const responses = { ...answers, ...(await this.#rootsFor(rootKeys)) }
      if (Object.keys(responses).length > 0) await this.#update(responses)
      return this.#result()
    })
  }

  /** The server would continue a task whose result nobody reads. */
  async #orCancelled(work: () => Promise<McpToolResult>): Promise<McpToolResult> {
    try {
      return await untilAborted(this.#signal, work)
    } catch (error) {
      if (!this.#isOver) await confirmed(this.#requests.cancel(this.#taskId))
      throw error
    }
  }

  async #result(): Promise<McpToolResult> {
    for (;;) {
      const task = await this.#poll()
      this.#observe(task)
      if (task.status === 'input_required') {
        const suspended = await this.#answer(task.inputRequests)
        if (suspended !== undefined) return suspended
      } else if (task.status !== 'working') {
        this.#isOver = true
        if (task.status === 'completed') return task.result
        throw task.status === 'failed' ? task.error : cancelled(task.statusMessage)
      }
      await this.#pause(this.#pollIntervalMs)
    }
  }

  async #poll(): Promise<Task> {
    try {
      return await this.#repeated(() => this.#requests.get(this.#taskId, this.#signal))
    } catch (error) {
      if (!(error instanceof McpCallError && error.rpcCode === INVALID_PARAMS)) throw error
      this.#isOver = true
      // The code of the response would mean that the arguments of the tool are invalid.
      throw this.#hasExpired()
        ? new McpCallError('timeout', `the task has expired, and the server no longer knows it: ${error.message}`)
        : new McpCallError('refused', `the server no longer knows the task of this call: ${error.message}`)
    }
  }

  async #update(responses: Fields): Promise<void> {
    try {
      await this.#repeated(() => this.#requests.update(this.#taskId, responses, this.#signal))
    } catch (error) {
      if (!(error instanceof McpCallError && error.rpcCode === INVALID_PARAMS)) throw error
      throw this.#hasExpired()
        ? new McpCallError('timeout', `the questions were answered after the task had expired: ${error.message}`)
        : new McpCallError('refused', `the server refused the answers to its questions: ${error.message}`)
    }
    for (const key of Object.keys(responses)) this.#answered.add(key)
  }

  #hasExpired(): boolean {
    return this.#expiresAt !== undefined && Date.now() >= this.#expiresAt
  }

  /** The server continues the task while the connection is lost, so a failed request must not lose the task. */
  async #repeated<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await send()
      } catch (error) {
        this.#signal.throwIfAborted()
        const waitMs = failures < MAX_FAILURES ? waitAfter(error) : undefined
        if (waitMs === undefined) throw error
        await this.#pause(Math.min(MAX_POLL_MS, Math.max(waitMs, this.#pollIntervalMs * 2 ** (failures - 1))))
      }
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, this.#signal)
    this.#signal.throwIfAborted()
  }

  #observe({ statusMessage, pollIntervalMs, expiresAt }: TaskFacts): void {
    this.#pollIntervalMs = pollIntervalMs
    this.#expiresAt = expiresAt
    if (statusMessage === undefined || statusMessage === this.#statusMessage) return
    this.#statusMessage = statusMessage
    this.#updates += 1
    try {
      this.#options.onProgress?.({ progress: this.#updates, message: statusMessage })
    } catch (error) {
      // As in calls without a task, an error of the listener does not fail the call.
      ignoreErrors(() => this.#caller.onError?.(error))
    }
  }

  /** Returns the questions if the answers of the user resume the call later. */
  async #answer(inputRequests: Fields): Promise<McpToolResult | undefined> {
    const open = Object.entries(inputRequests).filter(([key]) => !this.#answered.has(key))
    const { elicit, roots } = this.#caller
    const { questions, roots: rootKeys, unsupported } = inputRequestsOf(Object.fromEntries(open), roots !== undefined)
    if (unsupported !== undefined) throw unanswerable(`requests '${unsupported}'`)
    const isQuestion = Object.keys(questions).length > 0
    if (isQuestion && elicit === undefined) {
      if (this.#options.allowInputRequired !== true) throw unanswerable('asks the user a question')
      return { inputRequired: { questions, requestState: this.#stateWith(rootKeys) } }
    }
    const answers = elicit === undefined ? {} : await this.#elicited(elicit, questions)
    const responses = { ...answers, ...(await this.#rootsFor(rootKeys)) }
    if (open.length > 0) await this.#update(responses)
    return undefined
  }

  async #elicited(
    elicit: NonNullable<CallerOptions['elicit']>,
    questions: Readonly<Record<string, McpQuestion>>,
  ): Promise<Fields> {
    const round = new AbortController()
    const signal = AbortSignal.any([this.#signal, round.signal])
    try {
      const answers = Object.entries(questions).map(
        async ([key, question]) => [key, await elicited(elicit, question, signal)] as const,
      )
      return Object.fromEntries(await Promise.all(answers))
    } catch (error) {
      round.abort(error)
      this.#signal.throwIfAborted()
      throw error
    }
  }

  async #rootsFor(keys: readonly string[]): Promise<Fields> {
    const { roots } = this.#caller
    if (roots === undefined || keys.length === 0) return {}
    const listed = await listedRoots(roots)
    return Object.fromEntries(keys.map((key) => [key, listed]))
  }

  #stateWith(roots: readonly string[]): string {
    const state: TaskState = {
      taskId: this.#taskId,
      pollIntervalMs: this.#pollIntervalMs,
      ...(this.#expiresAt !== undefined && { expiresAt: this.#expiresAt }),
      answered: [...this.#answered],
      roots,
    }
    return TASK_STATE + JSON.stringify(state)
  }
}

/** Waits only a short time. The call of the task fails in any case, so an error of the cancellation is ignored. */
function confirmed(cancellation: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const stopTimer = after(CANCEL_MS, resolve)
    cancellation
      .catch(() => undefined)
      .finally(() => {
        stopTimer()
        resolve()
      })
  })
}

/** Returns `undefined` if a repetition of the request would fail too. */
function waitAfter(error: unknown): number | undefined {
  const rpcCode = error instanceof McpCallError ? error.rpcCode : undefined
  if (rpcCode !== undefined) return REPEATABLE.has(rpcCode) ? 0 : undefined
  const failure = classify(error, Date.now())
  const { reason } = failure
  return reason === 'unavailable' || reason === 'rate_limited' || reason === 'timeout'
    ? (failure.retryAfterMs ?? 0)
    : undefined
}

function cancelled(statusMessage: string | undefined): McpCallError {
  return new McpCallError(
    'refused',
    `the server cancelled the task${statusMessage === undefined ? '' : `: ${statusMessage}`}`,
  )
}

function unanswerable(request: string): McpCallError {
  return new McpCallError('refused', `the server ${request} during a task, which this caller does not support`)
}
