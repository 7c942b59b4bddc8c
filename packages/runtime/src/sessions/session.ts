import { BoundAgent } from '../agents/bound-agent.js'
import { resumeRun, startRun } from '../agents/run.js'
import type { RunHandle } from '../agents/run-handle.js'
import type { NeedsOf, ResultOf, ToolCall } from '../types/call.js'
import type { WithoutOptions } from '../types/call-options.js'
import type { ChatMessage } from '../types/chat.js'
import type { Acknowledgement, Answers, RunSuspension, ToolOutcome } from '../types/outcome.js'
import type { RunInput } from '../types/run.js'
import type { CompletedCall, SessionCompletion, SessionEntry, SessionUpdate, StoredCall } from '../types/session.js'
import type { AgentToolSpec, MetaField } from '../types/tool.js'
import type { SessionJournal } from './journal.js'
import type { SessionCalls } from './session-calls.js'
import { lateMessage, type SessionRuns } from './session-runs.js'
import type {
  PlainSessionOptions,
  PlainSessionRunOptions,
  SessionOptionsFor,
  SessionRunOptionsFor,
} from './session-types.js'

/** What a session is, and what does its work. */
interface SessionParts {
  readonly id: string
  readonly userId: string
  readonly namespaces: readonly string[]
  readonly tools: readonly AgentToolSpec[]
  readonly missingTools: readonly string[]
  readonly calls: SessionCalls
  readonly runs: SessionRuns
  readonly journal: SessionJournal
}

/** Whose results are taken. */
export interface ConsumeOptions {
  /** Those of calls that runs of agents made, in place of those that callers made. Default false. */
  readonly runs?: boolean
}

/**
 * One user's tools, and what they have to say: a tool that answers once gives its outcome, a streaming tool is
 * acknowledged, and its updates and its result wait until somebody takes them. `Env` names what the layers around the tools
 * need. Made by a `SessionRegistry`.
 *
 * When the session was closed or opened elsewhere, calls, `poll` and `consume` fail with a `SessionError`, and nothing is
 * pending.
 *
 * @example
 * const answer = await session.execute(newBuildReportCall({ year: 2026 }))
 * if (answer.status === 'streaming') showProgress(answer.callId)
 * for (const { completion, updates } of await session.consumeCompleted()) show(completion.outcome, updates)
 */
export class Session<in Env = unknown> implements AsyncIterable<SessionEntry> {
  /** Makes `Env` count in assignability; never present. */
  readonly '~env'?: (env: Env) => void
  readonly id: string
  readonly userId: string
  /** As they were given when the session was opened first. */
  readonly namespaces: readonly string[]
  /** What may be called, in the order of the namespaces; deeply frozen. */
  readonly tools: readonly AgentToolSpec[]
  /** The ids of tools that the session had when it was stored and that there are no more. */
  readonly missingTools: readonly string[]
  readonly #calls: SessionCalls
  readonly #runs: SessionRuns
  readonly #journal: SessionJournal

  constructor({ id, userId, namespaces, tools, missingTools, calls, runs, journal }: SessionParts) {
    this.id = id
    this.userId = userId
    this.namespaces = namespaces
    this.tools = tools
    this.missingTools = missingTools
    this.#calls = calls
    this.#runs = runs
    this.#journal = journal
  }

  /**
   * Executes one call, made by a generated builder or from what a model sent. A tool that answers once answers as
   * everywhere. A streaming tool is acknowledged at the moment that it begins, with a durable store not before that is
   * stored; what a call comes to before that (its arguments are invalid, it is denied, it waits for somebody) is its
   * answer. `signal` and `deadline` count until the end of the call. Who gives a call up before it is acknowledged is
   * answered at once, and nothing of it counts; only a process that dies before the store knows that leaves it there, as
   * interrupted.
   *
   * @throws {SessionError} `closing`, `closed`, `superseded`; `store_failed` where it cannot be stored that the call has begun: it is aborted then, and nothing of it counts.
   *
   * @example
   * const answer = await session.execute(newGetOrderCall({ orderId: 'A-1001' }))
   */
  execute<Call extends ToolCall<unknown, MetaField>, OwnEnv = Env>(
    call: WithoutOptions<Call, Exclude<NeedsOf<Call>, 'toolCallId' | 'sessionId'>, OwnEnv>,
    options?: PlainSessionOptions,
  ): Promise<ToolOutcome<ResultOf<Call>> | Acknowledgement>
  execute<Call extends ToolCall<unknown, MetaField>, ConfigEnv = unknown>(
    call: Call,
    options: SessionOptionsFor<Call, Env, ConfigEnv>,
  ): Promise<ToolOutcome<ResultOf<Call>> | Acknowledgement>
  execute(call: any, options: object = {}): Promise<ToolOutcome<any> | Acknowledgement> {
    // `any`: the first signature takes a call or a type that no call has. The result codec of the tool stands behind the type that the call carries.
    return this.#calls.execute(call, options)
  }

  /**
   * Runs an agent whose tools the session has. Its calls of streaming tools are the session's: the model is told the
   * acknowledgement, and they go on when the run has ended. What they come to is told to a run, this one before its next
   * step or a later one before its first, as one message of the user's each. Never rejects: a run that the
   * session does not take is a failed one whose `error.cause` is a `SessionError` (`closing`, `closed`, `superseded`,
   * `unknown_namespace` where the session does not have the agent's tools).
   *
   * @param input the user's words, or the conversation so far
   * @throws {TypeError} for what is no registered agent.
   *
   * @example
   * const { result, messages } = await session.run(support, 'Build the report of 2026.', { env: { approval } })
   */
  run<AgentEnv>(
    agent: BoundAgent<AgentEnv>,
    input: WithoutOptions<RunInput, never, AgentEnv>,
    options?: PlainSessionRunOptions,
  ): RunHandle
  run<AgentEnv, ConfigEnv = unknown>(
    agent: BoundAgent<AgentEnv>,
    input: RunInput,
    options: SessionRunOptionsFor<AgentEnv, ConfigEnv>,
  ): RunHandle
  run(agent: BoundAgent<any>, input: any, options: object = {}): RunHandle {
    requireAgent('run', agent)
    // `any`: what the agent's layers need is in the type of the options.
    return startRun(agent.runnable, input, this.#runs.options(agent.runnable, options))
  }

  /**
   * Goes on with a run that was suspended in this session, as `resume` of the agent does; see {@link Session.run}. One of
   * another session is refused with `other_session`.
   */
  resume<AgentEnv>(
    agent: BoundAgent<AgentEnv>,
    suspension: WithoutOptions<RunSuspension, never, AgentEnv>,
    answers: Answers,
    options?: PlainSessionRunOptions,
  ): RunHandle
  resume<AgentEnv, ConfigEnv = unknown>(
    agent: BoundAgent<AgentEnv>,
    suspension: RunSuspension,
    answers: Answers,
    options: SessionRunOptionsFor<AgentEnv, ConfigEnv>,
  ): RunHandle
  resume(agent: BoundAgent<any>, suspension: any, answers: Answers, options: object = {}): RunHandle {
    requireAgent('resume', agent)
    return resumeRun(
      agent.runnable,
      { suspension, answers },
      this.#runs.options(agent.runnable, options, { of: suspension }),
    )
  }

  /** All that nobody has taken, in order of arrival. Takes nothing. */
  poll(): readonly SessionEntry[] {
    return this.#journal.entries
  }

  /**
   * Takes all that there is, of calls under way too. What is given here is given nowhere else, and was taken out of a durable
   * store before; where the store fails it stays.
   *
   * @throws {SessionError} `store_failed`.
   */
  consume({ runs = false }: ConsumeOptions = {}): Promise<readonly SessionEntry[]> {
    return this.#journal.consume(({ isRun }) => isRun === runs)
  }

  /** Takes the calls that have ended, with their updates, in the order in which they ended; see `consume`. */
  async consumeCompleted({ runs = false }: ConsumeOptions = {}): Promise<readonly CompletedCall[]> {
    return completedCalls(await this.#journal.consume(({ isRun, kind }) => kind === 'completed' && isRun === runs))
  }

  /**
   * What a model is told of a call that has ended after it was acknowledged, as runs are told it: for loops of your own,
   * and for other frameworks.
   *
   * @example
   * for (const { completion } of await session.consumeCompleted()) messages.push(session.message(completion))
   */
  message(completion: SessionCompletion): ChatMessage {
    return lateMessage(completion, (tool) => this.tools.find(({ id }) => id === tool)?.toolName)
  }

  /** Whether a call is under way whose result is still to come. */
  hasPending(): boolean {
    return this.#journal.running.size > 0
  }

  /** The calls under way whose result is still to come, in the order in which they began. */
  pending(): readonly StoredCall[] {
    return [...this.#journal.running.values()].map((call) => call.stored())
  }

  /**
   * Cancels a call of a streaming tool that was acknowledged. Its result, a failure with reason `cancelled`, comes like any
   * other.
   *
   * @returns whether the call was under way
   */
  cancel(callId: string, reason = 'the call was cancelled'): boolean {
    const call = this.#journal.running.get(callId)
    if (call === undefined || call.hasEnded) return false
    call.abort(new DOMException(reason, 'AbortError'))
    return true
  }

  /**
   * Every entry from now on, whoever takes it; ends when the session is closed. The session never waits for its
   * subscribers: one that stops reading without `return` keeps what it has not read in memory.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<SessionEntry> {
    return this.#journal.feed.subscribe()
  }
}

/** @throws {TypeError} */
function requireAgent(method: string, agent: unknown): void {
  if (agent instanceof BoundAgent) return
  throw new TypeError(
    `session.${method}: give a registered agent, what registerAgent or a generated register function gave`,
  )
}

/** Entries of calls that have ended, call by call in the order of their ends. */
function completedCalls(entries: readonly SessionEntry[]): readonly CompletedCall[] {
  const updates = new Map<string, SessionUpdate[]>()
  for (const entry of entries) {
    if (entry.kind !== 'update') continue
    const ofCall = updates.get(entry.callId)
    if (ofCall === undefined) updates.set(entry.callId, [entry])
    else ofCall.push(entry)
  }
  return entries
    .filter((entry) => entry.kind === 'completed')
    .map((completion) => ({ completion, updates: updates.get(completion.callId) ?? [] }))
}
