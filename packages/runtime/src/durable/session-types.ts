import { type ConversationOptions, conversationLimits } from '../sessions/conversation.js'
import type { EntryLimits } from '../sessions/entries.js'
import type { RememberedApproval } from '../types/approval.js'
import type { ChatMessage } from '../types/chat.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { Acknowledgement, StoredOutcome } from '../types/outcome.js'
import type { RunInput } from '../types/run.js'
import type { CompletedCall, SessionEntry, StoredCall } from '../types/session.js'
import type { MetaField, ToolCall } from '../types/tool.js'

/** Options of the sessions of durable agents. All workers must use the same options. */
export interface DurableSessionsOptions {
  /**
   * If set, each session stores the messages of its runs as a conversation, and each run continues this conversation. Pass `true` for the
   * default limits. Default: sessions store no messages.
   */
  readonly conversation?: true | ConversationOptions | undefined
  /**
   * Maximum number of unconsumed updates of one call. Above this number, the session drops the oldest updates. Default:
   * 1,000.
   */
  readonly maxUpdatesPerCall?: number
  /**
   * Maximum size of the unconsumed entries (updates and results) of a session, in bytes. At this limit, the session drops the oldest updates of
   * its calls, and new calls of streaming tools fail with the reason `unavailable`. Default: 8,000,000.
   */
  readonly maxBytes?: number
}

export interface SessionSettings extends EntryLimits {
  readonly conversation: ReturnType<typeof conversationLimits>
}

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
  /** Id of the authenticated user. This user must own the session. */
  readonly userId: string
  /**
   * Names of the agents and toolsets whose tools the session can call, as in `SessionRegistry.open`. Required for a new session. If you omit
   * this option, the method opens only an existing session.
   */
  readonly namespaces?: readonly string[] | undefined
}

/** Options of a call in a durable session: ids, labels, and data for the workers. */
export interface DurableCallOptions {
  /**
   * Id of the call, unique in the session. A repeated request with the same id returns the result of the same call. A session stores the ids of
   * running calls and of the 1,000 most recently ended calls and runs. Default: a random id.
   */
  readonly callId?: string | undefined
  /** Id of the conversation turn. Default: no id. */
  readonly turnId?: string | undefined
  /** Labels for the metadata of the call. Default: no labels. */
  readonly labels?: Readonly<Record<string, string>> | undefined
  /** JSON value that a worker (a process that executes runs) passes to the function `env` of `durableAgents`. Default: no value. */
  readonly data?: JsonValue | undefined
}

/** Options of a run in a durable session: ids, labels, data, and `conversation`. */
export interface DurableSessionRunOptions extends Omit<DurableCallOptions, 'callId'> {
  /**
   * Id of the run, without `/`. A repeated request with the same id does not start a second run. Default: a random id.
   */
  readonly runId?: string | undefined
  /**
   * Set to `false` for a run that does not belong to the conversation of the session. By default, the run continues the conversation if the
   * option `sessions.conversation` of `durableAgents` is set.
   */
  readonly conversation?: false | undefined
}

/** Options of a request that removes entries: the id of the request. */
export interface DurableConsumeOptions {
  /**
   * Id of the request, unique in the session. If the response was lost, repeat the request with the same id to receive the same entries. Default: a
   * random id.
   */
  readonly requestId?: string | undefined
}

/**
 * Session of one user. A durable engine stores the state of the session. Any number of processes can use the session at the same time: the engine
 * executes the requests of one session one after another. Calls and runs are durable.
 *
 * Methods reject with a `SessionError` (`unknown_session`, `wrong_user`, `closed`) or a {@link DurableError} (`engine_unreachable`).
 *
 * @example
 * const session = await runs.openSession('s-1', { userId: 'u-7', namespaces: ['support'] })
 * const { runId } = await session.run('support', 'Where is my order?')
 * const { result } = await runs.result(runId)
 */
export interface DurableSession {
  readonly id: string
  readonly userId: string
  /** Names that select the tools of the session, for example the name of an agent. Set when the session was created. */
  readonly namespaces: readonly string[]
  /**
   * Executes a call. For an ordinary tool, waits for the outcome. For a streaming tool, returns an acknowledgement when the call is stored. The
   * updates and the outcome of a streaming call become entries of the session, even if the call is rejected.
   *
   * @throws {SessionError} `closed`.
   * @throws {DurableError} `run_parked` if the engine no longer starts the call, for example after too many failed attempts.
   *
   * @example
   * const outcome = await session.execute(newGetOrderCall({ orderId: 'A-1001' }))
   */
  // `any` as needs: labels and the other fields are checked when the call runs.
  execute(call: ToolCall<unknown, any>, options?: DurableCallOptions): Promise<StoredOutcome | Acknowledgement>
  /**
   * Starts a durable run that continues the conversation of the session. Pass only new messages. Wait for the run with `runs.result(runId)`.
   *
   * @param agent name of the agent. The session must contain all tools of this agent
   * @throws {SessionError} `run_in_progress` if another run continues the conversation, `unknown_namespace`, `closed`.
   * @throws {DurableError} `unknown_agent`; `duplicate_run` if a run with this id was started outside this session.
   */
  run(agent: string, input: RunInput, options?: DurableSessionRunOptions): Promise<{ readonly runId: string }>
  /** Returns the conversation, oldest message first. Does not contain messages of a run that has not ended. */
  messages(): Promise<readonly ChatMessage[]>
  /**
   * Removes all messages of the conversation.
   *
   * @throws {SessionError} `run_in_progress`.
   */
  clearMessages(): Promise<void>
  /**
   * Returns the approvals that also apply to later calls and runs of the session, oldest first. To add an approval, an approver returns the
   * property `remember` (see `Approval`). A run or call uses the approvals that the session had when the run or call started, and the approvals
   * that the run or call itself received.
   */
  approvals(): Promise<readonly RememberedApproval[]>
  /**
   * Removes remembered approvals, so that later calls and runs need an approval again.
   *
   * @param tool tool id, e.g. `payments.refundPayment`. Default: all tools
   */
  forgetApprovals(tool?: string): Promise<void>
  /** Returns all unconsumed entries (updates and results), in order of arrival. Does not remove the entries. */
  poll(): Promise<readonly SessionEntry[]>
  /**
   * Removes and returns all unconsumed entries (updates and results), including the updates of running calls. Each entry is returned to only one
   * request.
   */
  consume(options?: DurableConsumeOptions): Promise<readonly SessionEntry[]>
  /** Removes and returns the results of ended calls with their updates, in the order in which the calls ended. */
  consumeCompleted(options?: DurableConsumeOptions): Promise<readonly CompletedCall[]>
  /** Returns the streaming calls without a result, in the order in which they started. */
  pending(): Promise<readonly StoredCall[]>
  /** Cancels a running call. The call then fails with the reason `cancelled`. Returns `false` if no running call has this id. */
  cancel(callId: string): Promise<boolean>
  /**
   * Iterates over the entries (updates and results) of the session, in the order of `sequence`. Returns each entry once, even if another request
   * consumes the entry in the meantime. Ends when the session is closed or deleted.
   *
   * @param options `after`: number of the last entry that the subscriber has read. Default: the last entry of the session
   * @throws {SessionError} `entries_expired` if the session has already deleted the next entries.
   */
  subscribe(options?: { readonly after?: number }): AsyncIterable<SessionEntry>
  /**
   * Rejects new calls and runs until the session is opened again. Running calls and runs continue.
   *
   * @param options `cancel`: `true` to cancel running calls and runs. Default: `false`
   */
  close(options?: { readonly cancel?: boolean }): Promise<void>
  /** Deletes the session with its entries and messages. Cancels its running calls and runs. */
  delete(): Promise<void>
}

/** Message that an invocation sends to its session. The session ignores messages of calls and runs that are not in progress. */
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
      /**
       * All pseudonyms (replacements of sensitive values) of the session and of the run, with the original values. Encrypted if the runtime has a
       * cipher. Omitted if no pseudonyms exist.
       */
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
  /** Marks a call or run as ended because an operator has killed its invocation `id`. A killed invocation sends no result to the session. */
  | { readonly kind: 'release'; readonly id: string }
  | { readonly kind: 'delete' }
)

/** Request of a client that only reads a session. */
export type SessionRead = { readonly userId: string } & (
  | { readonly kind: 'poll' | 'pending' | 'messages' | 'approvals' }
  /**
   * Requests the entries after the sequence number `after`. If `after` is omitted, requests no entries, but only the sequence number of the last
   * entry.
   */
  | { readonly kind: 'entries'; readonly after?: number }
)

/** Reply to a request of the kind `entries`: the entries after the requested position. */
export interface SessionEntriesPage {
  readonly entries: readonly SessionEntry[]
  /** Sequence number of the last entry on the page. If the page has no entries, the value `after` of the request. */
  readonly position: number
  /** True if the session is closed and the page ends with the last entry so far. Subscriptions then end. */
  readonly isClosed: boolean
}
