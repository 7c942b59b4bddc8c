import type { CallOptions, Effects } from '../types/call-options.js'
import type { HandoffItem } from '../types/chat.js'
import type { Decoded } from '../types/codec.js'
import type { JsonText, JsonValue, Mutable } from '../types/json.js'
import type { Answers, PendingAnswer, ResumeClaims, RunSuspension, SuspensionSigner } from '../types/outcome.js'
import type { TokenUsage } from '../types/planner.js'
import type { AgentDescriptor, ExecutorRequest } from '../types/registration.js'
import type { EventSink, Tracer } from '../types/run.js'
import type { MetaField, ServerOwnedField, ToolCallMeta, ToolCallRef } from '../types/tool.js'
import type { AbortListeners, AbortTarget, CallTracker, RunningCalls } from './call-group.js'
import type { Classifier } from './classify.js'
import type { EventScope, SuspendedCallEnds } from './events.js'
import type { CallDetail } from './provenance.js'
import type { Abortable } from './timers.js'

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

export interface RunCallContext {
  readonly events: EventScope
  /** The calls of the same step. */
  readonly calls: CallTracker
  /** The ends of the suspended calls of the same step. */
  readonly suspended: SuspendedCallEnds
  /** In milliseconds; absent: no limit of the run's own. */
  readonly toolTimeoutMs: number | undefined
  readonly parent: ParentRun
  readonly resumption: CallResumption | undefined
}

/** Receives the updates of a call; a returned promise resolves when there is room for more. */
interface UpdateListener {
  update(index: number, update: JsonText): Promise<void> | undefined
}

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

/** Context of a run that serves a call, for the executor of an agent's tools. */
export interface NestedRunContext {
  readonly call: ToolCallRef
  /** The arguments as they were sent. */
  readonly arguments: JsonText
  /** Capabilities that the caller passed; nested runs get them too. */
  readonly env: unknown
  readonly parent: ParentRun
  /** Present for the attempt that continues a suspended nested run. */
  readonly resumption: NestedResumption | undefined
  /** Sets the facts of the nested run, as of now; they are read when the call ends, also by an abort. */
  describe(detail: () => CallDetail): void
  /** Decodes a result from JSON, as the tool declares it. */
  decodeResult(value: JsonValue): Decoded<unknown>
}

/** Key of the function that returns the context of a nested run, on requests of the runtime. */
export const NESTED_RUN: unique symbol = Symbol('nestedRun')

/** A request of the runtime. */
export interface NestingRequest extends ExecutorRequest {
  readonly [NESTED_RUN]: () => NestedRunContext
}

/**
 * Returns the context of a run that serves the call of a request.
 *
 * @throws {TypeError} for a request that no runtime made.
 */
export function nestedRunContext(request: ExecutorRequest & Partial<NestingRequest>): NestedRunContext {
  const context = request[NESTED_RUN]?.()
  if (context !== undefined) return context
  throw new TypeError(
    'the executor of an agent takes the request of a runtime: pass on what execute(request) was given',
  )
}

/** Data with which a suspended call continues: an answer of its own, or answers for the nested run that waits. */
export type CallResumption = AnsweredResumption | NestedResumption

interface AnsweredResumption {
  readonly kind: 'answer'
  readonly answer: PendingAnswer
  /** Arguments that the call waited with: an approval holds for them alone. */
  readonly arguments: JsonText
  /** The same arguments after the payload adapter; absent where it did not change them. */
  readonly adapted?: JsonText | undefined
}

/** Answers for the nested run that the call waited for. */
export interface NestedResumption {
  readonly kind: 'nested'
  readonly suspension: RunSuspension
  readonly answers: Answers
  /** Arguments that started the nested run: it continues with them alone. */
  readonly arguments: JsonText
}

/** The result of an executor whose nested run is suspended; the call is suspended then. */
export class NestedSuspension {
  readonly run: RunSuspension

  constructor(run: RunSuspension) {
    this.run = run
  }
}

/** Context that a nested run inherits from its call. */
export interface ParentRun {
  /** Identity of the runtime: the context that its calls share. */
  readonly runtime: object
  /** The run configuration; nested runs use it too. */
  readonly config: unknown
  /** The agents in the call chain, the outermost first. */
  readonly agents: readonly AgentDescriptor[]
  readonly maxDepth: number
  /** The ledger that nested usage counts against; absent for a call outside a run. */
  readonly tokens: TokenLedger | undefined
  /** Absent if nobody listens. */
  readonly events: EventScope | undefined
  /** Receives the handoffs to nested runs; absent for a call outside a run. */
  readonly items: { push(item: HandoffItem): void } | undefined
  /** True if the events of nested runs are emitted, whatever their registrations say. */
  readonly deepTracing: boolean
}

/** Maximum length of the call chain of agents if no policy sets it. */
export const DEFAULT_MAX_DEPTH = 8

/** The tokens of a run and its nested runs. Usage counts against the parent's limit too. */
export class TokenLedger {
  #promptTokens: number
  #completionTokens: number
  readonly #limit: number | undefined
  readonly #parent: TokenLedger | undefined

  /**
   * @param limit the run's own; absent: none
   * @param spent usage before a resumed run was suspended
   */
  constructor(
    limit: number | undefined,
    parent: TokenLedger | undefined,
    spent: TokenUsage = { promptTokens: 0, completionTokens: 0 },
  ) {
    this.#limit = limit
    this.#parent = parent
    this.#promptTokens = spent.promptTokens
    this.#completionTokens = spent.completionTokens
  }

  get promptTokens(): number {
    return this.#promptTokens
  }

  get completionTokens(): number {
    return this.#completionTokens
  }

  /** Adds tokens here and to the parents. */
  spend({ promptTokens, completionTokens }: TokenUsage): void {
    this.#promptTokens += promptTokens
    this.#completionTokens += completionTokens
    this.#parent?.spend({ promptTokens, completionTokens })
  }

  /** The limit of a parent that is used up; otherwise `undefined`. */
  exhaustedParentLimit(): number | undefined {
    const parent = this.#parent
    if (parent === undefined) return undefined
    const limit = parent.#limit
    const isExhausted = limit !== undefined && parent.#promptTokens + parent.#completionTokens >= limit
    return isExhausted ? limit : parent.exhaustedParentLimit()
  }
}

interface CallFacts {
  readonly ref: ToolCallRef
  readonly agent: { readonly name: string } | undefined
  readonly options: CallOptions
  readonly signal: AbortSignal
}

/** Returns the frozen meta of a call's first attempt. The parent of the call itself precedes that of the options. */
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

/** A meta whose signal is created on demand. All share one getter: a getter of its own costs more than the rest of a call. */
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

/** Returns the value of a meta field; `undefined` if the caller passed none. */
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

/** Returns the meta fields that a tool's server-owned fields need and the caller did not pass, each once. */
export function missingMeta(fields: readonly ServerOwnedField[], meta: ToolCallMeta): readonly MetaField[] {
  const missing = fields.map((field) => field.from).filter((from) => metaValue(meta, from) === undefined)
  return [...new Set(missing)]
}
