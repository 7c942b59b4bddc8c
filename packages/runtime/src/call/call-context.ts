import type { CallOptions, Effects } from '../types/call-options.js'
import type { JsonText, Mutable } from '../types/json.js'
import type { ResumeClaims, SuspensionSigner } from '../types/outcome.js'
import type { EventSink, Tracer } from '../types/run.js'
import type { MetaField, ServerOwnedField, ToolCallMeta, ToolCallRef } from '../types/tool.js'
import type { AbortListeners, AbortTarget, CallTracker, RunningCalls } from './call-group.js'
import type { Classifier } from './classify.js'
import type { KeptResults } from './kept-results.js'
import type { CallResumption } from './nested-run.js'
import type { Abortable } from './timers.js'

/** State that all calls of a runtime share. */
export interface CallContext extends Classifier {
  readonly effects: Effects
  readonly listeners: AbortListeners
  readonly calls: RunningCalls
  readonly sinks: readonly EventSink[]
  readonly tracer: Tracer | undefined
  readonly claims: ResumeClaims
  /** Signer of suspensions; `undefined` if suspensions are not signed. */
  readonly suspensions: SuspensionSigner | undefined
  /** Whole results of calls whose text for the model was shortened. */
  readonly results: KeptResults
}

/** Receives the updates of a call. Returns a promise if the tool must wait before its next update. */
interface UpdateListener {
  update(index: number, update: JsonText): Promise<void> | undefined
}

export interface ExecutionOptions extends CallOptions {
  /** The option `env` of the caller; an empty object if the caller passed none. */
  readonly env: unknown
  /** Run configuration. Nested runs use it too. */
  readonly config?: unknown
  /**
   * Called once, directly before the executor runs for the first time. At this time, the layers have accepted the call and the arguments
   * are valid. Exception: an executor that decodes the arguments itself has not checked them yet.
   */
  readonly onExecute?: ((call: AbortTarget & Pick<Abortable, 'aborted'>) => void) | undefined
  /** Present if a single call continues that was suspended. */
  readonly resumption?: CallResumption | undefined
  /** Group of the session's running calls and runs. The call belongs to it until it ends. */
  readonly calls?: CallTracker | undefined
  /** True if the caller reads the whole result, so that `maxResult` does not apply. */
  readonly isWhole?: boolean | undefined
  /** Scope of kept results for calls without a session and a run. Default: no scope, so that results get random ids. */
  readonly resultScope?: string | undefined
  /** Receives each update. The tool waits until the listener is ready for the next update. */
  readonly updates?: UpdateListener | undefined
}

interface CallFacts {
  readonly ref: ToolCallRef
  readonly agent: { readonly name: string } | undefined
  readonly options: CallOptions
  readonly signal: AbortSignal
}

/** Returns the frozen metadata of a call's first attempt. */
export function callMeta(call: CallFacts): ToolCallMeta {
  const { ref, agent, options } = call
  const { runId, sessionId, turnId, deadline, labels } = options
  const meta: Mutable<Omit<ToolCallMeta, 'signal'>> = new LazySignal(call, ref.toolCallId, labels ?? NO_LABELS)
  if (agent !== undefined) meta.agent = agent.name
  if (runId !== undefined) meta.runId = runId
  if (sessionId !== undefined) meta.sessionId = sessionId
  if (turnId !== undefined) meta.turnId = turnId
  if (ref.parentToolCallId !== undefined) meta.parentToolCallId = ref.parentToolCallId
  if (deadline !== undefined) meta.deadline = deadline
  return Object.freeze(Object.defineProperty(meta, 'signal', LazySignal.descriptor)) as ToolCallMeta
}

const NO_LABELS: ToolCallMeta['labels'] = Object.freeze({})

/** All objects share one getter that creates the signal at its first read. A getter per object would cost too much. */
class LazySignal implements Omit<ToolCallMeta, 'signal'> {
  readonly toolCallId: string
  readonly labels: ToolCallMeta['labels']
  readonly attempt = 1
  readonly #call: CallFacts

  static readonly descriptor: PropertyDescriptor = {
    get(this: LazySignal): AbortSignal {
      return this.#call.signal
    },
    enumerable: true,
  }

  constructor(call: CallFacts, toolCallId: string, labels: ToolCallMeta['labels']) {
    this.#call = call
    this.toolCallId = toolCallId
    this.labels = labels
  }
}

/** Returns the value of a metadata field; `undefined` if the caller passed none. */
export function metaValue(meta: ToolCallMeta, field: MetaField): string | undefined {
  switch (field) {
    case 'runId':
    case 'sessionId':
    case 'turnId':
    case 'toolCallId':
    case 'parentToolCallId':
      return meta[field]
    default: {
      const label = field.slice('labels.'.length)
      return Object.hasOwn(meta.labels, label) ? meta.labels[label] : undefined
    }
  }
}

/** Returns the metadata fields that server-owned fields need but the caller did not pass, without duplicates. */
export function missingMeta(fields: readonly ServerOwnedField[], meta: ToolCallMeta): readonly MetaField[] {
  const missing = fields.map((field) => field.from).filter((from) => metaValue(meta, from) === undefined)
  return [...new Set(missing)]
}
