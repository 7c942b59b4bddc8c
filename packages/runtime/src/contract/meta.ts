/** What the runtime knows about a call and no model supplies. */
export interface ToolCallMeta {
  /** The run this call belongs to; absent for a call outside a run. */
  readonly runId?: string
  /** The user's session. */
  readonly sessionId?: string
  /** The turn of the conversation. */
  readonly turnId?: string
  /** The id of this call; given by the caller or made by the runtime, always present. */
  readonly toolCallId: string
  /** The call that caused this one. */
  readonly parentToolCallId?: string
  /** The agent on whose behalf the call runs; absent for a toolset without an agent. */
  readonly agent?: string
  /** Free labels of the caller, e.g. a tenant. */
  readonly labels: Readonly<Record<string, string>>
  /** Aborted when the caller cancels; executors pass it on. */
  readonly signal: AbortSignal
  /** When the call must have ended, in milliseconds since the epoch. */
  readonly deadline?: number
  /** 1 for the first try, counted up by retries. */
  readonly attempt: number
}

/** A field of {@link ToolCallMeta} from which a server-owned payload field can be filled. */
export type MetaField = 'runId' | 'sessionId' | 'turnId' | 'toolCallId' | 'parentToolCallId' | `labels.${string}`
