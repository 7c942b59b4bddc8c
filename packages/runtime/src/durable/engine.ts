import type { RememberedApproval } from '../types/approval.js'
import type { ChatMessage } from '../types/chat.js'
import type { JsonValue } from '../types/json.js'
import type { Answers, DataSource, RunSuspension, StoredOutcome } from '../types/outcome.js'
import type { AgentRun, RunEvent, RunInput } from '../types/run.js'
import type { MetaField, ToolCall } from '../types/tool.js'
import type { DurableSession, DurableSessionOptions, SessionMessage } from './session-types.js'

/**
 * One invocation of a durable engine: a function that the engine starts again after a crash, with a journal of the
 * results so far. To support another engine, implement this interface, call `runInvocation` in each attempt, and
 * implement {@link DurableClient}.
 *
 * An invocation must be repeatable: with the same journal, each attempt calls these methods in the same order and with
 * the same arguments. `runInvocation` does this. The engine delivers the results of steps, waits and invocations one
 * after another, in an order that each attempt repeats. After each delivery, the engine lets the event loop turn, so
 * that the next calls begin before the next delivery.
 */
export interface DurableInvocation {
  /** Id of the run. The same in all attempts. */
  readonly id: string
  /** Id of this attempt. No two attempts have the same id. */
  readonly attempt: string
  /** Signal that is aborted when the invocation is cancelled. A cancelled invocation ends with a result, too. */
  readonly signal: AbortSignal
  /**
   * Runs `work` and records its result. A later attempt returns the recorded result and does not run `work`. Steps may overlap. `work`
   * never rejects. The promise never rejects either: if the invocation is cancelled, `signal` ends `work`, and the step waits for it. If the
   * engine knows of a cancellation, it aborts `signal` before it runs `work`.
   *
   * @param name name of the step for people. Engines do not compare names
   */
  step(name: string, work: () => Promise<JsonValue>): Promise<JsonValue>
  /** Waits for a time in milliseconds. The remaining time survives a crash. Returns early if the invocation is cancelled. */
  sleep(milliseconds: number): Promise<void>
  /**
   * Publishes that the run is suspended, and waits for the answer that a client sent for `suspension.id`. Returns `undefined` if the
   * invocation is cancelled first.
   */
  answer(suspension: RunSuspension): Promise<Answers | undefined>
  /**
   * Runs an agent as a separate invocation, and returns its result. The engine cancels this invocation together with its parent. A later
   * attempt waits for the same invocation.
   *
   * @param id id of the invocation, unique in the engine
   * @param input input of that invocation
   */
  invoke(agent: string, id: string, input: DurableInput): Promise<DurableResult>
  /** Cancels an invocation that `invoke` has started. Has no effect if that invocation has ended or is cancelled already. */
  cancel(id: string): void
  /**
   * Appends events to the log of the run. Later attempts publish the same events again. The engine ignores events whose positions are
   * already in the log.
   *
   * @param position position of the first of these events in the log, from 1
   */
  publish(position: number, events: readonly RunEvent[]): void
  /**
   * Sends a message to a session, without waiting for its effect. The session receives the message exactly once, also if later attempts send it
   * again, and receives the messages of an invocation in their order. Has no effect if there is no such session.
   */
  tell(sessionId: string, message: SessionMessage): void
}

/** Options of a durable run: ids, labels, and data for the workers. */
export interface DurableRunOptions {
  /** Id of the run, without `/`. An id can be used only once. Default: a random id. */
  readonly runId?: string | undefined
  /** Id of the user's session. Default: none. */
  readonly sessionId?: string | undefined
  /** Id of the conversation turn. Default: none. */
  readonly turnId?: string | undefined
  /** Labels for the metadata of the run, for example `{ tenant: 'acme' }`. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** JSON value that the option `env` of {@link DurableAgentsOptions} receives in a worker. Default: none. */
  readonly data?: JsonValue | undefined
}

/** Input of an invocation, as JSON. Clients of an engine create it from the arguments of {@link DurableClient.start}. */
export interface DurableInput extends Omit<DurableRunOptions, 'runId'> {
  /** Version of the format of this object. */
  readonly version: 1
  /** Name of the agent that runs. */
  readonly agent: string
  /** Input of a new run. Absent if `resume` is present. */
  readonly input?: RunInput
  /** Suspended nested run that continues, with the answers to its calls. Absent for a new run. */
  readonly resume?: { readonly suspension: RunSuspension; readonly answers: Answers }
  /** Call of another agent whose result this run produces. Absent if no other agent started the run. */
  readonly parent?: DurableParent
  /** Id of the user of the durable session to which the run belongs. Absent for a run outside durable sessions. */
  readonly userId?: string
  /** Approvals that the session remembered when the run started. Absent without any. */
  readonly approvals?: readonly RememberedApproval[]
  /** Pseudonyms of the parent run or the session, with their values. Encrypted if the runtime has a cipher. Absent without any. */
  readonly sensitive?: string
}

/** Input of an invocation that executes a call of a durable session, as JSON. */
export interface DurableCall extends Omit<DurableRunOptions, 'runId'> {
  /** Version of the format of this object. */
  readonly version: 1
  readonly sessionId: string
  readonly userId: string
  readonly namespaces: readonly string[]
  readonly callId: string
  readonly call: ToolCall<unknown, MetaField>
  /** Approvals that the session remembered when the call started. Absent without any. */
  readonly approvals?: readonly RememberedApproval[]
  /** Pseudonyms of the session with their values, as in {@link DurableInput}. Absent without any. */
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
  /** Id of the nested run. It differs from the id of the invocation if a suspended run continues. */
  readonly runId: string
  /** Id of the run whose call started this run. Absent for runs that an earlier version of the runtime started. */
  readonly parentRunId?: string
  /** Names of the agents whose runs contain this run, the outermost first. */
  readonly agents: readonly string[]
  /** Id of the tool whose result the run produces. The last agent in `agents` has called it. */
  readonly tool: string
  /** Id of the call whose result the run produces. */
  readonly toolCallId: string
  /** Maximum depth of nested agents, counted from the outermost run. */
  readonly maxDepth: number
  /** Token limit of the nearest parent that has one, and its usage so far. Absent if no parent has a token limit. */
  readonly tokens?: { readonly limit: number; readonly used: number }
  /** Cost limit of the nearest parent that has one, and its cost so far. Absent if no parent has a cost limit. */
  readonly cost?: { readonly limit: number; readonly used: number }
  /** Remaining time of the parent runs in milliseconds; absent if they have no time limit. */
  readonly timeLeftMs?: number
  /** True if the result must contain the events of the run. The parent run then publishes them. Default: false. */
  readonly returnsEvents?: boolean
  /** Calls of the parent runs that read private data or untrusted text. Absent without any. */
  readonly sources?: readonly DataSource[]
}

/**
 * Result of a durable run: an `AgentRun` as JSON. Only nested runs can return events; for other runs, use {@link DurableClient.subscribe}.
 */
export interface DurableResult extends Omit<AgentRun, 'outcomes' | 'events' | 'error' | 'messages'> {
  /** Version of the format of this object. */
  readonly version: 1
  /** Complete conversation of the run. */
  readonly messages: readonly ChatMessage[]
  /** Outcomes of the run's calls, in the order of the calls. Their results are JSON text. */
  readonly outcomes: readonly StoredOutcome[]
  /** Error of a failed run; absent otherwise. `retryAfterMs`: time to wait before the next attempt in milliseconds, if it is known. */
  readonly error?: Pick<NonNullable<AgentRun['error']>, 'reason' | 'message' | 'issues'> & {
    readonly retryAfterMs?: number
  }
  /** Time of the end in milliseconds since the Unix epoch. */
  readonly endedAt: number
  /** Events of a nested run. Present only if the parent run requested them. */
  readonly events?: readonly RunEvent[]
  /** Approvals of a nested run that the session must remember. Absent without any. */
  readonly approvals?: readonly RememberedApproval[]
  /** Pseudonyms of the run with their values, as in {@link DurableInput}. Absent without any. */
  readonly sensitive?: string
}

/** Report about a parked run: a run that the engine no longer starts again. */
export interface ParkedReport {
  /** Number of attempts that ended without a result. */
  readonly attempts: number
  /** Code of the error if it was a {@link DurableError}, for example `journal_mismatch`; absent otherwise. */
  readonly code?: DurableErrorCode
  /** Message of the error with which the last attempt failed. */
  readonly message: string
}

/** State of a durable run, as {@link DurableClient.status} returns it. */
export type DurableStatus =
  | { readonly status: 'running' }
  | { readonly status: 'suspended'; readonly suspension: RunSuspension }
  /** The run failed too often, or its journal does not fit the code. */
  | { readonly status: 'parked'; readonly report: ParkedReport }
  | { readonly status: 'ended'; readonly result: DurableResult }

/** Starts, observes, answers and cancels durable runs, from any process. All engines have the same client. */
export interface DurableClient {
  /**
   * Starts a run and returns its id, without waiting for the end of the run.
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
   * Answers a suspension, as `resume` of an agent does. The run continues in a worker.
   *
   * @param suspensionId `suspension.id` of the status
   * @throws {DurableError} `unknown_run`, `run_ended`, `already_answered`, `unknown_suspension` or `engine_unreachable`.
   * @throws {SuspensionError} `wrong_answers` if an answer matches no pending call. The run keeps waiting. Invalid changed arguments of an
   * approval end the run as failed.
   */
  answer(runId: string, suspensionId: string, answers: Answers): Promise<void>
  /**
   * Cancels the run and its nested runs, also if they are parked. Resolves when the engine has accepted the request; the run then ends with
   * the status `cancelled`.
   *
   * @throws {DurableError} `unknown_run`, `run_ended` or `engine_unreachable`.
   */
  cancel(runId: string): Promise<void>
  /**
   * Iterates over the events of a run, and ends when the run ends. The events of a call follow when its outcome is recorded. The events of
   * nested runs are counted separately from those of the run.
   *
   * @param options `from`: position of the first event, from 1. To continue a subscription, 1 plus the number of received events. Default: 1
   * @throws {RangeError} at once if `from` is not an integer of at least 1.
   * @throws {DurableError} `unknown_run`, `run_parked` or `engine_unreachable`, when the events are read.
   */
  subscribe(runId: string, options?: { readonly from?: number }): AsyncIterable<RunEvent>
  /**
   * Opens a session, or creates it. Several processes can open the same session. The user and the namespaces of a session never change.
   *
   * @throws {SessionError} `invalid_id`, `wrong_user`, `other_namespaces`, `unknown_namespace`, `ambiguous_tool`; `unknown_session` if the
   * session does not exist and `namespaces` is absent.
   * @throws {DurableError} `engine_unreachable`.
   */
  openSession(sessionId: string, options: DurableSessionOptions): Promise<DurableSession>
}

/**
 * Code of a {@link DurableError}:
 * - `duplicate_run`: a run with this id was already started;
 * - `unknown_agent`: the workers have no agent with this name;
 * - `unknown_run`: there is no run with this id;
 * - `unknown_suspension`: the run does not wait for an answer to this suspension;
 * - `already_answered`: the suspension was already answered;
 * - `run_ended`: the run has ended;
 * - `run_parked`: the engine no longer starts the run again; see `report`;
 * - `journal_mismatch`: the code of the workers does not fit the journal of the run;
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
 * Thrown by clients of durable engines, and by `runInvocation` if the journal does not fit the code.
 *
 * @example
 * if (isToolgenError(error, 'DurableError') && error.code === 'duplicate_run') return runs.result('r-1')
 */
export class DurableError extends Error {
  override readonly name = 'DurableError'
  readonly code: DurableErrorCode
  /** Id of the run; `undefined` if the error concerns no run. */
  readonly runId: string | undefined
  /** Report of a parked run. Only for `run_parked`. */
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
