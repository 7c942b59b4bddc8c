import type { AgentDescriptor } from '../contract/agent.js'
import type { AgentRun, RunUsage } from '../contract/agent-run.js'
import type { EventSink } from '../contract/event.js'
import type { Planner, RunMeta } from '../contract/planner.js'
import type { RunPolicy } from '../contract/run-policy.js'
import type { StopCondition } from '../contract/stop-condition.js'
import type { RunSuspension } from '../contract/suspension.js'
import type { EventScope } from '../event/event-scope.js'
import type { CallTarget } from '../execute/call/call-target.js'
import type { GivenOptions } from '../execute/call/given-call.js'
import type { RunAbove } from '../execute/nest/run-above.js'
import type { ItemLog } from './item-log.js'
import type { LoopRun } from './loop.js'
import type { GivenInput } from './run-input.js'
import type { RunSignal } from './run-signal.js'

/** An agent that can be run. */
export interface RunnableAgent {
  readonly descriptor: AgentDescriptor
  readonly target: CallTarget
  readonly planner: Planner
  /** The policies of the design and of the binding, joined. */
  readonly policy: RunPolicy
  /** What ends its runs beside the policy, the most severe first. */
  readonly guards: readonly StopCondition[]
  /** Its own, which hear its runs wherever these are beneath; those of the target are these with those of the runtime. */
  readonly sinks: readonly EventSink[]
}

/** What a run begins with. */
export type RunBeginning =
  | { readonly kind: 'input'; readonly input: GivenInput }
  | { readonly kind: 'suspension'; readonly suspension: RunSuspension; readonly answers: unknown }

/** What a run that serves a call of another agent takes over, and gives back. */
export interface RunBeneath {
  readonly above: RunAbove
  readonly askAgain: LoopRun['askAgain']
  /** Receives a function that says how far the run has come, also where the call ends before it. */
  readonly observe: (progress: () => ServingRun) => void
}

/** The facts of a run that belong to the call which it serves. */
export interface ServingRun extends Pick<AgentRun, 'runId' | 'agent' | 'outcomes'> {
  readonly usage: Pick<RunUsage, 'turns' | 'promptTokens' | 'completionTokens' | 'model'>
}

/** One run: what its caller said, and what it made of that. */
export interface RunParts {
  readonly options: GivenOptions
  readonly meta: RunMeta
  readonly policy: RunPolicy
  readonly signal: RunSignal
  readonly events: EventScope
  readonly items: ItemLog
  /** Present for a run that serves a call of another agent. */
  readonly beneath: RunBeneath | undefined
}
