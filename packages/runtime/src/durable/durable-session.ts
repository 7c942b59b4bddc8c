import { ReconnectDelays } from '../call/timers.js'
import { ToolFailure } from '../call/tool-failure.js'
import { completedCalls } from '../sessions/entries.js'
import { requireId, sessionRequest } from '../sessions/session-request.js'
import { SessionError } from '../sessions/stores.js'
import type { RememberedApproval } from '../types/approval.js'
import type { ChatMessage } from '../types/chat.js'
import type { Acknowledgement, StoredOutcome } from '../types/outcome.js'
import type { RunInput } from '../types/run.js'
import type { CompletedCall, SessionEntry, StoredCall } from '../types/session.js'
import type { ToolCall } from '../types/tool.js'
import { requireJson, requireObject, requireString } from './arguments.js'
import { durableInput } from './durable-run.js'
import { type DurableCallResult, DurableError } from './engine.js'
import type { SessionReadReply, SessionReply } from './session-record.js'
import type {
  DurableCallOptions,
  DurableConsumeOptions,
  DurableSession,
  DurableSessionOptions,
  DurableSessionRunOptions,
  SessionCommand,
  SessionEntriesPage,
  SessionRead,
} from './session-types.js'
import { subscription } from './subscription.js'

/** Connection through which a client sends requests to the sessions that a durable engine stores. */
export interface SessionTransport {
  /**
   * Sends a command to a session. The engine runs {@link sessionCommand} on the stored session. If the engine has already executed a command with the
   * same `requestId`, returns the reply to that command.
   *
   * @throws {DurableError} `engine_unreachable`.
   */
  command(sessionId: string, requestId: string, command: SessionCommand): Promise<SessionReply>
  /**
   * Reads the entries (updates and results) or the state of a session. Runs {@link sessionRead} on the stored session and returns its reply. If the
   * session has no new entries, the engine can wait for a limited time until the session calls {@link SessionObject.changed}.
   *
   * @throws {DurableError} `engine_unreachable`.
   */
  read(sessionId: string, request: SessionRead): Promise<SessionReadReply>
  /** Waits until the invocation of a call ends, and returns its result. */
  callResult(invocation: string): Promise<DurableCallResult>
  /**
   * Returns the state of an invocation. `unknown`: the engine has not stored an invocation with this id. `killed`: an operator ended the invocation.
   * A killed invocation has no result, and sends no message to its session.
   */
  invocationState(id: string): Promise<'unknown' | 'running' | 'ended' | 'killed'>
}

type CommandBody = SessionCommand extends infer Command
  ? Command extends SessionCommand
    ? Omit<Command, 'userId' | 'at'>
    : never
  : never

type ReadBody = SessionRead extends infer Read ? (Read extends SessionRead ? Omit<Read, 'userId'> : never) : never

const MAX_REQUESTS = 100
const REQUEST_DELAY_MS = 50
const LONGEST_DELAY_MS = 5_000

/**
 * Opens a session for a client of an engine. The method `openSession` of an engine's client calls this function.
 *
 * @throws {SessionError} the same errors as `DurableClient.openSession`.
 */
export async function openDurableSession(
  transport: SessionTransport,
  sessionId: string,
  options: DurableSessionOptions,
): Promise<DurableSession> {
  requireObject('openSession: options', options, "an object, for example { userId: 'u-1', namespaces: ['support'] }")
  const { userId, namespaces } = options
  // Engines use the id in paths of URLs, from which URL parsers remove '.' and '..'.
  if (sessionId === '.' || sessionId === '..') {
    throw new SessionError('invalid_id', `The session id is '${sessionId}'. Use another id of your application.`)
  }
  const request = sessionRequest(sessionId, userId, namespaces)
  const session = new EngineSession(transport, sessionId, userId)
  await session.open(request.namespaces)
  return session
}

class EngineSession implements DurableSession {
  readonly id: string
  readonly userId: string
  namespaces: readonly string[] = []
  readonly #transport: SessionTransport

  constructor(transport: SessionTransport, id: string, userId: string) {
    this.#transport = transport
    this.id = id
    this.userId = userId
  }

  async open(namespaces: readonly string[] | undefined): Promise<void> {
    const opened = await this.#command<{ readonly namespaces: readonly string[] }>({
      ...{ kind: 'open' },
      ...(namespaces !== undefined && { namespaces }),
    })
    this.namespaces = opened.namespaces
  }

  async execute(
    call: ToolCall<unknown, any>,
    options: DurableCallOptions = {},
  ): Promise<StoredOutcome | Acknowledgement> {
    requireObject('execute: call', call, "a call, for example newGetOrderCall({ orderId: 'A-1001' })")
    requireObject('execute: options', options, "an object, for example { callId: 'c-1' }")
    const { callId = `call_${crypto.randomUUID()}`, turnId, labels, data } = options
    requireId('call id', callId)
    if (data !== undefined) requireJson('execute: data', data)
    const { tool, arguments: sent, toolCallId, parentToolCallId } = call
    const plain = {
      ...{ tool, arguments: sent },
      ...(toolCallId !== undefined && { toolCallId }),
      ...(parentToolCallId !== undefined && { parentToolCallId }),
    }
    const reply = await this.#command<ExecuteReply>({
      ...{ kind: 'execute', callId, call: plain },
      ...(turnId !== undefined && { turnId }),
      ...(labels !== undefined && { labels }),
      ...(data !== undefined && { data }),
    })
    if ('acknowledgement' in reply) return reply.acknowledgement
    if ('outcome' in reply) return reply.outcome
    await this.#isStarted(reply.invocation)
    return (await this.#transport.callResult(reply.invocation)).outcome
  }

  async run(
    agent: string,
    input: RunInput,
    options: DurableSessionRunOptions = {},
  ): Promise<{ readonly runId: string }> {
    requireObject('run: options', options, "an object, for example { runId: 'r-1' }")
    const { runId = crypto.randomUUID(), conversation, ...others } = options
    const { version: _, input: plain = input, ...facts } = durableInput(agent, input, { ...others, runId })
    const isUsed = options.runId !== undefined && (await this.#transport.invocationState(runId)) !== 'unknown'
    const isOutside = conversation === false
    const command = { ...facts, kind: 'run', runId, input: plain, isOutside, isUsed } as const
    const started = await this.#afterRun(() => this.#command<InProgress | { readonly runId: string }>(command))
    if ('inProgress' in started) throw runInProgress(this.id, started.inProgress)
    await this.#isStarted(runId)
    return { runId }
  }

  /** If the reply lists a run or call as in progress that has already ended, the session has not received the result of this run or call yet. */
  async #afterRun<Reply extends object | null>(request: () => Promise<Reply>): Promise<Reply> {
    for (let requests = 1; ; requests += 1) {
      const reply = await request()
      const { inProgress = [] } = (reply ?? {}) as { readonly inProgress?: string | readonly string[] }
      const ids = [inProgress].flat()
      const states = await Promise.all(ids.map((id) => this.#transport.invocationState(id)))
      const killed = ids.filter((_, index) => states[index] === 'killed')
      if (requests === MAX_REQUESTS || (killed.length === 0 && !states.includes('ended'))) return reply
      for (const id of killed) await this.#command({ kind: 'release', id })
      if (states.includes('ended')) await delay()
    }
  }

  async #isStarted(id: string): Promise<void> {
    for (let requests = 1; (await this.#transport.invocationState(id)) === 'unknown'; requests += 1) {
      if (requests === MAX_REQUESTS) {
        throw new DurableError('engine_unreachable', `The engine has not started the invocation '${id}'.`)
      }
      await delay()
    }
  }

  async messages(): Promise<readonly ChatMessage[]> {
    const { messages } = await this.#afterRun(() =>
      this.#read<{ readonly messages: readonly ChatMessage[] }>({ kind: 'messages' }),
    )
    return messages
  }

  async clearMessages(): Promise<void> {
    const reply = await this.#afterRun(() => this.#command<InProgress | null>({ kind: 'clear messages' }))
    if (reply !== null) throw runInProgress(this.id, reply.inProgress)
  }

  async approvals(): Promise<readonly RememberedApproval[]> {
    const { approvals } = await this.#afterRun(() =>
      this.#read<{ readonly approvals: readonly RememberedApproval[] }>({ kind: 'approvals' }),
    )
    return approvals
  }

  async forgetApprovals(tool?: string): Promise<void> {
    if (tool !== undefined) requireString('forgetApprovals: tool', tool)
    await this.#command({ kind: 'forget approvals', ...(tool !== undefined && { tool }) })
  }

  poll(): Promise<readonly SessionEntry[]> {
    return this.#read({ kind: 'poll' })
  }

  async consume(options: DurableConsumeOptions = {}): Promise<readonly SessionEntry[]> {
    const requestId = requestIdOf('consume', options)
    return this.#command({ kind: 'consume', isCompleted: false }, requestId && `all/${requestId}`)
  }

  async consumeCompleted(options: DurableConsumeOptions = {}): Promise<readonly CompletedCall[]> {
    const requestId = requestIdOf('consumeCompleted', options)
    const command = { kind: 'consume', isCompleted: true } as const
    return completedCalls(await this.#command<readonly SessionEntry[]>(command, requestId && `completed/${requestId}`))
  }

  pending(): Promise<readonly StoredCall[]> {
    return this.#read({ kind: 'pending' })
  }

  async cancel(callId: string): Promise<boolean> {
    requireId('call id', callId)
    const cancelled = await this.#command<{ readonly invocation: string } | null>({ kind: 'cancel', callId })
    if (cancelled === null) return false
    const { invocation: id } = cancelled
    if ((await this.#transport.invocationState(id)) === 'killed') await this.#command({ kind: 'release', id })
    return true
  }

  async close(options: { readonly cancel?: boolean } = {}): Promise<void> {
    requireObject('close: options', options, 'an object, for example { cancel: true }')
    const { cancel = false } = options
    await this.#command({ kind: 'close', cancel })
  }

  async delete(): Promise<void> {
    await this.#command({ kind: 'delete' })
  }

  subscribe({ after }: { readonly after?: number } = {}): AsyncIterable<SessionEntry> {
    if (after !== undefined && !(Number.isSafeInteger(after) && after >= 0)) {
      throw new RangeError(
        `subscribe: after is ${after}. Expected the \`sequence\` of the last entry, or 0 for all entries.`,
      )
    }
    return subscription((signal) => this.#entries(after, signal))
  }

  async *#entries(after: number | undefined, signal: AbortSignal): AsyncGenerator<SessionEntry, undefined> {
    // Without `after`, the read does not wait.
    let { position } = await this.#read<SessionEntriesPage>({ kind: 'entries' })
    if (after !== undefined) position = after
    let delays: ReconnectDelays | undefined
    while (!signal.aborted) {
      try {
        const page = await this.#read<SessionEntriesPage>({ kind: 'entries', after: position })
        yield* page.entries
        if (page.isClosed) return undefined
        position = page.position
        if (page.entries.length > 0) delays = undefined
        // The session has changed during the read. The next read returns the entries.
        else if (delays === undefined) delays = new ReconnectDelays(REQUEST_DELAY_MS, LONGEST_DELAY_MS)
        // An engine ends the wait of a client early if too many clients wait. These clients must not take turns without a pause.
        else await delay(delays.next())
      } catch (error) {
        // The session was deleted during the iteration.
        if (error instanceof SessionError && error.code === 'unknown_session') return undefined
        throw error
      }
    }
    return undefined
  }

  async #command<Value = unknown>(body: CommandBody, requestId: string = crypto.randomUUID()): Promise<Value> {
    const command = { ...body, userId: this.userId, at: Date.now() } as SessionCommand
    return replyValue<Value>(await this.#transport.command(this.id, requestId, command))
  }

  async #read<Value>(body: ReadBody): Promise<Value> {
    for (let requests = 1; requests <= MAX_REQUESTS; requests += 1) {
      const reply = await this.#transport.read(this.id, { ...body, userId: this.userId } as SessionRead)
      if (!('isStale' in reply)) return replyValue<Value>(reply)
      await delay()
    }
    throw new SessionError('corrupt_state', `The stored session '${this.id}' lacks entries. Delete it.`)
  }
}

type ExecuteReply =
  | { readonly acknowledgement: Acknowledgement }
  | { readonly outcome: StoredOutcome }
  | { readonly invocation: string }

interface InProgress {
  readonly inProgress: string
}

function requestIdOf(method: string, options: DurableConsumeOptions): string | undefined {
  requireObject(`${method}: options`, options, "an object, for example { requestId: 'request-1' }")
  const { requestId } = options
  if (requestId === undefined) return undefined
  requireString(`${method}: requestId`, requestId)
  if (requestId === '') throw new TypeError(`${method}: requestId is ''. Expected a string that is not empty.`)
  return requestId
}

function runInProgress(sessionId: string, runId: string): SessionError {
  const message = `The run '${runId}' of the session '${sessionId}' is still in progress. Await, answer or cancel it first.`
  return new SessionError('run_in_progress', message)
}

function delay(milliseconds: number = REQUEST_DELAY_MS): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}

function replyValue<Value>(reply: SessionReply): Value {
  if ('value' in reply) return reply.value as Value
  const { error } = reply
  if (error.type === 'DurableError') throw new DurableError(error.code, error.message)
  if (error.type === 'ToolFailure') throw new ToolFailure(error.message, { reason: error.code })
  throw new SessionError(error.code, error.message)
}
