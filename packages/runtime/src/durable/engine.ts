import type { RememberedApproval } from '../types/approval.js'
import type { ChatMessage } from '../types/chat.js'
import type { JsonValue } from '../types/json.js'
import type { Answers, DataSource, RunSuspension, StoredOutcome } from '../types/outcome.js'
import type { AgentRun, RunEvent, RunInput } from '../types/run.js'
import type { MetaField, ToolCall } from '../types/tool.js'
import type { DurableSession, DurableSessionOptions, SessionMessage } from './session-types.js'

/**
 * Invocation of a durable engine: the execution of a function that the engine starts again after a crash, with a journal of the results so far.
 * Each start is an attempt. To support another engine, implement this interface, call `runInvocation` in each attempt, and implement {@link
 * DurableClient}.
 *
 * An invocation must be repeatable: with the same journal, each attempt calls these methods in the same order and with the same arguments.
 * `runInvocation` ensures this order. The engine delivers the results of steps, waits and nested invocations one after another. Each attempt
 * receives the results in the same order. After each delivery, the engine waits for a turn of the event loop, so that the invocation calls its
 * next methods before the next delivery.
 */
export interface DurableInvocation {
  /** Id of the invocation, for example the run id that a client chose. All attempts of the invocation have the same id. */
  readonly id: string
  /** Id of this attempt. Every attempt has a different id. */
  readonly attempt: string
  /** Signal that the engine aborts when the invocation is cancelled. Even a cancelled invocation returns a result. */
  readonly signal: AbortSignal
  /**
   * Runs `work` and records its result. A later attempt returns the recorded result and does not run `work`. Steps can run in parallel. Neither
   * `work` nor the returned promise ever rejects. If the invocation is cancelled, the engine aborts `signal` and then waits until `work` has
   * ended. If the invocation is already cancelled, the engine aborts `signal` before it runs `work`.
   *
   * @param name name of the step for logs. Engines do not compare names
   */
  step(name: string, work: () => Promise<JsonValue>): Promise<JsonValue>
  /** Waits for a time in milliseconds. After a crash, the wait continues with the remaining time. Returns early if the invocation is cancelled. */
  sleep(milliseconds: number): Promise<void>
  /**
   * Publishes that the run is suspended. Waits for the answer that a client sends for `suspension.id`. Returns `undefined` if the invocation is
   * cancelled first.
   */
  answer(suspension: RunSuspension): Promise<Answers | undefined>
  /**
   * Runs an agent as a separate invocation, and returns its result. If the parent invocation is cancelled, the engine also cancels the new
   * invocation. A later attempt does not start another invocation, but waits for the first invocation.
   *
   * @param id id of the new invocation, unique in the engine
   * @param input input of the new invocation
   */
  invoke(agent: string, id: string, input: DurableInput): Promise<DurableResult>
  /** Cancels an invocation that `invoke` has started. Has no effect if that invocation has already ended or was already cancelled. */
  cancel(id: string): void
  /**
   * Appends events to the log of the run. Later attempts publish the same events again, so the engine must ignore an event at a position that the log
   * already contains.
   *
   * @param position position of the first event in the log; the log starts at 1
   */
  publish(position: number, events: readonly RunEvent[]): void
  /**
   * Sends a message to a session, and does not wait for the effect of the message. The session receives each message exactly once, even if later
   * attempts send the message again. The session receives the messages of an invocation in the order in which they were sent. Has no effect if
   * the session does not exist.
   */
  tell(sessionId: string, message: SessionMessage): void
}

/** Options of a durable run: ids, labels, and data for the workers. */
export interface DurableRunOptions {
  /** Id of the run, without `/`. Each run needs a different id. Default: a random id. */
  readonly runId?: string | undefined
  /** Id of the user's session, for example for server-owned payload fields. A session with this id need not exist. Default: no session. */
  readonly sessionId?: string | undefined
  /** Id of the conversation turn. Default: no id. */
  readonly turnId?: string | undefined
  /** Labels for the metadata of the run, for example `{ tenant: 'acme' }`. Default: no labels. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** JSON value that a worker (a process that executes runs) passes to the function `env` of {@link DurableAgentsOptions}. Default: no value. */
  readonly data?: JsonValue | undefined
}

/**
 * Input of an invocation, as JSON. The client of an engine creates this input from the arguments of {@link
 * DurableClient.start}.
 */
export interface DurableInput extends Omit<DurableRunOptions, 'runId'> {
  /** Version of the format of this object. */
  readonly version: 1
  /** Name of the agent to run. */
  readonly agent: string
  /** Input of a new run. Absent if `resume` is present. */
  readonly input?: RunInput
  /** Suspended nested run that this invocation continues, and the answers to the pending calls of the nested run. Absent for a new run. */
  readonly resume?: { readonly suspension: RunSuspension; readonly answers: Answers }
  /**
   * Call with which an outer agent started this run. The result of this run becomes the result of the call. Absent if no other agent started the run.
   */
  readonly parent?: DurableParent
  /** User id of the durable session that contains the run. Absent for a run outside durable sessions. */
  readonly userId?: string
  /** Approvals that the session had stored when the run started. Omitted if the session had no approvals. */
  readonly approvals?: readonly RememberedApproval[]
  /**
   * Pseudonyms (replacements of sensitive values) in the parent run or the session, with the original values. Encrypted if the runtime has a
   * cipher. Omitted if no pseudonyms exist.
   */
  readonly sensitive?: string
}

/** Input of an invocation that executes a call in a durable session, as JSON. */
export interface DurableCall extends Omit<DurableRunOptions, 'runId'> {
  /** Version of the format of this object. */
  readonly version: 1
  readonly sessionId: string
  readonly userId: string
  readonly namespaces: readonly string[]
  readonly callId: string
  readonly call: ToolCall<unknown, MetaField>
  /** Approvals that the session had stored when the call started. Omitted if the session had no approvals. */
  readonly approvals?: readonly RememberedApproval[]
  /**
   * Pseudonyms (replacements of sensitive values) in the session, with the original values. Encrypted if the runtime
   * has a cipher. Omitted if no pseudonyms exist.
   */
  readonly sensitive?: string
}

/** Result of an invocation that executes a call, as JSON. */
export interface DurableCallResult {
  /** Version of the format of this object. */
  readonly version: 1
  readonly outcome: StoredOutcome
}

/** Limits and origin of a nested run, as JSON. */
export interface DurableParent {
  /** Id of the nested run, not of its parent. A resumed run keeps this id, but the engine gives each invocation a new id. */
  readonly runId: string
  /** Id of the parent run: the run whose call started this run. Absent if the call did not belong to a run. */
  readonly parentRunId?: string
  /** Names of the agents of all outer runs, outermost agent first. For a call outside a run, the name of the agent that has the called tool. */
  readonly agents: readonly string[]
  /** Id of the tool whose call started this run. The tool belongs to the last agent in `agents`. */
  readonly tool: string
  /** Id of the tool call that started this run. The result of this run becomes the result of the call. */
  readonly toolCallId: string
  /** Maximum nesting depth of agents, counted from the outermost run. */
  readonly maxDepth: number
  /**
   * Token limit of the nearest outer run with a token limit, and the number of tokens that this outer run has used so far. Absent if no outer run has
   * a token limit.
   */
  readonly tokens?: { readonly limit: number; readonly used: number }
  /** Cost limit of the nearest outer run with a cost limit, and the cost of this outer run so far. Absent if no outer run has a cost limit. */
  readonly cost?: { readonly limit: number; readonly used: number }
  /** Remaining time of the outer runs in milliseconds. Absent if the outer runs have no time limit. */
  readonly timeLeftMs?: number
  /**
   * True if the result must contain the events of the run. The parent run then publishes these events. Default: false.
   */
  readonly returnsEvents?: boolean
  /** Calls of all outer runs that read private data or untrusted text. Omitted if the outer runs made no such calls. */
  readonly sources?: readonly DataSource[]
}

/**
 * Result of a durable run: an `AgentRun` as JSON. Contains events only for nested runs. For the events of other runs, use {@link
 * DurableClient.subscribe}.
 */
export interface DurableResult extends Omit<AgentRun, 'outcomes' | 'events' | 'error' | 'messages'> {
  /** Version of the format of this object. */
  readonly version: 1
  /** Complete conversation of the run. */
  readonly messages: readonly ChatMessage[]
  /** Outcomes of the run's calls, in the order of the calls. Each result is a JSON string. */
  readonly outcomes: readonly StoredOutcome[]
  /**
   * Error of a failed run. Absent for other runs. `retryAfterMs` is the time to wait before you start another run, in milliseconds, for example from
   * the header `Retry-After` of a service. Absent if this time is unknown.
   */
  readonly error?: Pick<NonNullable<AgentRun['error']>, 'reason' | 'message' | 'issues'> & {
    readonly retryAfterMs?: number
  }
  /** Time at which the run ended, in milliseconds since the Unix epoch. */
  readonly endedAt: number
  /** Events of a nested run. Present only if the parent run requested the events. */
  readonly events?: readonly RunEvent[]
  /** Approvals of this nested run that the session must store for later calls. Omitted if the run has no such approvals. */
  readonly approvals?: readonly RememberedApproval[]
  /**
   * Pseudonyms (replacements of sensitive values) in the run, with the original values. Encrypted if the runtime has a
   * cipher. Omitted if no pseudonyms exist.
   */
  readonly sensitive?: string
}

/** Report about a parked run. The engine no longer starts this run, for example after too many failed attempts. */
export interface ParkedReport {
  /** Number of attempts that ended without a result. */
  readonly attempts: number
  /** Error code of the latest attempt, for example `journal_mismatch`. Absent if the error was not a {@link DurableError}. */
  readonly code?: DurableErrorCode
  /** Error message of the latest attempt. */
  readonly message: string
}

/** State of a durable run, returned by {@link DurableClient.status}. */
export type DurableStatus =
  | { readonly status: 'running' }
  | { readonly status: 'suspended'; readonly suspension: RunSuspension }
  /** The engine no longer starts the run: too many attempts failed, or the journal of the run does not match the code of the workers. */
  | { readonly status: 'parked'; readonly report: ParkedReport }
  | { readonly status: 'ended'; readonly result: DurableResult }

/**
 * Starts, observes, answers and cancels durable runs. Any process can create a client. All engines have the same
 * interface.
 */
export interface DurableClient {
  /**
   * Starts a run and returns its id. Does not wait for the end of the run.
   *
   * @param agent name of the agent
   * @throws {DurableError} `duplicate_run`, `unknown_agent` or `engine_unreachable`.
   */
  start(agent: string, input: RunInput, options?: DurableRunOptions): Promise<{ readonly runId: string }>
  /**
   * Returns the state of a run.
   *
   * @throws {DurableError} `unknown_run`, `newer_version` or `engine_unreachable`.
   */
  status(runId: string): Promise<DurableStatus>
  /**
   * Waits for the end of the run, and returns its result.
   *
   * @throws {DurableError} `unknown_run`, `run_parked`, `newer_version` or `engine_unreachable`.
   */
  result(runId: string): Promise<DurableResult>
  /**
   * Answers a suspension, like the method `resume` of an agent. The run continues in a worker.
   *
   * @param suspensionId `suspension.id` in the result of `status`
   * @throws {DurableError} `unknown_run`, `run_ended`, `already_answered`, `unknown_suspension` or `engine_unreachable`.
   * @throws {SuspensionError} `wrong_answers` if an answer does not match a pending call. The run remains suspended. This method does not
   * validate arguments that an approver has changed: with invalid arguments, the run is suspended again.
   */
  answer(runId: string, suspensionId: string, answers: Answers): Promise<void>
  /**
   * Cancels the run and its nested runs, even if too many failed attempts have parked (stopped) the runs. Resolves when the engine has accepted the
   * request. The run then ends with the status `cancelled`.
   *
   * @throws {DurableError} `unknown_run`, `run_ended` or `engine_unreachable`.
   */
  cancel(runId: string): Promise<void>
  /**
   * Iterates over the events of a run until the run ends. The engine publishes the events of a call when the journal records the outcome of the call.
   * Each nested run numbers its own events separately, in the property `sequence`.
   *
   * @param options `from`: position of the first event to return. To continue a subscription, pass the number of received events plus 1. Default: 1
   * @throws {RangeError} at once if `from` is not an integer of at least 1.
   * @throws {DurableError} `unknown_run`, `run_parked` or `engine_unreachable`, when the events are read.
   */
  subscribe(runId: string, options?: { readonly from?: number }): AsyncIterable<RunEvent>
  /**
   * Opens an existing session or creates a new session. Several processes can open the same session. The user and the `namespaces` (names that select
   * the tools) of a session never change.
   *
   * @throws {SessionError} `invalid_id`, `wrong_user`, `other_namespaces`, `unknown_namespace`, `ambiguous_tool`; `unknown_session` if the
   * session does not exist and `namespaces` is absent.
   * @throws {DurableError} `engine_unreachable`.
   */
  openSession(sessionId: string, options: DurableSessionOptions): Promise<DurableSession>
}

/**
 * Code of a {@link DurableError}:
 * - `duplicate_run`: a run with this id already exists;
 * - `unknown_agent`: the workers have no agent with this name;
 * - `unknown_run`: no run has this id;
 * - `unknown_suspension`: the run is not waiting for an answer to this suspension;
 * - `already_answered`: the suspension was already answered;
 * - `run_ended`: the run has ended;
 * - `run_parked`: the engine no longer starts the run, for example after too many failed attempts; see `report`;
 * - `journal_mismatch`: the code of the workers does not match the journal of the run;
 * - `newer_version`: a newer version of this package wrote the journal or the result;
 * - `engine_unreachable`: the engine does not respond.
 */
export type DurableErrorCode =
  | 'duplicate_run'
  | 'unknown_agent'
  | 'unknown_run'
  | 'unknown_suspension'
  | 'already_answered'
  | 'run_ended'
  | 'run_parked'
  | 'journal_mismatch'
  | 'newer_version'
  | 'engine_unreachable'

/**
 * Thrown by the clients of durable engines. `runInvocation` also throws this error, for example if the journal does not match the code.
 *
 * @example
 * if (isToolgenError(error, 'DurableError') && error.code === 'duplicate_run') return runs.result('r-1')
 */
export class DurableError extends Error {
  override readonly name = 'DurableError'
  readonly code: DurableErrorCode
  /** Id of the run. `undefined` if the error does not concern a run. */
  readonly runId: string | undefined
  /** Report about a parked run. Present only for the code `run_parked`. */
  readonly report: ParkedReport | undefined

  constructor(
    code: DurableErrorCode,
    message: string,
    {
      runId,
      report,
      cause,
    }: { readonly runId?: string; readonly report?: ParkedReport; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.runId = runId
    this.report = report
  }
}
