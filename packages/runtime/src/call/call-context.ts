import type { ApprovalRecord } from '../types/approval.js'
import type { CallOptions, Effects } from '../types/call-options.js'
import type { JsonText, Mutable } from '../types/json.js'
import type { ResumeClaims, SuspensionSigner } from '../types/outcome.js'
import type { EventSink, McpConnectionInfo, TraceContext, Tracer } from '../types/run.js'
import type { MetaField, ServerOwnedField, ToolCallMeta, ToolCallRef, ToolSpec } from '../types/tool.js'
import type { ApprovalMemory } from './approvals.js'
import type { KnownTools } from './bound-tools.js'
import type { AbortListeners, CallTracker, RunningCalls } from './call-group.js'
import type { Classifier } from './classify.js'
import type { KeptResults } from './kept-results.js'
import type { CallResumption, SeparateRun } from './nested-run.js'
import type { Redactions } from './redactions.js'
import type { Abortable, AbortTarget } from './timers.js'

/** The journal of a durable run stores the results of its steps. A restarted run reads these results and does not repeat the steps. */
export interface RunJournal {
  readonly nestedRun: SeparateRun
  /** Context of the calls that a tool makes. A durable run does not record these calls separately, but only as a part of the tool's own call. */
  readonly inner: CallContext
  startRunTimer(delayMs: number, action: () => void): () => void
  /** Resolves with false if `signal` is aborted during the wait. */
  sleep(call: ToolCallRef, delayMs: number, signal: AbortSignal): Promise<boolean>
  startCallTimer(call: ToolCallRef, delayMs: number, action: () => void): () => void
}

export interface CallContext extends Classifier {
  readonly effects: Effects
  readonly listeners: AbortListeners
  readonly calls: RunningCalls
  readonly sinks: readonly EventSink[]
  readonly tracer: Tracer | undefined
  readonly claims: ResumeClaims
  readonly suspensions: SuspensionSigner | undefined
  readonly results: KeptResults
  readonly redactions: Redactions
  readonly tools: KnownTools
  readonly journal?: RunJournal
}

interface UpdateListener {
  update(index: number, update: JsonText): Promise<void> | undefined
}

interface StartedCall extends AbortTarget, Pick<Abortable, 'aborted'> {
  readonly approval: ApprovalRecord | undefined
}

export interface ExecutionOptions extends CallOptions {
  readonly env: unknown
  readonly config?: unknown
  /**
   * Called once, directly before the executor runs for the first time, after the layers have accepted the call. The arguments are valid, except if
   * the executor itself decodes the arguments.
   */
  readonly onExecute?: ((call: StartedCall) => void) | undefined
  /**
   * Called before each run of the executor. The executor runs only if the promise resolves, for example only while the session belongs to this
   * process.
   */
  readonly confirm?: (() => Promise<void>) | undefined
  readonly approvals?: ApprovalMemory | undefined
  readonly resumption?: CallResumption | undefined
  readonly calls?: CallTracker | undefined
  readonly isWhole?: boolean | undefined
  /**
   * For a call outside sessions and runs: `read_result` can read the stored results of all calls with the same value. Without a value, a stored
   * result gets a random id, and any call without a value can read the result by this id.
   */
  readonly resultScope?: string | undefined
  readonly traceContext?: TraceContext | undefined
  readonly mcp?: McpConnectionInfo | undefined
  readonly updates?: UpdateListener | undefined
}

interface CallFacts {
  readonly ref: ToolCallRef
  readonly agent: { readonly name: string } | undefined
  readonly options: CallOptions
  readonly signal: AbortSignal
}

export function callMeta(call: CallFacts): ToolCallMeta {
  const { ref, agent, options } = call
  const { runId, sessionId, turnId, deadline, labels } = options
  const key = idempotencyKey(runId, ref.toolCallId)
  const meta: Mutable<Omit<ToolCallMeta, 'signal'>> = new LazySignal(call, ref.toolCallId, key, labels ?? NO_LABELS)
  if (agent !== undefined) meta.agent = agent.name
  if (runId !== undefined) meta.runId = runId
  if (sessionId !== undefined) meta.sessionId = sessionId
  if (turnId !== undefined) meta.turnId = turnId
  if (ref.parentToolCallId !== undefined) meta.parentToolCallId = ref.parentToolCallId
  if (deadline !== undefined) meta.deadline = deadline
  return Object.freeze(Object.defineProperty(meta, 'signal', LazySignal.descriptor)) as ToolCallMeta
}

const NO_LABELS: ToolCallMeta['labels'] = Object.freeze({})

/** Escapes `/`, which separates the two ids, and characters that HTTP headers cannot contain. */
function idempotencyKey(runId: string | undefined, toolCallId: string): string {
  return runId === undefined ? keyPart(toolCallId) : `${keyPart(runId)}/${keyPart(toolCallId)}`
}

function keyPart(id: string): string {
  if (/^[\w.~:-]*$/.test(id)) return id
  // `encodeURIComponent` throws for lone surrogates.
  const wellFormed = id.replace(/[\uD800-\uDFFF]/gu, '\uFFFD')
  return encodeURIComponent(wellFormed)
    .replace(/%3A/g, ':')
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** All objects share the getter of `signal`, because creating a getter per object would be slow. */
class LazySignal implements Omit<ToolCallMeta, 'signal'> {
  readonly toolCallId: string
  readonly idempotencyKey: string
  readonly labels: ToolCallMeta['labels']
  readonly attempt = 1
  readonly #call: CallFacts

  static readonly descriptor: PropertyDescriptor = {
    get(this: LazySignal): AbortSignal {
      return this.#call.signal
    },
    enumerable: true,
  }

  constructor(call: CallFacts, toolCallId: string, key: string, labels: ToolCallMeta['labels']) {
    this.#call = call
    this.toolCallId = toolCallId
    this.idempotencyKey = key
    this.labels = labels
  }
}

export function metaValue(meta: ToolCallMeta, field: MetaField): string | undefined {
  switch (field) {
    case 'runId':
    case 'sessionId':
    case 'turnId':
    case 'toolCallId':
    case 'idempotencyKey':
    case 'parentToolCallId':
      return meta[field]
    default: {
      const label = field.slice('labels.'.length)
      return Object.hasOwn(meta.labels, label) ? meta.labels[label] : undefined
    }
  }
}

/** An idempotency key in the payload protects only later attempts of the same call. A call that a model repeats has another key. */
export function isRepeatable({ annotations, serverOwned }: Pick<ToolSpec, 'annotations' | 'serverOwned'>): boolean {
  if (annotations.readOnly === true || annotations.idempotent === true) return true
  return serverOwned.some(({ from }) => from === 'idempotencyKey')
}

export function missingMeta(fields: readonly ServerOwnedField[], meta: ToolCallMeta): readonly MetaField[] {
  const missing = fields.map((field) => field.from).filter((from) => metaValue(meta, from) === undefined)
  return [...new Set(missing)]
}
