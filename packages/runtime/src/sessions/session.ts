import { BoundAgent, type RunOptions } from '../agents/bound-agent.js'
import type { RunHandle } from '../agents/run-handle.js'
import { type RunnableAgent, resumeRun, startRun } from '../agents/start-run.js'
import type { BoundTools, OptionsWithEnv } from '../call/bound-toolset.js'
import type { CallTracker, Membership } from '../call/call-group.js'
import { type CallTarget, type ResolvedOptions, type RunSession, resolveOptions } from '../call/call-target.js'
import { contentForModel } from '../call/content.js'
import { callRef, rejectCall, startCall } from '../call/execute.js'
import type { RunCallContext } from '../call/nested-run.js'
import { acknowledgedOutcome } from '../call/outcomes.js'
import { callProvenance } from '../call/provenance.js'
import type { ToolTable } from '../call/served-tool.js'
import { peek, ToolFailure } from '../call/tool-failure.js'
import { CHAT_MEDIA, resultContentMessage } from '../chat/result-content.js'
import type { RememberedApproval } from '../types/approval.js'
import type { CallOptions, OptionsFor, WithoutOptions } from '../types/call-options.js'
import type { ChatMessage } from '../types/chat.js'
import type { Acknowledgement, Answers, RunSuspension, StoredOutcome, ToolOutcome } from '../types/outcome.js'
import type { RunInput } from '../types/run.js'
import type { CompletedCall, SessionCompletion, SessionEntry, StoredCall } from '../types/session.js'
import type { AgentToolSpec, FailuresOf, NeedsOf, ResultOf, RuntimeField, ToolCall } from '../types/tool.js'
import type { ConversationRun } from './conversation.js'
import { completedCalls } from './entries.js'
import type { AnyCall, OpenSession } from './open-session.js'
import { SessionError } from './stores.js'

/** Agents and toolsets of a session registry, by name. A name must not be empty or contain a dot. */
export type NamedAgents = Readonly<Record<string, BoundTools<never>>>

/** Name that selects tools of a session: an agent or toolset, one toolset of an agent (`<name>.<toolset>`), or a namespace of the design. */
export type NamespaceOf<Agents extends NamedAgents> =
  | AgentName<Agents>
  | `${AgentName<Agents>}.${string}`
  | DesignNamespaceOf<Agents[AgentName<Agents>]>

export type EnvOfNamespaces<Agents extends NamedAgents, Namespace extends string> = EnvOfTools<
  Agents[AgentOf<Agents, Namespace>]
>

/** Options of a tool call in a session. The session sets `sessionId`. */
export type SessionCallOptions = Omit<CallOptions, 'sessionId'>

/** Options of a run in a session. The session sets `sessionId`. */
export type SessionRunOptions = Omit<RunOptions, 'sessionId'> & {
  /**
   * Set to `false` for a run outside of the conversation. Such a run neither reads nor adds messages of the session, and several of these runs can
   * be in progress. Default: if the registry has the option `conversation`, the run continues the conversation.
   */
  readonly conversation?: false | undefined
}

type AgentName<Agents extends NamedAgents> = keyof Agents & string

type AgentOf<Agents extends NamedAgents, Namespace extends string> =
  Namespace extends AgentName<Agents>
    ? Namespace
    : Namespace extends `${infer Name extends AgentName<Agents>}.${string}`
      ? Name
      : AgentInDesign<Agents, Namespace>

type AgentInDesign<Agents extends NamedAgents, Namespace extends string> = {
  readonly [Name in AgentName<Agents>]: Namespace extends DesignNamespaceOf<Agents[Name]> ? Name : never
}[AgentName<Agents>]

/** Namespaces of the design that the toolsets of an agent declare. Includes `default`, the namespace of toolsets without a declared namespace. */
type DesignNamespaceOf<Tools> =
  | 'default'
  | (Tools extends { readonly '~namespace'?: infer Namespace } ? Extract<Namespace, string> : never)

type EnvOfTools<Tools> = [Tools] extends [BoundTools<infer Env>] ? Env : never

interface ConsumeOptions {
  /**
   * Selects whose calls are included. `true`: entries of calls that runs made. `false`: entries of calls that the application made. Default: `false`.
   */
  readonly runs?: boolean
}

/**
 * Session of one user, created by a `SessionRegistry`. Executes calls of its tools. A call of an ordinary tool returns its outcome. A call of a
 * streaming tool returns an acknowledgement when the tool starts. The updates and the result of a streaming call are called entries. The session
 * stores entries until the application consumes them. `Env` is the type of the option `env` (objects of the application, such as an approver) that
 * the layers of the tools require.
 *
 * After the session was closed, or taken over by another process, calls, `poll` and `consume` fail with a `SessionError`.
 *
 * @example
 * const answer = await session.execute(newBuildReportCall({ year: 2026 }))
 * if (answer.status === 'streaming') showProgress(answer.callId)
 * for (const { completion, updates } of await session.consumeCompleted()) show(completion.outcome, updates)
 */
export class Session<in Env = unknown> implements AsyncIterable<SessionEntry> {
  /** Never set. TypeScript uses this property to compare the `Env` of two sessions. */
  readonly '~env'?: (env: Env) => void
  readonly id: string
  readonly userId: string
  /** Names that select the tools of the session, as set when the session was created. */
  readonly namespaces: readonly string[]
  /** Tools of the session, in the order of the namespaces. Deeply frozen. */
  readonly tools: readonly AgentToolSpec[]
  /** Ids of tools that the stored session had, and that no longer exist. */
  readonly missingTools: readonly string[]
  readonly #open: OpenSession

  constructor(open: OpenSession) {
    this.id = open.id
    this.userId = open.userId
    this.namespaces = open.namespaces
    this.tools = open.tools.specs
    this.missingTools = open.missingTools
    this.#open = open
  }

  /**
   * Executes a call that a generated function created or a model sent. For an ordinary tool, returns the outcome. For a
   * streaming tool, returns an acknowledgement when the tool has started. With a durable store, the start of the call
   * is also stored at this time. If the call ends before the tool starts, for example because of invalid arguments,
   * returns the outcome.
   *
   * The option `signal` applies until this method resolves; the option `deadline` applies until the end of the call. If `signal` is aborted before
   * the acknowledgement, this method returns the outcome immediately, and the session discards the call. If the process ends before the session has
   * stored this change, the restored session contains the call as a failure with the reason `interrupted`.
   *
   * @throws {SessionError} `closing`, `closed`, `superseded`; `store_failed` if the store fails at the start of the call, which is then discarded
   *
   * @example
   * const answer = await session.execute(newGetOrderCall({ orderId: 'A-1001' }))
   */
  execute<Call extends ToolCall<unknown, any>, OwnEnv = Env>(
    call: WithoutOptions<Call, Exclude<NeedsOf<Call>, RuntimeField | 'sessionId'>, OwnEnv>,
  ): Promise<ToolOutcome<ResultOf<Call>, FailuresOf<Call>> | Acknowledgement>
  execute<Call extends ToolCall<unknown, any>, ConfigEnv = unknown, OwnEnv = Env>(
    call: Call,
    options: OptionsWithEnv<
      OptionsFor<Exclude<NeedsOf<Call>, 'sessionId'>, SessionCallOptions>,
      Env,
      ConfigEnv,
      OwnEnv,
      Exclude<NeedsOf<Call>, RuntimeField | 'sessionId'>
    >,
  ): Promise<ToolOutcome<ResultOf<Call>, FailuresOf<Call>> | Acknowledgement>
  execute(call: any, options: object = {}): Promise<ToolOutcome<any> | Acknowledgement> {
    // `any`: the overloads have the precise types.
    return this.#open.execute(call, options)
  }

  /**
   * Runs an agent in the session. The session must have all tools of the agent. If the run calls a streaming tool, the model reads the
   * acknowledgement, and the call can continue after the end of the run. When the call has ended, the session adds its result to the messages as a
   * user message: before a later step of this run, or before the first step of a later run. Never rejects. If the session does not accept the run,
   * the run fails, and `error.cause` is a `SessionError` (`closing`, `closed`, `superseded`, or `unknown_namespace` if tools are missing).
   *
   * If the registry has the option `conversation`, the run continues with the earlier messages of the session, and adds its own messages. In this
   * case, pass only new messages. Only one such run can be in progress: a second run fails with the code `run_in_progress`. The messages of failed,
   * cancelled and suspended runs remain in the conversation; {@link Session.resume} replaces the responses of waiting calls. If a durable store
   * cannot store the calls of a step, the run fails with the code `store_failed` and does not execute these calls.
   *
   * In nested runs, a streaming tool returns its result instead of an acknowledgement.
   *
   * @param input the user's message, or messages
   * @throws {TypeError} if `agent` is not a registered agent
   *
   * @example
   * const { result, messages } = await session.run(support, 'Build the report of 2026.', { env: { approval } })
   */
  run<AgentEnv>(agent: BoundAgent<AgentEnv>, input: WithoutOptions<RunInput, never, AgentEnv>): RunHandle
  run<AgentEnv, ConfigEnv = unknown>(
    agent: BoundAgent<AgentEnv>,
    input: RunInput,
    options: OptionsWithEnv<SessionRunOptions, AgentEnv, ConfigEnv, AgentEnv>,
  ): RunHandle
  run(agent: BoundAgent<any>, input: any, options: object = {}): RunHandle {
    requireAgent('run', agent)
    // `any`: the overloads have the precise types.
    return startRun(agent.runnable, input, runOptions(this.#open, agent.runnable, options))
  }

  /**
   * Resumes a run that was suspended in this session; see {@link BoundAgent.resume} and {@link Session.run}. If the
   * suspension is from another session, the resumed run fails with a `SessionError` with the code `other_session`.
   */
  resume<AgentEnv>(
    agent: BoundAgent<AgentEnv>,
    suspension: WithoutOptions<RunSuspension, never, AgentEnv>,
    answers: Answers,
  ): RunHandle
  resume<AgentEnv, ConfigEnv = unknown>(
    agent: BoundAgent<AgentEnv>,
    suspension: RunSuspension,
    answers: Answers,
    options: OptionsWithEnv<SessionRunOptions, AgentEnv, ConfigEnv, AgentEnv>,
  ): RunHandle
  resume(agent: BoundAgent<any>, suspension: any, answers: Answers, options: object = {}): RunHandle {
    requireAgent('resume', agent)
    const own = runOptions(this.#open, agent.runnable, options, { suspension })
    return resumeRun(agent.runnable, { suspension, answers }, own)
  }

  /**
   * Conversation of the session without instructions, oldest message first. The history is valid: every call has a response. Changes at the end of
   * each step of a run. If the registry does not have the option `conversation`, contains only the messages that a stored session already had.
   */
  get messages(): readonly ChatMessage[] {
    return this.#open.journal.conversation.messages
  }

  /**
   * Removes all messages of the conversation, from memory and from the store.
   *
   * @throws {SessionError} `run_in_progress`, `closed`, `superseded`; `store_failed`, after which the messages are unchanged
   */
  clearMessages(): Promise<void> {
    return this.#open.clearMessages()
  }

  /**
   * Approvals that the session remembers for later calls, oldest first. Includes approvals for calls of nested agents. To add an approval, an
   * approver returns an `Approval` with the property `remember`.
   */
  get approvals(): readonly RememberedApproval[] {
    return this.#open.journal.approvals
  }

  /**
   * Removes remembered approvals, so that later calls need an approval again.
   *
   * @param tool tool id, e.g. `payments.refundPayment`. Default: all tools
   * @throws {SessionError} `closed`, `superseded`; `store_failed`, after which the approvals are unchanged
   */
  forgetApprovals(tool?: string): Promise<void> {
    return this.#open.journal.forgetApprovals(tool)
  }

  /** Returns all unconsumed entries (updates and results), in order of arrival. Does not remove the entries. */
  poll(): readonly SessionEntry[] {
    return this.#open.journal.entries
  }

  /**
   * Removes and returns the entries (updates and results) of calls that the application made, including the updates of running calls. With
   * `runs: true`, removes and returns the entries of calls that runs made. Each entry is returned only once. With a durable store, the session
   * deletes the entries in the store before it returns the entries. If the store fails, the entries remain in the session.
   *
   * @throws {SessionError} `store_failed`
   */
  consume({ runs = false }: ConsumeOptions = {}): Promise<readonly SessionEntry[]> {
    return this.#open.journal.consume(({ isRun }) => isRun === runs)
  }

  /**
   * Removes and returns the results of ended calls with their updates, in the order in which the calls ended. For the option `runs`, errors and
   * durable stores, see {@link Session.consume}.
   */
  async consumeCompleted({ runs = false }: ConsumeOptions = {}): Promise<readonly CompletedCall[]> {
    const entries = await this.#open.journal.consume(({ isRun, kind }) => kind === 'completed' && isRun === runs)
    return completedCalls(entries)
  }

  /**
   * Returns a chat message that contains the result of a streaming call. Runs add this message to the conversation automatically. Use this
   * method in your own loops and with other frameworks.
   *
   * @example
   * for (const { completion } of await session.consumeCompleted()) messages.push(session.message(completion))
   */
  message(completion: SessionCompletion): ChatMessage {
    return completionMessage(
      completion,
      this.tools.find(({ id }) => id === completion.tool),
    )
  }

  /** Returns `true` if at least one streaming call has no result yet. */
  hasPending(): boolean {
    return this.#open.journal.running.size > 0
  }

  /** Returns the streaming calls without a result, in the order in which they started. */
  pending(): readonly StoredCall[] {
    return [...this.#open.journal.running.values()].map((call) => call.stored())
  }

  /**
   * Cancels a running streaming call. A cancelled call fails with the reason `cancelled`.
   *
   * @returns `true` if the call was running; `false` if no running call has this id
   */
  cancel(callId: string, reason = 'The call was cancelled.'): boolean {
    const call = this.#open.journal.running.get(callId)
    if (call === undefined || call.hasEnded) return false
    call.abort(new DOMException(reason, 'AbortError'))
    return true
  }

  /**
   * Iterates over all new entries (updates and results), including entries that the application consumes in the meantime. The iteration ends when the
   * session is closed. The session does not wait for slow readers, so entries that an iterator has not read yet remain in memory.
   */
  [Symbol.asyncIterator](): AsyncIterableIterator<SessionEntry> {
    return this.#open.journal.feed.subscribe()
  }
}

function requireAgent(method: string, agent: unknown): void {
  if (agent instanceof BoundAgent) return
  throw new TypeError(
    `session.${method} expects a registered agent: the result of registerAgent or of a generated register function.`,
  )
}

function runOptions(
  open: OpenSession,
  { target: { table } }: RunnableAgent,
  options: object,
  resumed?: { readonly suspension: unknown },
): ResolvedOptions {
  const { id: sessionId, tools } = open
  const given = resolveOptions(options)
  const missing = table.served.find(({ tool }) => tools.find(tool.id)?.served.tool !== tool)?.tool
  const isElsewhere = resumed !== undefined && peek(resumed.suspension, 'sessionId') !== sessionId
  const error =
    open.refusal ??
    given.error ??
    (missing &&
      new SessionError(
        'unknown_namespace',
        `The session '${sessionId}' does not have the agent's tool '${missing.id}'. Run an agent of the registry, and open the session with the name of the agent as a namespace.`,
      )) ??
    (isElsewhere
      ? new SessionError(
          'other_session',
          `The run was not suspended in the session '${sessionId}'. Resume it in the session in which it was suspended.`,
        )
      : undefined)
  if (error !== undefined) return { ...given, sessionId, error }
  try {
    const isOutside = peek(options, 'conversation') === false
    const conversation = isOutside ? undefined : open.startConversationRun()
    const session = new RunInSession(open, table, conversation, isOutside)
    return { ...given, sessionId, calls: open.runs, session, confirm: open.confirm, approvals: open.journal }
  } catch (inProgress) {
    return { ...given, sessionId, error: inProgress }
  }
}

/** The session, not the run, owns the streaming calls that a run starts. These calls can therefore continue after the end of the run. */
class RunInSession implements RunSession {
  readonly #open: OpenSession
  readonly #table: ToolTable
  readonly #isOutside: boolean
  readonly conversation: ConversationRun | undefined

  constructor(open: OpenSession, table: ToolTable, conversation: ConversationRun | undefined, isOutside: boolean) {
    this.#open = open
    this.#table = table
    this.#isOutside = isOutside
    this.conversation = conversation
  }

  async start(target: CallTarget, call: AnyCall, options: ResolvedOptions, run: RunCallContext): Promise<ToolOutcome> {
    const served = target.table.find(call.tool)
    if (served === undefined) return startCall(target, call, options, run)
    const { effects, calls: ofRuntime } = target.context
    // The step of the run tracks the call until the acknowledgement. The runtime tracks the call until the call ends.
    let inStep: Membership | undefined
    const leaveStep = (): void => {
      if (inStep !== undefined) run.calls.leave(inStep)
      inStep = undefined
    }
    const calls: CallTracker = {
      enter: (running) => {
        inStep = run.calls.enter(running)
        return ofRuntime.enter(running)
      },
      leave: (membership) => {
        ofRuntime.leave(membership)
        leaveStep()
      },
    }
    const events = run.events?.lasting()
    const lasting = { ...run, calls, events, parent: { ...run.parent, events } }
    try {
      const startedAt = effects.now()
      const answer = await this.#open.startStreaming({ served, target, call, isRun: true }, (named, more) =>
        startCall(target, named, { ...options, ...more }, lasting),
      )
      if (answer.status !== 'streaming') return answer
      const cost = { durationMs: Math.max(0, effects.now() - startedAt), attempts: 1 }
      const provenance = callProvenance(served.tool.id, undefined, cost, served.tool.spec.reads)
      const ref = callRef(call, options, served.tool.id, answer.toolCallId ?? answer.callId)
      return acknowledgedOutcome(ref, provenance, answer)
    } catch (error) {
      const failure = new ToolFailure('The call was not started, because it could not be stored.', {
        reason: 'unavailable',
        cause: error,
      })
      return rejectCall(target, call, failure)
    } finally {
      leaveStep()
    }
  }

  late(
    before: readonly ChatMessage[],
    accept: (messages: readonly ChatMessage[]) => boolean,
  ): Promise<void> | undefined {
    const { journal } = this.#open
    // If this agent does not have a tool, results of this tool remain for the runs of other agents.
    const isOurs = ({ kind, isRun, tool }: SessionEntry): boolean =>
      kind === 'completed' &&
      isRun &&
      (this.#table.find(tool) !== undefined || this.#open.tools.find(tool) === undefined)
    // A run outside of the conversation does not read the results.
    if (this.#isOutside || !journal.has(isOurs)) return undefined
    const messages = (entries: readonly SessionEntry[]): readonly ChatMessage[] =>
      entries
        .filter((entry) => entry.kind === 'completed')
        .map((entry) => completionMessage(entry, this.#table.find(entry.tool)?.tool.spec))
    const ignore = (): void => undefined
    let delivered: readonly ChatMessage[] = []
    // Moves the results to the conversation in one write, so that a crash cannot lose them.
    const move = (entries: readonly SessionEntry[]): (() => void) => {
      delivered = messages(entries)
      this.conversation?.deliver([...before, ...delivered])
      return () => this.conversation?.deliver(before)
    }
    // If the store fails, the results are delivered later.
    return journal.consume(isOurs, () => accept(delivered), move).then(ignore, ignore)
  }
}

function completionMessage(
  { callId, toolCallId, tool, outcome }: SessionCompletion,
  spec: AgentToolSpec | undefined,
): ChatMessage {
  const ids = toolCallId === undefined || toolCallId === callId ? `'${callId}'` : `'${callId}' ('${toolCallId}')`
  const ended = outcome.status === 'completed' ? 'has ended. Its result:' : `has ${outcome.status}:`
  const { text, parts } = jsonForModel(outcome)
  const content = `The call ${ids} of the tool '${spec?.toolName ?? tool}' ${ended}\n${text}`
  return Object.freeze(parts.length === 0 ? { role: 'user', content } : resultContentMessage(content, parts))
}

/** Encodes the text as JSON, so that a model cannot confuse the text of a tool with a message of the user. */
function jsonForModel(outcome: StoredOutcome): ReturnType<typeof contentForModel> {
  try {
    const rendered = contentForModel(outcome, CHAT_MEDIA)
    return outcome.status === 'completed' ? rendered : { ...rendered, text: JSON.stringify(rendered.text) }
  } catch {
    // A custom store may return anything.
    return { text: '"The result cannot be shown."', parts: [] }
  }
}
