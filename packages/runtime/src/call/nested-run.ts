import type { HandoffItem } from '../types/chat.js'
import type { Decoded } from '../types/codec.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { Answers, FinalSignal, PendingAnswer, RunSuspension } from '../types/outcome.js'
import type { TokenUsage } from '../types/planner.js'
import type { AgentDescriptor } from '../types/registration.js'
import type { ToolCallRef } from '../types/tool.js'
import type { CallTracker } from './call-group.js'
import type { EventScope, SuspendedCallEnds } from './events.js'
import type { KeptResults } from './kept-results.js'
import type { CallDetail } from './provenance.js'

/** Context of a nested run that serves a call, for the executor of an agent's tools. */
export interface NestedRunContext {
  readonly call: ToolCallRef
  /** The arguments as the caller sent them. */
  readonly arguments: JsonText
  /** The `env` option of the caller. Nested runs receive it too. */
  readonly env: unknown
  readonly parent: ParentRun
  /** Context of the calls that the executor itself makes, for example the calls of a program. */
  readonly inner: InnerCallContext
  /** Present if this attempt continues a suspended nested run. */
  readonly resumption: NestedResumption | undefined
  /** Kept results of the runtime, and the scope of those that the call can read. */
  readonly results: KeptResults
  readonly resultScope: string | undefined
  /**
   * Sets a function that returns the current facts about the nested run, such as its calls and tokens. The runtime calls it when the call
   * ends or is aborted.
   */
  describe(detail: () => CallDetail): void
  /**
   * Sets a function that returns a text about the effects of the call so far. The runtime adds it to a failure that has only the fixed
   * message of its reason, for example after a timeout or an abort.
   */
  describeEffects(text: () => string): void
  /** Ends the time limit `toolTimeoutMs` of this call. It still applies to each call that the executor makes with `inner`. */
  endToolTimeout(): void
  /** Decodes a JSON value with the result codec of the tool. */
  decodeResult(value: JsonValue): Decoded<unknown>
}

/** Key of the request method that returns the context of a nested run. */
export const NESTED_RUN: unique symbol = Symbol('nestedRun')

/** Request with the context of a nested run. Only the runtime creates such requests. */
export interface NestingRequest extends ExecutorRequest {
  readonly [NESTED_RUN]: () => NestedRunContext
}

/**
 * Returns the context of a nested run that serves the call of a request.
 *
 * @throws {TypeError} for a request that the runtime did not create.
 */
export function nestedRunContext(request: ExecutorRequest & Partial<NestingRequest>): NestedRunContext {
  const context = request[NESTED_RUN]?.()
  if (context !== undefined) return context
  throw new TypeError(
    'The executor of an agent received a request that the runtime did not create. Pass on the argument of execute(request).',
  )
}

/** Data to continue a suspended call: the answer for the call, or answers for its nested run. */
export type CallResumption = AnsweredResumption | NestedResumption

interface AnsweredResumption {
  readonly kind: 'answer'
  readonly answer: PendingAnswer
  /** Arguments of the suspended call. An approval applies only to these arguments. */
  readonly arguments: JsonText
  /** The arguments after the payload adapter; absent if the adapter did not change them. */
  readonly adapted?: JsonText | undefined
}

/** Answers for the suspended nested run of a call. */
export interface NestedResumption {
  readonly kind: 'nested'
  readonly suspension: RunSuspension
  readonly answers: Answers
  /** Arguments with which the nested run was started. The nested run continues only if the call has the same arguments. */
  readonly arguments: JsonText
}

/** Result of an executor whose nested run is suspended. The call is then suspended too. */
export class NestedSuspension {
  readonly run: RunSuspension

  constructor(run: RunSuspension) {
    this.run = run
  }
}

/** Context that a nested run inherits from its call. */
export interface ParentRun {
  /** Identifies the runtime: its `RunningCalls`, which all of its agents share. */
  readonly runtime: object
  /** Run configuration. Nested runs use it too. */
  readonly config: unknown
  /** The agents in the call chain, the outermost first. */
  readonly agents: readonly AgentDescriptor[]
  readonly maxDepth: number
  /** Token usage of the parent run; nested runs add theirs. `undefined` for a call outside a run. */
  readonly tokens: TokenLedger | undefined
  /** Events of the parent run or call; `undefined` if there are no listeners. */
  readonly events: EventScope | undefined
  /** Receives a handoff item for each nested run; `undefined` for a call outside a run. */
  readonly items: { push(item: HandoffItem): void } | undefined
  /** True to emit events of nested runs even if a registration suppresses them. */
  readonly deepTracing: boolean
}

/** Context of a call in a run, or of a call that another call makes. */
export interface RunCallContext {
  /** Events of the run or of the outer call; `undefined` if there are no listeners. */
  readonly events: EventScope | undefined
  /** Running calls of the same step. */
  readonly calls: CallTracker
  /** Collects the `call_ended` events of suspended calls of the same step; `undefined` outside a run. */
  readonly suspended: SuspendedCallEnds | undefined
  readonly limits: RunCallLimits
  readonly parent: ParentRun
  readonly resumption: CallResumption | undefined
  /** The `CallTarget` with the tools that calls can call themselves. Declared as `object`, because its file imports this one. */
  readonly innerTarget: object
}

/** Limits of calls and of the calls that they make. */
export interface RunCallLimits {
  /** Maximum duration of a call in milliseconds; `undefined` if there is no limit. */
  readonly toolTimeoutMs?: number | undefined
  /** Maximum number of calls that run at the same time; `undefined` if there is no limit. */
  readonly parallelism?: number | undefined
  /** Counts a call that a call makes. Returns `false` if the run accepts no more calls. */
  readonly admit?: () => boolean
  /** Ends the run with the final value of a call that a call made. */
  readonly finish?: (stop: FinalSignal) => void
}

/** Context of the calls that an executor makes. */
export type InnerCallContext = Omit<RunCallContext, 'resumption'>

/** Default maximum length of the call chain of agents. */
export const DEFAULT_MAX_DEPTH = 8

/** Token usage of a run and its nested runs. Tokens of a nested run count against the limits of its parents too. */
export class TokenLedger {
  #promptTokens: number
  #completionTokens: number
  readonly #limit: number | undefined
  readonly #parent: TokenLedger | undefined

  /**
   * @param limit token limit of this run; `undefined` if there is no limit
   * @param spent token usage before a resumed run was suspended
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

  /** Adds tokens to this ledger and its parents. */
  spend({ promptTokens, completionTokens }: TokenUsage): void {
    this.#promptTokens += promptTokens
    this.#completionTokens += completionTokens
    this.#parent?.spend({ promptTokens, completionTokens })
  }

  /** Returns the limit of the nearest parent run that has reached its token limit; `undefined` if none has. */
  exhaustedParentLimit(): number | undefined {
    const parent = this.#parent
    if (parent === undefined) return undefined
    const limit = parent.#limit
    const isExhausted = limit !== undefined && parent.#promptTokens + parent.#completionTokens >= limit
    return isExhausted ? limit : parent.exhaustedParentLimit()
  }
}
