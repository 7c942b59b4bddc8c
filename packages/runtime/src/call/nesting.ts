import type { AgentDescriptor } from '../types/agent.js'
import type { ToolCallRef } from '../types/call.js'
import type { HandoffItem } from '../types/chat.js'
import type { Decoded } from '../types/codec.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { Answers, PendingAnswer, RunSuspension } from '../types/outcome.js'
import type { TokenUsage } from '../types/planner.js'
import type { EventScope } from './events.js'
import type { CallDetail } from './provenance.js'

/** What the executor of an agent's tools knows beside what other executors do: how to run something beneath the call. */
export interface NestedRunContext {
  readonly call: ToolCallRef
  /** The arguments as they were sent. */
  readonly arguments: JsonText
  /** What the caller gave: it holds for runs beneath the call too. */
  readonly env: unknown
  readonly above: ParentRun
  /** Present for the attempt that continues a suspended nested run. */
  readonly resumption: NestedResumption | undefined
  /** Gives the facts of the run that serves the call, as of now; they are read when the call ends, also by an abort. */
  describe(detail: () => CallDetail): void
  /** A result as JSON, as the tool declares it. */
  decodeResult(value: JsonValue): Decoded<unknown>
}

/** Under which the runtime's requests have the door to runs beneath their call. */
export const NEST: unique symbol = Symbol('nest')

/** A request of the runtime's own making. */
export interface NestingRequest extends ExecutorRequest {
  readonly [NEST]: { nest(): NestedRunContext }
}

/**
 * The door to runs beneath the call of a request.
 *
 * @throws {TypeError} for a request that no runtime made.
 */
export function nestedRunContext(request: ExecutorRequest): NestedRunContext {
  if (isNesting(request)) return request[NEST].nest()
  throw new TypeError(
    'the executor of an agent takes the request of a runtime: pass on what execute(request) was given',
  )
}

function isNesting(request: ExecutorRequest): request is NestingRequest {
  return NEST in request
}

/** Data with which a suspended call continues: an answer of its own, or answers for the nested run that waits. */
export type CallResumption = AnsweredResumption | NestedResumption

/** An answer to the call itself. */
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

/** What an executor answers with whose own run waits for somebody: the call is suspended then. */
export class NestedSuspension {
  readonly run: RunSuspension

  constructor(run: RunSuspension) {
    this.run = run
  }
}

/** What a run beneath a call takes over from what is above it. */
export interface ParentRun {
  /** The runtime of the call, told apart by what its calls share. */
  readonly runtime: object
  /** The configuration of the run: it holds beneath it too. Absent where there is none. */
  readonly config: unknown
  /** The agents at work above, the outermost first. */
  readonly agents: readonly AgentDescriptor[]
  /** How many agents may stand above a run. */
  readonly maxDepth: number
  /** What is spent beneath is spent above too; absent for a call outside a run. */
  readonly tokens: TokenLedger | undefined
  /** Where the events above go; absent where nobody listens. */
  readonly events: EventScope | undefined
  /** Receives the handoffs to runs beneath; absent for a call outside a run. */
  readonly items: { addHandoff(item: HandoffItem): void } | undefined
  /** Whether the events of runs beneath go there too, whatever their registrations say. */
  readonly deepTracing: boolean
}

/** How many agents may stand above a run where no policy says it. */
export const DEFAULT_MAX_DEPTH = 8

/** The tokens of a run and of the runs beneath it. What is spent here is spent above too. */
export class TokenLedger {
  #promptTokens: number
  #completionTokens: number
  readonly #limit: number | undefined
  readonly #above: TokenLedger | undefined

  /** @param limit the run's own; absent: none */
  constructor(limit: number | undefined, above: TokenLedger | undefined, begun: TokenUsage = NOTHING) {
    this.#limit = limit
    this.#above = above
    this.#promptTokens = begun.promptTokens
    this.#completionTokens = begun.completionTokens
  }

  get promptTokens(): number {
    return this.#promptTokens
  }

  get completionTokens(): number {
    return this.#completionTokens
  }

  /** Adds tokens here and to the runs above. */
  spend({ promptTokens, completionTokens }: TokenUsage): void {
    this.#promptTokens += promptTokens
    this.#completionTokens += completionTokens
    this.#above?.spend({ promptTokens, completionTokens })
  }

  /** The limit of a run above this one that is used up; `undefined` where none is. */
  exhaustedParentLimit(): number | undefined {
    const above = this.#above
    return above === undefined ? undefined : (above.#spent() ?? above.exhaustedParentLimit())
  }

  #spent(): number | undefined {
    const limit = this.#limit
    return limit !== undefined && this.#promptTokens + this.#completionTokens >= limit ? limit : undefined
  }
}

const NOTHING: TokenUsage = Object.freeze({ promptTokens: 0, completionTokens: 0 })
