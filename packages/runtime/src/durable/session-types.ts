import { type ConversationOptions, conversationLimits } from '../sessions/conversation.js'
import type { EntryLimits } from '../sessions/entries.js'
import type { RememberedApproval } from '../types/approval.js'
import type { ChatMessage } from '../types/chat.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { Acknowledgement, StoredOutcome } from '../types/outcome.js'
import type { RunInput } from '../types/run.js'
import type { CompletedCall, SessionEntry, StoredCall } from '../types/session.js'
import type { MetaField, ToolCall } from '../types/tool.js'

/** Options of the sessions of durable agents. All workers must have the same options. */
export interface DurableSessionsOptions {
  /**
   * If set, each session keeps the messages of its runs, and each run continues this conversation. `true` for the default limits. Default:
   * sessions keep no messages.
   */
  readonly conversation?: true | ConversationOptions | undefined
  /** Maximum number of unconsumed updates of one call. If there are more, the oldest are dropped. Default: 1,000. */
  readonly maxUpdatesPerCall?: number
  /**
   * Maximum size of the unconsumed entries of a session in bytes. At the limit, calls drop their oldest updates, and new calls of streaming
   * tools fail with the reason `unavailable`. Default: 8,000,000.
   */
  readonly maxBytes?: number
}

/** Validated options of the sessions. */
export interface SessionSettings extends EntryLimits {
  /** Limits of the conversation; `undefined` if runs continue no conversation. */
  readonly conversation: ReturnType<typeof conversationLimits>
}

/**
 * Validates the options of the sessions.
 *
 * @throws {TypeError} if `conversation` is neither `true` nor an object.
 * @throws {RangeError} if a limit is not an integer, or is too small.
 */
export function sessionSettings({
  conversation,
  maxUpdatesPerCall = 1_000,
  maxBytes = 8_000_000,
}: DurableSessionsOptions = {}): SessionSettings {
  for (const [name, value] of Object.entries({ maxUpdatesPerCall, maxBytes })) {
    if (Number.isInteger(value) && value >= 1) continue
    throw new RangeError(`durableAgents: sessions.${name} is ${value}. Expected an integer of at least 1.`)
  }
  return { conversation: conversationLimits('durableAgents: sessions', conversation), maxUpdatesPerCall, maxBytes }
}

/** Options of `DurableClient.openSession`: the user, and the tools of the session. */
export interface DurableSessionOptions {
  /** Id of the authenticated user. The session must belong to this user. */
  readonly userId: string
  /**
   * Names of the agents and toolsets whose tools the session has, as for `SessionRegistry.open`. Absent to open only an existing session.
   */
  readonly namespaces?: readonly string[] | undefined
}

/** Options of a call in a durable session: ids, labels, and data for the workers. */
export interface DurableCallOptions {
  /**
   * Id of the call, unique in the session. A repeated request with the same id returns the result of the same call. Sessions know the ids of
   * running calls and of the last 1,000 ended calls and runs. Default: a random id.
   */
  readonly callId?: string | undefined
  /** Id of the conversation turn. Default: none. */
  readonly turnId?: string | undefined
  /** Labels for the metadata of the call. Default: none. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** JSON value that the option `env` of `durableAgents` receives in a worker. Default: none. */
  readonly data?: JsonValue | undefined
}

/** Options of a run in a durable session: ids, labels, data, and whether it continues the conversation. */
export interface DurableSessionRunOptions extends Omit<DurableCallOptions, 'callId'> {
  /** Id of the run, without `/`. A repeated request with the same id starts no second run. Default: a random id. */
  readonly runId?: string | undefined
  /** `false` to run outside of the conversation. Default: the run continues the conversation, if the sessions have one. */
  readonly conversation?: false | undefined
}

/** Options of a request that removes entries: the id of the request. */
export interface DurableConsumeOptions {
  /**
   * Id of the request, unique in the session. If the response was lost, a repeated request with the same id returns the same entries.
   * Default: a random id.
   */
  readonly requestId?: string | undefined
}

/**
 * Session of one user whose state is kept by a durable engine. Any number of processes can use it at the same time: the engine executes the
 * requests of one session one after another. Calls and runs are durable.
 *
 * Methods fail with a `SessionError` (`unknown_session`, `wrong_user`, `closed`) or a {@link DurableError} (`engine_unreachable`).
 *
 * @example
 * const session = await runs.openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
 * const { runId } = await session.run('support', 'Where is my order?')
 * const { result } = await runs.result(runId)
 */
export interface DurableSession {
  readonly id: string
  readonly userId: string
  /** Namespaces with which the session was created. */
  readonly namespaces: readonly string[]
  /**
   * Executes a call. For an ordinary tool, waits for the outcome. For a streaming tool, returns an acknowledgement when the call is stored; its
   * updates and its outcome become entries of the session, also if the call is rejected.
   *
   * @throws {SessionError} `closed`.
   * @throws {DurableError} `run_parked` if the engine no longer starts the call again.
   *
   * @example
   * const outcome = await session.execute(newGetOrderCall({ orderId: 'A-1001' }))
   */
  // `any` as needs: labels and the other fields are checked when the call runs.
  execute(call: ToolCall<unknown, any>, options?: DurableCallOptions): Promise<StoredOutcome | Acknowledgement>
  /**
   * Starts a durable run that continues the conversation of the session. Pass only new messages. Wait for the run with `runs.result(runId)`.
   *
   * @param agent name of the agent. The session must have all its tools
   * @throws {SessionError} `run_in_progress` if another run continues the conversation, `unknown_namespace`, `closed`.
   * @throws {DurableError} `unknown_agent`; `duplicate_run` if a run with this id was started elsewhere.
   */
  run(agent: string, input: RunInput, options?: DurableSessionRunOptions): Promise<{ readonly runId: string }>
  /** Returns the conversation up to the end of the last run, the oldest message first. */
  messages(): Promise<readonly ChatMessage[]>
  /**
   * Removes all messages of the conversation.
   *
   * @throws {SessionError} `run_in_progress`.
   */
  clearMessages(): Promise<void>
  /**
   * Returns the approvals that cover later calls and runs of the session, the oldest first. Approvers add them with `remember`, see `Approval`.
   * A run or call uses the approvals that the session had at its start, and those of its own approvers.
   */
  approvals(): Promise<readonly RememberedApproval[]>
  /**
   * Removes remembered approvals, so that later calls and runs need an approval again.
   *
   * @param tool tool id, e.g. `payments.refundPayment`. Default: all tools
   */
  forgetApprovals(tool?: string): Promise<void>
  /** Returns all entries that were not consumed yet, in order of arrival. Does not remove them. */
  poll(): Promise<readonly SessionEntry[]>
  /** Removes and returns all entries, including the updates of running calls. Each entry is returned to only one request. */
  consume(options?: DurableConsumeOptions): Promise<readonly SessionEntry[]>
  /** Removes and returns the results of ended calls with their updates, in the order in which the calls ended. */
  consumeCompleted(options?: DurableConsumeOptions): Promise<readonly CompletedCall[]>
  /** Returns the streaming calls that have no result yet, in the order in which they started. */
  pending(): Promise<readonly StoredCall[]>
  /** Cancels a running call. The call then fails with the reason `cancelled`. Returns `false` if there is no running call with this id. */
  cancel(callId: string): Promise<boolean>
  /**
   * Iterates over the entries of the session, each once and in the order of `sequence`, also if they are consumed in the meantime. Ends when
   * the session is closed or deleted.
   *
   * @param options `after`: number of the last entry that the subscriber has read. Default: the last entry of the session
   * @throws {SessionError} `entries_expired` if later entries are no longer kept.
   */
  subscribe(options?: { readonly after?: number }): AsyncIterable<SessionEntry>
  /**
   * Rejects further calls and runs until the session is opened again. Running calls and runs continue.
   *
   * @param options `cancel`: `true` to cancel running calls and runs. Default: `false`
   */
  close(options?: { readonly cancel?: boolean }): Promise<void>
  /** Deletes the session with its entries and messages, and cancels its running calls and runs. */
  delete(): Promise<void>
}

/** Message of an invocation to its session. The session ignores messages of calls and runs that it does not have. */
export type SessionMessage =
  | {
      readonly kind: 'updates'
      readonly callId: string
      readonly updates: readonly { readonly index: number; readonly update: JsonText }[]
    }
  | { readonly kind: 'call ended'; readonly callId: string; readonly outcome: StoredOutcome }
  | {
      readonly kind: 'run ended'
      readonly runId: string
      readonly messages: readonly ChatMessage[]
      /** Pseudonyms of the session with their values, as in `DurableInput`. Absent without any. */
      readonly sensitive?: string
    }
  | { readonly kind: 'approvals'; readonly approvals: readonly RememberedApproval[] }

/** Request of a client that changes a session. */
export type SessionCommand = {
  readonly userId: string
  /** Time of the request in milliseconds since the Unix epoch. */
  readonly at: number
} & (
  | { readonly kind: 'open'; readonly namespaces?: readonly string[] }
  | ({
      readonly kind: 'execute'
      readonly callId: string
      readonly call: ToolCall<unknown, MetaField>
    } & Omit<DurableCallOptions, 'callId'>)
  | ({
      readonly kind: 'run'
      readonly runId: string
      readonly agent: string
      readonly input: RunInput
      readonly isOutside: boolean
      /** True if the engine already has a run with the id `runId`. */
      readonly isUsed: boolean
    } & Omit<DurableCallOptions, 'callId'>)
  | { readonly kind: 'consume'; readonly isCompleted: boolean }
  | { readonly kind: 'cancel'; readonly callId: string }
  | { readonly kind: 'clear messages' }
  | { readonly kind: 'forget approvals'; readonly tool?: string }
  | { readonly kind: 'close'; readonly cancel: boolean }
  /** Ends a call or a run whose invocation was killed, so that it sends no result. */
  | { readonly kind: 'release'; readonly id: string }
  | { readonly kind: 'delete' }
)

/** Request of a client that reads a session and changes nothing. */
export type SessionRead = { readonly userId: string } & (
  | { readonly kind: 'poll' | 'pending' | 'messages' | 'approvals' }
  /** Entries after a position. Without `after`, only returns the current position. */
  | { readonly kind: 'entries'; readonly after?: number }
)

/** Reply to a {@link SessionRead} of entries: the entries after a position. */
export interface SessionEntriesPage {
  readonly entries: readonly SessionEntry[]
  /** Number of the last entry of the page, or the requested position. */
  readonly position: number
  /** True if no entries follow, because the session is closed. */
  readonly isClosed: boolean
}
