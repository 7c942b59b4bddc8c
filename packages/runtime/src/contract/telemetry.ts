import type { AgentRun } from './agent-run.js'
import type { ToolCallRef } from './call.js'
import type { Issue } from './issue.js'
import type { JsonText, JsonValue } from './json.js'
import type { ToolCallMeta } from './meta.js'
import type { ToolOutcome } from './outcome.js'
import type { RunMeta } from './planner.js'
import type { FailureReason } from './retry-hint.js'
import type { AgentToolSpec } from './spec.js'

/** What an ended call tells operators; the same whoever provides the tool. */
export interface ToolTelemetry {
  readonly status: ToolOutcome['status']
  /** Present exactly for a failed call. */
  readonly reason?: FailureReason
  readonly durationMs: number
  readonly attempts: number
  readonly model?: string
  readonly service?: string
  readonly promptTokens?: number
  readonly completionTokens?: number
  /** The number of calls of the run that served the call; absent for a tool that no agent serves. */
  readonly children?: number
  /** The issues of a failed call, as its error lists them; absent where there are none. */
  readonly issues?: readonly Issue[]
  /** Whether the result is an object or a list, not text or a number alone. */
  readonly structured: boolean
  /** What the registration's own builder adds. */
  readonly attributes?: Readonly<Record<string, JsonValue>>
}

/** What a telemetry builder is given. */
export interface TelemetryFacts {
  readonly tool: AgentToolSpec
  readonly meta: ToolCallMeta
  /** In milliseconds since the epoch. */
  readonly start: number
  /** In milliseconds since the epoch. */
  readonly end: number
  readonly outcome: ToolOutcome
  /** What the executor said of the result beside model and service. */
  readonly extras: Readonly<Record<string, JsonValue>>
}

/** Says what telemetry adds for the tools of a registration. What it throws is dropped. */
export type TelemetryBuilder = (facts: TelemetryFacts) => Readonly<Record<string, JsonValue>>

/** A call that a tracer accompanies. */
export interface TracedCall {
  /** Absent where there is no such tool. */
  readonly tool?: AgentToolSpec
  readonly call: ToolCallRef
  readonly meta: ToolCallMeta
  readonly arguments: JsonText
}

/** A call that has ended, with its telemetry. */
export interface EndedCall {
  readonly outcome: ToolOutcome
  readonly telemetry: ToolTelemetry
}

/**
 * Accompanies calls and runs with spans, so that what happens inside belongs to them. Calls `work` at once
 * and passes its answer on; whatever else it does never changes an outcome.
 */
export interface Tracer {
  /** Accompanies one call, also within a run. */
  call(call: TracedCall, work: () => Promise<EndedCall>): Promise<EndedCall>
  /** Accompanies one run, with the calls and runs beneath it. */
  run(meta: RunMeta, work: () => Promise<AgentRun>): Promise<AgentRun>
}
