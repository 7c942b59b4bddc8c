import type { CallOptions, Effects } from '../types/call-options.js'
import type { JsonText } from '../types/json.js'
import type { ResumeClaims, SuspensionSigner } from '../types/outcome.js'
import type { EventSink, Tracer } from '../types/run.js'
import type { Abortable, AbortListeners, AbortTarget, CallTracker, RunningCalls } from './call-group.js'
import type { Classifier } from './classify.js'
import type { EventScope, SuspendedCallEnds } from './events.js'
import type { CallResumption, ParentRun } from './nesting.js'

/** State that all calls of a runtime share. */
export interface CallContext extends Classifier {
  readonly effects: Effects
  readonly listeners: AbortListeners
  readonly calls: RunningCalls
  readonly sinks: readonly EventSink[]
  readonly tracer: Tracer | undefined
  readonly claims: ResumeClaims
  /** Absent where suspensions are not signed. */
  readonly suspensions: SuspensionSigner | undefined
}

/** Parts of a run that its calls use. */
export interface RunCallContext {
  readonly events: EventScope
  /** The calls of the same step. */
  readonly calls: CallTracker
  /** The ends of the suspended calls of the same step. */
  readonly suspended: SuspendedCallEnds
  /** In milliseconds; absent: no limit of the run's own. */
  readonly toolTimeoutMs: number | undefined
  /** Context of runs that serve the call. */
  readonly parent: ParentRun
  /** Data with which a suspended call continues. */
  readonly resumption: CallResumption | undefined
}

/** Receives the updates of a call; a returned promise resolves when there is room for more. */
export interface UpdateListener {
  update(index: number, update: JsonText): Promise<void> | undefined
}

/** Validated options of one call. */
export interface ExecutionOptions extends CallOptions {
  /** An empty object where the caller passed none. */
  readonly env: unknown
  /** The run configuration; nested runs use it too. */
  readonly config?: unknown
  /**
   * Called once, before the executor runs for the first time: the layers let the call pass and, unless the executor
   * decodes for itself, its arguments are valid.
   */
  readonly onExecute?: ((call: AbortTarget & Pick<Abortable, 'aborted'>) => void) | undefined
  /** Calls and runs of a session; the call is one of them until it has ended. */
  readonly calls?: CallTracker | undefined
  /** Receives each update; the tool waits for it. */
  readonly updates?: UpdateListener | undefined
}
