import type { RunOptions } from '../agents/bound-agent.js'
import type { BoundTool } from '../call/bound-tool.js'
import type { BoundTools } from '../call/execute.js'
import { failedOutcome } from '../call/failed-outcome.js'
import type { RunConfig } from '../call/layer-scope.js'
import type { RunningCall } from '../call/running-call.js'
import type { NeedsOf, ToolCall, ToolCallRef } from '../types/call.js'
import type { CallOptions, EnvOption, NeededOptions } from '../types/call-options.js'
import type { FailureReason } from '../types/errors.js'
import type { Mutable } from '../types/json.js'
import type { StoredOutcome } from '../types/outcome.js'
import type { SessionCall, StoredCall } from '../types/session.js'
import type { MetaField } from '../types/tool.js'

/** Agents and toolsets by the names that sessions know them by: no empty ones, no dots. */
export type NamedAgents = Readonly<Record<string, BoundTools<never>>>

/**
 * Names of what the tools of a session come from: an agent or a toolset, one toolset in use of it (`<name>.<toolset>`), or a
 * namespace of their designs.
 */
export type NamespaceOf<Agents extends NamedAgents> =
  | AgentName<Agents>
  | `${AgentName<Agents>}.${string}`
  | DesignNamespaceOf<Agents[AgentName<Agents>]>

/** What the layers of the agents behind these namespaces need together. */
export type EnvOfNamespaces<Agents extends NamedAgents, Namespace extends string> = EnvOfTools<
  Agents[AgentOf<Agents, Namespace>]
>

/** What a caller says about one call in a session beside the call itself. */
export type SessionCallOptions = Omit<CallOptions, 'sessionId'>

/** The options of a call that needs none. */
export type PlainSessionOptions = SessionCallOptions & {
  readonly config?: RunConfig | undefined
  readonly env?: unknown
}

/** What a caller says about one run in a session beside its input. */
export type SessionRunOptions = Omit<RunOptions, 'sessionId'>

/** The options of a run that needs none. */
export type PlainSessionRunOptions = SessionRunOptions & {
  readonly config?: RunConfig | undefined
  readonly env?: unknown
}

/** The options of a run: what the layers around it need. */
export type SessionRunOptionsFor<Env, ConfigEnv> = SessionRunOptions &
  EnvOption<Env & ConfigEnv> & { readonly config?: RunConfig<ConfigEnv> | undefined }

/** The options of a call: what its server-owned fields are filled from, and what the layers around it need. */
export type SessionOptionsFor<Call extends ToolCall<unknown, MetaField>, Env, ConfigEnv> = SessionCallOptions &
  NeededOptions<Exclude<NeedsOf<Call>, 'sessionId'>> &
  EnvOption<Env & ConfigEnv> & { readonly config?: RunConfig<ConfigEnv> | undefined }

type AgentName<Agents extends NamedAgents> = keyof Agents & string

type AgentOf<Agents extends NamedAgents, Namespace extends string> =
  Namespace extends AgentName<Agents>
    ? Namespace
    : Namespace extends `${infer Name extends AgentName<Agents>}.${string}`
      ? Name
      : AgentInDesign<Agents, Namespace>

/** Agents of which toolsets are in a namespace of designs. */
type AgentInDesign<Agents extends NamedAgents, Namespace extends string> = {
  readonly [Name in AgentName<Agents>]: Namespace extends DesignNamespaceOf<Agents[Name]> ? Name : never
}[AgentName<Agents>]

/** Every agent can have tools in the default namespace. */
type DesignNamespaceOf<Tools> =
  | 'default'
  | (Tools extends { readonly '~namespace'?: infer Namespace } ? Extract<Namespace, string> : never)

type EnvOfTools<Tools> = [Tools] extends [BoundTools<infer Env>] ? Env : never

/**
 * Why a session does not do what it was asked for:
 * - `invalid_id`: a session or user id that is empty, no text or too long;
 * - `unknown_session`: no session of this id is open, or none is stored;
 * - `wrong_user`: the session is another user's;
 * - `other_namespaces`: the session was opened with other namespaces;
 * - `other_session`: the run was suspended in another session;
 * - `unknown_namespace`: no agent, toolset, use of one or namespace of a design has this name;
 * - `ambiguous_tool`: two namespaces offer a tool of the same name;
 * - `still_open`: what was asked for needs a closed session;
 * - `closing`, `closed`: the session takes no more calls;
 * - `superseded`: the session was opened elsewhere, which has it now;
 * - `corrupt_state`: what is stored is no session, or was changed;
 * - `newer_state`: a newer version of the runtime stored it;
 * - `store_failed`: the store did not answer, or with an error.
 */
export type SessionErrorCode =
  | 'invalid_id'
  | 'unknown_session'
  | 'wrong_user'
  | 'other_namespaces'
  | 'other_session'
  | 'unknown_namespace'
  | 'ambiguous_tool'
  | 'still_open'
  | 'closing'
  | 'closed'
  | 'superseded'
  | 'corrupt_state'
  | 'newer_state'
  | 'store_failed'

const FAULTS: ReadonlySet<unknown> = new Set<SessionErrorCode>([
  'invalid_id',
  'unknown_session',
  'wrong_user',
  'other_namespaces',
  'other_session',
  'unknown_namespace',
  'ambiguous_tool',
  'still_open',
  'closing',
  'closed',
  'superseded',
  'corrupt_state',
  'newer_state',
  'store_failed',
])

/**
 * What sessions and their stores fail with. The message says what to do next, and nothing of another user.
 *
 * @example
 * if (isSessionError(error) && error.code === 'superseded') redirectToTheOtherProcess()
 */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code: SessionErrorCode

  constructor(code: SessionErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Whether something thrown is a {@link SessionError}, also one of another copy of this package. */
export function isSessionError(error: unknown): error is SessionError {
  return error instanceof Error && error.name === 'SessionError' && 'code' in error && FAULTS.has(error.code)
}

/** What is known of a streaming call before it begins. */
interface StreamingCallParts {
  readonly tool: BoundTool
  readonly callId: string
  readonly toolCallId: string | undefined
  readonly isRun: boolean
  /** In milliseconds since the epoch. */
  readonly startedAt: number
}

/** A call of a streaming tool, from its start to the moment that its end may be seen. */
export class StreamingCall {
  readonly tool: BoundTool
  readonly facts: SessionCall
  readonly startedAt: number
  /** Whether it has its end, which the store may have to take yet. */
  hasEnded = false
  /** Whether nobody was told that it began: nothing of it counts. */
  isDiscarded = false
  droppedUpdates = 0
  /** Size of its completion while that waits for the store, in bytes. */
  endBytes = 0
  /** How many of its updates wait for the store. */
  waitingUpdates = 0
  /** The call as it runs; present from the moment that its tool begins. */
  running: RunningCall | undefined = undefined

  constructor({ tool, callId, toolCallId, isRun, startedAt }: StreamingCallParts) {
    this.tool = tool
    this.facts = Object.freeze({ callId, ...(toolCallId !== undefined && { toolCallId }), tool: tool.id, isRun })
    this.startedAt = startedAt
  }

  abort(reason: unknown): void {
    this.running?.abort(reason)
  }

  /** The call as it is stored while it runs. */
  stored(): StoredCall {
    const stored: Mutable<StoredCall> = { ...this.facts, startedAt: this.startedAt }
    if (this.droppedUpdates > 0) stored.droppedUpdates = this.droppedUpdates
    return Object.freeze(stored)
  }
}

/** How a session ends a call whose tool does not. */
interface EndedByUs {
  readonly reason: Extract<FailureReason, 'timeout' | 'interrupted' | 'internal'>
  /** Shown to the model; the reason's own sentence where it is empty. */
  readonly message: string
  /** Absent where there is no such tool any more. */
  readonly tool: BoundTool | undefined
  readonly durationMs: number
}

/** The outcome of a call that its session ends. */
export function endedByUs(call: SessionCall, { reason, message, tool, durationMs }: EndedByUs): StoredOutcome {
  const { provenance, error, hint } = failedOutcome(
    { reason, message },
    { call: refOf(call), ...(tool !== undefined && { tool }), rejected: '', durationMs, attempts: 1 },
  )
  return Object.freeze({ call: refOf(call), provenance, status: 'failed', error, hint })
}

function refOf({ tool, toolCallId, callId }: SessionCall): ToolCallRef {
  return Object.freeze({ tool, toolCallId: toolCallId ?? callId })
}
