import type { ApprovalRecord } from '../types/approval.js'
import type { HandoffItem, RunItem } from '../types/chat.js'
import type { McpAnswer, McpElicitation } from '../types/elicitation.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { JsonText, Mutable } from '../types/json.js'
import type { Answers, CallStop, DataSource, PendingAnswer, RunSuspension, StopSignal } from '../types/outcome.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentDescriptor } from '../types/registration.js'
import type { AgentRun, McpConnectionInfo, RunInput, RunPolicy, TraceContext, Tracer } from '../types/run.js'
import type { ModelUsage } from '../types/token-usage.js'
import type { ToolCallRef } from '../types/tool.js'
import type { ApprovalMemory } from './approvals.js'
import type { BoundTool } from './bound-tools.js'
import type { Budget } from './budget.js'
import type { CallTracker } from './call-group.js'
import type { EventScope, SuspendedCallEnds } from './events.js'
import type { KeptResults } from './kept-results.js'
import type { CallDetail } from './provenance.js'
import type { Redaction } from './redaction.js'
import { ignoreErrors } from './telemetry.js'

/** Data for an executor that starts a nested run, for example of an agent used as a tool. The run's result becomes the result of `call`. */
export interface NestedRunContext {
  readonly call: ToolCallRef
  readonly arguments: JsonText
  readonly env: unknown
  readonly parent: ParentRun
  /** Context of calls that the executor makes, for example the calls of a program. */
  readonly inner: InnerCallContext
  readonly resumption: NestedResumption | undefined
  readonly elicitation: ElicitationResumption | undefined
  readonly tracer: Tracer | undefined
  readonly results: KeptResults
  readonly resultScope: string | undefined
  /**
   * Sets a function that returns current data about the nested run, such as its calls and tokens. The runtime calls the function when the
   * call ends or is aborted.
   */
  describe(detail: () => CallDetail): void
  /**
   * Sets a function that returns a description of the effects of the call so far. If the runtime ends the call, for example after a timeout or an
   * abort, the runtime adds this description to the failure message.
   */
  describeEffects(text: () => string): void
  /** Stops the timer for the time limit `toolTimeoutMs` of this call. The limit still applies to each call that the executor makes with `inner`. */
  endToolTimeout(): void
  /** Executes the nested run separately from the call, for example in another process. `undefined` if the nested run must run inside the call. */
  readonly runSeparately: SeparateRun | undefined
  readonly tool: Pick<BoundTool, 'spec' | 'result'>
}

export const NESTED_RUN: unique symbol = Symbol('nestedRun')

/** Request with the context of a nested run. Only the runtime creates such requests. */
export interface NestingRequest extends ExecutorRequest {
  readonly [NESTED_RUN]: () => NestedRunContext
}

export function nestedRunContext(request: ExecutorRequest & Partial<NestingRequest>): NestedRunContext {
  const context = request[NESTED_RUN]?.()
  if (context !== undefined) return context
  throw new TypeError(
    'The executor of an agent received a request that the runtime did not create. Pass on the argument of execute(request).',
  )
}

/**
 * Returns an object whose property `resumption` contains the user's answers to the questions of an MCP server. The property is `undefined` for a
 * new call. Returns `undefined` for a request that the runtime did not create, because only the runtime can suspend a call.
 */
export function elicitationContext(
  request: ExecutorRequest & Partial<NestingRequest>,
): { readonly resumption: ElicitationResumption | undefined } | undefined {
  const context = request[NESTED_RUN]?.()
  return context && { resumption: context.elicitation }
}

export function traceContextOf(request: ExecutorRequest & Partial<NestingRequest>): TraceContext | undefined {
  try {
    return request[NESTED_RUN]?.().tracer?.traceContext?.()
  } catch {
    // Errors of the tracer are ignored.
    return undefined
  }
}

/**
 * Adds data about the connection to an MCP server to the active span. Call this function after `caller` has sent a request. Does nothing if the
 * runtime has no tracer.
 */
export function recordMcpConnection(
  request: ExecutorRequest & Partial<NestingRequest>,
  caller: { readonly connection?: McpConnectionInfo | undefined },
): void {
  const tracer = request[NESTED_RUN]?.().tracer
  if (tracer?.mcpConnection === undefined) return
  ignoreErrors(() => {
    const { connection } = caller
    if (connection !== undefined) tracer.mcpConnection?.(connection)
  })
}

export type CallResumption = AnsweredResumption | NestedResumption | ElicitationResumption

interface AnsweredResumption {
  readonly kind: 'answer'
  readonly answer: Exclude<PendingAnswer, McpAnswer>
  /** Arguments of the suspended call. An approval applies only to these arguments. */
  readonly arguments: JsonText
  /** Arguments that the registration's `payloadAdapter` returned. Omitted if the adapter did not change the arguments. */
  readonly adapted?: JsonText | undefined
}

export interface NestedResumption {
  readonly kind: 'nested'
  readonly suspension: RunSuspension
  readonly answers: Answers
  /** Arguments at the start of the call. The nested run continues only with the same arguments. */
  readonly arguments: JsonText
  readonly approval?: ApprovalRecord | undefined
}

export interface ElicitationResumption {
  readonly kind: 'elicitation'
  /** Questions of the server. Not validated, because a call outside a run can pass any value. */
  readonly elicitation: unknown
  /** Key of a question → answer of the user. Not validated. */
  readonly answers: unknown
  readonly arguments: JsonText
  readonly adapted?: JsonText | undefined
  readonly approval?: ApprovalRecord | undefined
}

/** Value that an executor returns if its MCP server asks the user a question. The runtime then suspends the call. */
export class ElicitationSuspension {
  readonly elicitation: McpElicitation

  constructor(elicitation: McpElicitation) {
    this.elicitation = elicitation
  }
}

/** Value that an executor returns if its nested run is suspended. The runtime then suspends the call that started the nested run. */
export class NestedSuspension {
  readonly run: RunSuspension

  constructor(run: RunSuspension) {
    this.run = run
  }
}

/** Function that receives a new item, such as a message, of the nested run with the id `runId`. `read` returns the item. */
export type NestedItems = (runId: string, read: () => RunItem) => void

/** Context that a nested run inherits from its call. */
export interface ParentRun {
  /** Object that identifies the runtime: the `RunningCalls` object that all agents of the runtime share. */
  readonly runtime: object
  readonly runId: string | undefined
  readonly config: unknown
  /** Agents whose runs contain the call, starting with the outermost run. */
  readonly agents: readonly AgentDescriptor[]
  readonly maxDepth: number
  readonly tokens: TokenLedger | undefined
  /** Budgets of the parent runs. The usage of nested runs counts against these budgets. */
  readonly budgets: readonly Budget[]
  readonly events: EventScope | undefined
  readonly items: { push(item: HandoffItem): void } | undefined
  readonly nestedItems: NestedItems | undefined
  /**
   * True if nested runs at all levels send their events and items to the outer run. If false, only nested runs of registrations with the option
   * `deepTracing` send their events and items.
   */
  readonly deepTracing: boolean
  readonly confirm: (() => Promise<void>) | undefined
  readonly redaction: Redaction | undefined
  readonly approvals: ApprovalMemory | undefined
  /**
   * Returns the earlier calls that read private data or untrusted text. The result includes calls of the outer runs, of the conversation
   * before the run, and of earlier steps of the run. In a program, the result also includes the calls of the program so far.
   */
  readonly sources: () => readonly DataSource[]
}

export interface NestedRunRequest {
  readonly agent: string
  /** Call that receives the result of the run. */
  readonly call: ToolCallRef
  readonly source: { readonly input: RunInput } | Pick<NestedResumption, 'suspension' | 'answers'>
  readonly meta: Pick<RunMeta, 'sessionId' | 'turnId' | 'labels' | 'signal'>
  readonly deepTracing: boolean
  readonly parent: ParentRun
}

/** Function that executes a nested run separately, for example in another process, and returns its result. */
export type SeparateRun = (request: NestedRunRequest) => Promise<AgentRun>

export interface RunCallContext {
  readonly events: EventScope | undefined
  /** Running calls of the step. For a call outside a run, all running calls of the runtime. */
  readonly calls: CallTracker
  /** Stores the `call_ended` events of the step's suspended calls. `undefined` outside a run. */
  readonly suspended: SuspendedCallEnds | undefined
  readonly limits: RunCallLimits
  readonly parent: ParentRun
  readonly resumption: CallResumption | undefined
  /**
   * Tools that an executor can call: a `CallTarget`. The declared type is `object`, because an import of `CallTarget` would create an import cycle.
   */
  readonly innerTarget: object
}

/** Limits of the calls of a run. The limits also apply to the calls that a call of the run makes. */
export interface RunCallLimits {
  readonly toolTimeoutMs?: number | undefined
  readonly parallelism?: number | undefined
  /** Counts a call inside another call. Returns `false` if the run accepts no more calls. */
  readonly admit?: () => boolean
  /** Ends the run with a stop signal that a call inside another call returned. */
  readonly finish?: (stop: CallStop) => void
}

export type InnerCallContext = Omit<RunCallContext, 'resumption'>

export const DEFAULT_MAX_DEPTH = 8

type TokenDetails = {
  readonly [Name in Exclude<keyof ModelUsage, 'promptTokens' | 'completionTokens'>]?: number | undefined
}

// These functions name each property, because a loop over the names takes 3 % of the time of a run.

export function copyTokenDetails(to: Mutable<ModelUsage>, from: TokenDetails): void {
  const { cachedPromptTokens, cacheWritePromptTokens, reasoningTokens, cost } = from
  if (cachedPromptTokens !== undefined) to.cachedPromptTokens = cachedPromptTokens
  if (cacheWritePromptTokens !== undefined) to.cacheWritePromptTokens = cacheWritePromptTokens
  if (reasoningTokens !== undefined) to.reasoningTokens = reasoningTokens
  if (cost !== undefined) to.cost = cost
}

export function addTokens(total: Mutable<ModelUsage>, added: ModelUsage): void {
  combine(total, total, added, (before, more) => before + more)
}

const NO_TOKENS: ModelUsage = Object.freeze({ promptTokens: 0, completionTokens: 0 })

export function tokensSince(usage: ModelUsage, before: ModelUsage = NO_TOKENS): ModelUsage {
  return combine({ ...NO_TOKENS }, usage, before, (now, then) => now - then)
}

/** Returns the greater number of `a` and `b` for each count. */
export function mostTokens(a: ModelUsage | undefined, b: ModelUsage): ModelUsage {
  return combine({ ...NO_TOKENS }, a ?? NO_TOKENS, b, Math.max)
}

function combine(
  to: Mutable<ModelUsage>,
  a: ModelUsage,
  b: ModelUsage,
  operation: (a: number, b: number) => number,
): ModelUsage {
  const both = (one: number | undefined, other: number | undefined): number | undefined =>
    one === undefined && other === undefined ? undefined : operation(one ?? 0, other ?? 0)
  to.promptTokens = operation(a.promptTokens, b.promptTokens)
  to.completionTokens = operation(a.completionTokens, b.completionTokens)
  copyTokenDetails(to, {
    cachedPromptTokens: both(a.cachedPromptTokens, b.cachedPromptTokens),
    cacheWritePromptTokens: both(a.cacheWritePromptTokens, b.cacheWritePromptTokens),
    reasoningTokens: both(a.reasoningTokens, b.reasoningTokens),
    cost: both(a.cost, b.cost),
  })
  return to
}

type UsageLimits = Pick<RunPolicy, 'maxTokens' | 'maxCost'>

const NO_LIMITS: UsageLimits = Object.freeze({})

/** Counter of the tokens and the cost of a run and its nested runs. The usage of a nested run also counts against the limits of its parent runs. */
export class TokenLedger {
  #usage: Mutable<ModelUsage> = { promptTokens: 0, completionTokens: 0 }
  readonly #limit: number | undefined
  readonly #maxCost: number | undefined
  readonly #parent: TokenLedger | undefined

  /**
   * @param limits limits of this run
   * @param spent usage before the suspension of a resumed run
   */
  constructor(limits: UsageLimits, parent: TokenLedger | undefined, spent?: ModelUsage) {
    this.#limit = limits.maxTokens
    this.#maxCost = limits.maxCost
    this.#parent = parent
    if (spent !== undefined) addTokens(this.#usage, spent)
  }

  /** Usage so far. The returned object changes with later usage. */
  get usage(): ModelUsage {
    return this.#usage
  }

  /**
   * Returns the token limit of this ledger and the used tokens. A ledger without a limit uses its nearest parent with a limit. Returns
   * `undefined` if no ledger has a limit.
   */
  get limit(): { readonly limit: number; readonly used: number } | undefined {
    if (this.#limit === undefined) return this.#parent?.limit
    return { limit: this.#limit, used: this.#usage.promptTokens + this.#usage.completionTokens }
  }

  get costLimit(): { readonly limit: number; readonly used: number } | undefined {
    if (this.#maxCost === undefined) return this.#parent?.costLimit
    return { limit: this.#maxCost, used: this.#usage.cost ?? 0 }
  }

  spend(usage: ModelUsage): void {
    addTokens(this.#usage, usage)
    this.#parent?.spend(usage)
  }

  restart(): void {
    this.#usage = { promptTokens: 0, completionTokens: 0 }
  }

  /**
   * Returns the stop signal of the innermost run that has reached its limit: this run or one of its parent runs. Returns `undefined` if no run has
   * reached its limit.
   */
  exhausted(): StopSignal | undefined {
    const { promptTokens, completionTokens, cost = 0 } = this.#usage
    const [limit, maxCost] = [this.#limit, this.#maxCost]
    if (limit !== undefined && promptTokens + completionTokens >= limit) return { reason: 'max_tokens', limit }
    if (maxCost !== undefined && cost >= maxCost) return { reason: 'max_cost', limit: maxCost, used: cost }
    return this.#parent?.exhausted()
  }

  exhaustedParentLimit(): number | undefined {
    const parent = this.#parent
    if (parent === undefined) return undefined
    const limit = parent.#limit
    const isExhausted = limit !== undefined && parent.#usage.promptTokens + parent.#usage.completionTokens >= limit
    return isExhausted ? limit : parent.exhaustedParentLimit()
  }

  exhaustedParentCost(): { readonly limit: number; readonly used: number } | undefined {
    const parent = this.#parent
    if (parent === undefined) return undefined
    const limit = parent.#maxCost
    const used = parent.#usage.cost ?? 0
    return limit !== undefined && used >= limit ? { limit, used } : parent.exhaustedParentCost()
  }
}

/**
 * Calls and tokens that an executor uses, for example to run a program, as plain data that JSON can represent. This usage counts against the limits
 * of the run.
 */
export interface InnerUsage extends ModelUsage {
  /** Number of calls that the executor made, including rejected calls. */
  readonly calls: number
  readonly handoffs: readonly HandoffItem[]
  readonly stop?: CallStop
}

/** Measures the calls and tokens that the executor of one call uses. The usage immediately counts against the limits of the run. */
export class InnerUsageMeter {
  readonly context: RunCallContext
  #ledger: TokenLedger
  #calls = 0
  #handoffs: HandoffItem[] = []
  #stop: CallStop | undefined

  /** @param onFinish called if the outcome of a call that the executor made contains `stop`; the run receives this stop signal later, from `take` */
  constructor(run: RunCallContext, onFinish: () => void) {
    const { limits, parent } = run
    this.#ledger = new TokenLedger(NO_LIMITS, parent.tokens)
    this.context = {
      ...run,
      limits: {
        ...limits,
        admit: () => {
          this.#calls += 1
          return limits.admit?.() ?? true
        },
        finish: (stop) => {
          this.#stop ??= stop
          onFinish()
        },
      },
      parent: { ...parent, tokens: this.#ledger, items: { push: (item) => this.#handoffs.push(item) } },
    }
  }

  /** Returns the usage since the previous call of this method. Returns `undefined` if the executor used nothing in this time. */
  take(): InnerUsage | undefined {
    const stop = this.#stop
    const usage = { calls: this.#calls, ...this.#ledger.usage, handoffs: this.#handoffs }
    this.#ledger.restart()
    this.#calls = 0
    this.#handoffs = []
    this.#stop = undefined
    const isUsed =
      usage.calls + usage.promptTokens + usage.completionTokens + usage.handoffs.length > 0 || stop !== undefined
    return isUsed ? { ...usage, ...(stop !== undefined && { stop }) } : undefined
  }
}

/**
 * Adds the usage of an executor (calls, tokens and handoffs) to the run of its call.
 *
 * @param isCounted true if the run has already counted the calls and tokens
 */
export function addInnerUsage({ limits, parent }: RunCallContext, usage: InnerUsage, isCounted: boolean): void {
  if (!isCounted) {
    for (let call = 0; call < usage.calls; call += 1) limits.admit?.()
    parent.tokens?.spend(usage)
  }
  for (const item of usage.handoffs) parent.items?.push(item)
  if (usage.stop !== undefined) limits.finish?.(usage.stop)
}
