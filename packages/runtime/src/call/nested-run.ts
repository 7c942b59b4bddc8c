import type { HandoffItem } from '../types/chat.js'
import type { Decoded } from '../types/codec.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { Answers, PendingAnswer, RunSuspension } from '../types/outcome.js'
import type { TokenUsage } from '../types/planner.js'
import type { AgentDescriptor } from '../types/registration.js'
import type { ToolCallRef } from '../types/tool.js'
import type { EventScope } from './events.js'
import type { CallDetail } from './provenance.js'

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
