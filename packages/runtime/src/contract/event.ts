import type { RunStatus } from './agent-run.js'
import type { ToolCallRef } from './call.js'
import type { JsonText } from './json.js'
import type { ToolOutcome } from './outcome.js'
import type { RunResult, StepAccount } from './step.js'
import type { StopSignal } from './stop-signal.js'
import type { ToolTelemetry } from './telemetry.js'

/** What each event says of where it comes from. */
export interface EventOrigin {
  /** Absent for a call outside a run. */
  readonly runId?: string
  /** Absent for a toolset without an agent. */
  readonly agent?: string
  readonly sessionId?: string
  readonly turnId?: string
  /** The call that caused the run, or the call outside a run. */
  readonly parentToolCallId?: string
}

/** What happened, beside when and where. */
export type EventBody =
  | { readonly type: 'run_started' }
  /** In place of `run_started`, where a suspended run goes on. */
  | { readonly type: 'run_resumed'; readonly suspension: string }
  | { readonly type: 'step_started'; readonly turn: number }
  | {
      readonly type: 'call_started'
      readonly call: ToolCallRef
      /** For people: the tool's title; its name as it was asked for where there is no such tool. */
      readonly title: string
      /** The arguments as they were sent. */
      readonly arguments: JsonText
      /** The call hint of the design with the payload filled in; absent where there is none or the arguments are invalid. */
      readonly hint?: string
    }
  | {
      readonly type: 'call_updated'
      readonly call: ToolCallRef
      /** 1 for the call's first update. */
      readonly index: number
      readonly update: JsonText
    }
  | {
      readonly type: 'call_ended'
      readonly call: ToolCallRef
      readonly title: string
      readonly outcome: ToolOutcome
      /** The result hint of the design with the result filled in; absent where there is none or the call did not complete. */
      readonly hint?: string
      readonly telemetry: ToolTelemetry
    }
  | {
      /** One agent handed over to another: when a call of an agent's tool begins its run, and when that run has ended. */
      readonly type: 'handoff'
      readonly call: ToolCallRef
      readonly fromAgent: string
      readonly toAgent: string
      readonly reason?: string
    }
  | { readonly type: 'step_ended'; readonly turn: number; readonly account: StepAccount }
  | {
      readonly type: 'run_ended'
      readonly status: RunStatus
      readonly stop: StopSignal
      readonly result?: RunResult
    }

/** One thing that happened. Events have one shape, whoever provides the tools. */
export type RunEvent = EventOrigin & {
  /** In milliseconds since the epoch. */
  readonly at: number
  /** 1 for the first event of its run, or of its call outside a run; counts up. */
  readonly sequence: number
} & EventBody

/**
 * Is told of each event. It is not waited for; what it gives back is ignored, and what it throws or rejects with is dropped:
 * a sink never harms a call.
 */
export type EventSink = (event: RunEvent) => unknown
