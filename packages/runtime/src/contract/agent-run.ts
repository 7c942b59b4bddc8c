import type { ChatMessage } from './chat-message.js'
import type { ChatFields, ChatRequest } from './chat-request.js'
import type { RunEvent } from './event.js'
import type { ToolError, ToolOutcome } from './outcome.js'
import type { RunMeta, TokenUsage } from './planner.js'
import type { RunPolicy } from './run-policy.js'
import type { RunResult } from './step.js'
import type { StopSignal } from './stop-signal.js'
import type { RunSuspension } from './suspension.js'

/** What a run begins with: the user's words, a conversation, or a raw chat request, whose other fields travel unchanged. */
export type RunInput = string | readonly ChatMessage[] | ChatRequest

/** A whole run on its way through the layers. */
export interface RunRequest<out Env = unknown> {
  readonly env: Env
  readonly meta: RunMeta
  /** The conversation that the run goes on with, the instructions of the agent first. */
  readonly messages: readonly ChatMessage[]
  /** The limits of the design, the binding and the run, joined. */
  readonly policy: RunPolicy
  /** The other fields of the chat request that the run began with: as the caller set them. */
  readonly fields?: ChatFields
  /** Whether a suspended run goes on; absent: it begins. */
  readonly isResumed?: boolean
}

/** Use of a run, over all passes that layers around it make. `durationMs` is in milliseconds. */
export interface RunUsage extends TokenUsage {
  readonly turns: number
  readonly toolCalls: number
  readonly durationMs: number
  /** The model that was asked last, as it calls itself; absent where no model said so. */
  readonly model?: string
}

/**
 * How a run ended: `completed` with a result, `stopped` by a limit (with a result where the planner gave one),
 * `suspended` until somebody answers, `cancelled`, or `failed`.
 */
export type RunStatus = 'completed' | 'stopped' | 'suspended' | 'cancelled' | 'failed'

/** What became of a run. */
export interface AgentRun {
  readonly runId: string
  readonly agent: string
  readonly status: RunStatus
  /** Present for a completed run, and for a stopped one whose planner had last words. */
  readonly result?: RunResult
  /** Why the run ended. */
  readonly stop: StopSignal
  /** All reasons to end that were met, the reported one included, in the order in which they were met. */
  readonly stops: readonly StopSignal[]
  /** The whole conversation. Each call in it has exactly one answer, except those of a suspension. */
  readonly messages: readonly ChatMessage[]
  /** In call order. */
  readonly outcomes: readonly ToolOutcome[]
  /** In the order in which they happened. */
  readonly events: readonly RunEvent[]
  readonly usage: RunUsage
  /** Present exactly for a failed run. */
  readonly error?: ToolError
  /** Present exactly for a suspended run. */
  readonly suspension?: RunSuspension
}
