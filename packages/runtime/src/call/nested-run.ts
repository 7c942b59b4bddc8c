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

/** Context of a nested run that produces the result of a call. The executor of an agent's tools reads this context. */
export interface NestedRunContext {
  readonly call: ToolCallRef
  /** The arguments as the caller sent them. */
  readonly arguments: JsonText
  /** The `env` option of the caller. Nested runs receive it too. */
  readonly env: unknown
  readonly parent: ParentRun
  /** Context of the calls that the executor makes itself, for example the calls of a program. */
  readonly inner: InnerCallContext
  /** State of a suspended nested run that this attempt continues; absent for a new nested run. */
  readonly resumption: NestedResumption | undefined
  /** Answers to the questions of an MCP server, with which this attempt continues; absent for a new call. */
  readonly elicitation: ElicitationResumption | undefined
  /** Tracer of the runtime; `undefined` if it has none. */
  readonly tracer: Tracer | undefined
  /** Kept results of the runtime, and the scope whose results the call can read. */
  readonly results: KeptResults
  readonly resultScope: string | undefined
  /**
   * Sets a function that returns current data about the nested run, such as its calls and tokens. The runtime calls the function when the
   * call ends or is aborted.
   */
  describe(detail: () => CallDetail): void
  /**
   * Sets a function that describes the effects of the call so far. The runtime adds this text to a failure without an own message, for
   * example after a timeout or an abort.
   */
  describeEffects(text: () => string): void
  /** Ends the time limit `toolTimeoutMs` of this call. The limit still applies to each call that the executor makes with `inner`. */
  endToolTimeout(): void
  /**
   * Executes the nested run separately from the call, for example in another process. `undefined` if the nested run is
   * executed inside the call.
   */
  readonly runSeparately: SeparateRun | undefined
  /** Tool of the call. */
  readonly tool: Pick<BoundTool, 'spec' | 'result'>
}

/** Key of the request method that returns the context of a nested run. */
export const NESTED_RUN: unique symbol = Symbol('nestedRun')

/** Request with the context of a nested run. Only the runtime creates such requests. */
export interface NestingRequest extends ExecutorRequest {
  readonly [NESTED_RUN]: () => NestedRunContext
}

/**
 * Returns the context of the nested run that produces the result of a request's call.
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

/**
 * Returns the answers with which the call of a request continues on its MCP server; `resumption` is `undefined` for a new call. Returns
 * `undefined` for a request that the runtime did not create: its call cannot be suspended.
 */
export function elicitationContext(
  request: ExecutorRequest & Partial<NestingRequest>,
): { readonly resumption: ElicitationResumption | undefined } | undefined {
  const context = request[NESTED_RUN]?.()
  return context && { resumption: context.elicitation }
}

/** Returns the trace context of the active span for a request to another process; `undefined` without a tracer. */
export function traceContextOf(request: ExecutorRequest & Partial<NestingRequest>): TraceContext | undefined {
  try {
    return request[NESTED_RUN]?.().tracer?.traceContext?.()
  } catch {
    // Errors of the tracer are ignored.
    return undefined
  }
}

/**
 * Adds data about the connection to an MCP server to the active span, after `caller` has sent a request. Does nothing
 * without a tracer.
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

/** Data that continue a suspended call: the answer to the call, or the answers to its nested run or MCP server. */
export type CallResumption = AnsweredResumption | NestedResumption | ElicitationResumption

/** The answer to a suspended call. */
interface AnsweredResumption {
  readonly kind: 'answer'
  readonly answer: Exclude<PendingAnswer, McpAnswer>
  /** Arguments of the suspended call. The answer `approve` applies only to these arguments. */
  readonly arguments: JsonText
  /** The arguments after the payload adapter; absent if the adapter did not change the arguments. */
  readonly adapted?: JsonText | undefined
}

/** Answers with which the suspended nested run of a call continues. */
export interface NestedResumption {
  readonly kind: 'nested'
  readonly suspension: RunSuspension
  readonly answers: Answers
  /** Arguments with which the call started. The nested run continues only if the call has the same arguments. */
  readonly arguments: JsonText
  /** Approval with which the call started. */
  readonly approval?: ApprovalRecord | undefined
}

/** Answers with which a call continues after an MCP server has interrupted it with questions. */
export interface ElicitationResumption {
  readonly kind: 'elicitation'
  /** Questions of the server, unvalidated: a call outside a run can pass any value. */
  readonly elicitation: unknown
  /** Answers by the keys of the questions, unvalidated. */
  readonly answers: unknown
  /** Arguments of the suspended call. The call continues only with the same arguments. */
  readonly arguments: JsonText
  /** Arguments after the payload adapter, if the adapter changed them. */
  readonly adapted?: JsonText | undefined
  /** Approval with which the call started. */
  readonly approval?: ApprovalRecord | undefined
}

/** Result of an executor whose MCP server asks the user. The call is then suspended. */
export class ElicitationSuspension {
  readonly elicitation: McpElicitation

  constructor(elicitation: McpElicitation) {
    this.elicitation = elicitation
  }
}

/** Result of an executor whose nested run is suspended. The call is then suspended too. */
export class NestedSuspension {
  readonly run: RunSuspension

  constructor(run: RunSuspension) {
    this.run = run
  }
}

/** Receives an item of the nested run with the id `runId`. `read` returns the item. */
export type NestedItems = (runId: string, read: () => RunItem) => void

/** Context that a nested run inherits from its call. */
export interface ParentRun {
  /** Object that identifies the runtime: the `RunningCalls` that all agents of the runtime share. */
  readonly runtime: object
  /** Id of the run that contains the call; `undefined` for a call outside a run. */
  readonly runId: string | undefined
  /** Run configuration of the caller. Nested runs use it too. */
  readonly config: unknown
  /** The agents whose runs contain the call, the outermost first. */
  readonly agents: readonly AgentDescriptor[]
  readonly maxDepth: number
  /** Token usage of the parent run, which includes its nested runs. `undefined` for a call outside a run. */
  readonly tokens: TokenLedger | undefined
  /** Budgets of the parent runs. Nested runs spend them too. */
  readonly budgets: readonly Budget[]
  /** Events of the parent run or call; `undefined` if there are no listeners. */
  readonly events: EventScope | undefined
  /** Receives a handoff item for each nested run; `undefined` for a call outside a run. */
  readonly items: { push(item: HandoffItem): void } | undefined
  /** Receives the items of nested runs; `undefined` for a call outside a run. */
  readonly nestedItems: NestedItems | undefined
  /** True to emit the events and items of nested runs even if a registration suppresses these events. */
  readonly deepTracing: boolean
  /** The option `confirm` of the outermost run or call. */
  readonly confirm: (() => Promise<void>) | undefined
  /** Sensitive values of the session or outermost run; `undefined` if no tool of the runtime has sensitive fields. */
  readonly redaction: Redaction | undefined
  /** Approvals that the session of the outermost run or call remembers. */
  readonly approvals: ApprovalMemory | undefined
  /**
   * Returns the calls that read private data or untrusted text before the current step: of the outer runs, of the conversation before the
   * run, and of the run. In a program, also the calls of the program so far.
   */
  readonly sources: () => readonly DataSource[]
}

/** Nested run that starts or continues, as {@link NestedRunContext.runSeparately} receives it. */
export interface NestedRunRequest {
  /** Name of the agent that runs. */
  readonly agent: string
  /** Call whose result the run produces. */
  readonly call: ToolCallRef
  /** Input of a new run, or the suspended run and its answers. */
  readonly source: { readonly input: RunInput } | Pick<NestedResumption, 'suspension' | 'answers'>
  readonly meta: Pick<RunMeta, 'sessionId' | 'turnId' | 'labels' | 'signal'>
  readonly deepTracing: boolean
  readonly parent: ParentRun
}

/** Executes a nested run separately, for example in another process, and returns its result. */
export type SeparateRun = (request: NestedRunRequest) => Promise<AgentRun>

/** Context of a call inside a run or inside another call. */
export interface RunCallContext {
  /** Events of the run or of the outer call; `undefined` if there are no listeners. */
  readonly events: EventScope | undefined
  /** Running calls of the same step. */
  readonly calls: CallTracker
  /** Stores the `call_ended` events of the step's suspended calls; `undefined` outside a run. */
  readonly suspended: SuspendedCallEnds | undefined
  readonly limits: RunCallLimits
  readonly parent: ParentRun
  readonly resumption: CallResumption | undefined
  /**
   * The `CallTarget` whose tools the executor of a call can call. The type is `object`, because the file of `CallTarget` imports this file.
   */
  readonly innerTarget: object
}

/** Limits of a run's calls, and of the calls that these calls make. */
export interface RunCallLimits {
  /** Maximum duration of a call in milliseconds; `undefined` if there is no limit. */
  readonly toolTimeoutMs?: number | undefined
  /** Maximum number of calls that run at the same time; `undefined` if there is no limit. */
  readonly parallelism?: number | undefined
  /** Counts a call that is made inside another call. Returns `false` if the run accepts no more calls. */
  readonly admit?: () => boolean
  /** Ends the run with a signal that a call inside another call has returned. */
  readonly finish?: (stop: CallStop) => void
}

/** Context of the calls that an executor makes. */
export type InnerCallContext = Omit<RunCallContext, 'resumption'>

/** Default of `maxDepth`: the maximum number of agents whose runs contain each other. */
export const DEFAULT_MAX_DEPTH = 8

/** Names of the amounts that a {@link ModelUsage} has only if they are known. */
export const TOKEN_DETAILS = ['cachedPromptTokens', 'cacheWritePromptTokens', 'reasoningTokens', 'cost'] as const

/** Copies the optional counts that `from` contains to `to`. */
export function copyTokenDetails(to: Mutable<ModelUsage>, from: ModelUsage): void {
  for (const name of TOKEN_DETAILS) {
    const count = from[name]
    if (count !== undefined) to[name] = count
  }
}

/** Adds counts of tokens to `total`. An optional count stays absent if both usages lack it. */
export function addTokens(total: Mutable<ModelUsage>, added: ModelUsage): void {
  total.promptTokens += added.promptTokens
  total.completionTokens += added.completionTokens
  for (const name of TOKEN_DETAILS) {
    const count = added[name]
    if (count !== undefined) total[name] = (total[name] ?? 0) + count
  }
}

/** Returns the tokens of `usage` that were used since `before`. */
export function tokensSince(usage: ModelUsage, before: ModelUsage | undefined): ModelUsage {
  const since: Mutable<ModelUsage> = {
    promptTokens: usage.promptTokens - (before?.promptTokens ?? 0),
    completionTokens: usage.completionTokens - (before?.completionTokens ?? 0),
  }
  for (const name of TOKEN_DETAILS) {
    const count = usage[name]
    if (count !== undefined) since[name] = count - (before?.[name] ?? 0)
  }
  return since
}

/** Returns a usage with the greater number of `a` and `b` for each count. */
export function mostTokens(a: ModelUsage | undefined, b: ModelUsage): ModelUsage {
  const most: Mutable<ModelUsage> = {
    promptTokens: Math.max(a?.promptTokens ?? 0, b.promptTokens),
    completionTokens: Math.max(a?.completionTokens ?? 0, b.completionTokens),
  }
  for (const name of TOKEN_DETAILS) {
    const counts = [a?.[name], b[name]].filter((count) => count !== undefined)
    if (counts.length > 0) most[name] = Math.max(...counts)
  }
  return most
}

type UsageLimits = Pick<RunPolicy, 'maxTokens' | 'maxCost'>

const NO_LIMITS: UsageLimits = Object.freeze({})

/** Tokens and cost of a run and its nested runs. The usage of a nested run counts against the limits of its parents too. */
export class TokenLedger {
  #usage: Mutable<ModelUsage> = { promptTokens: 0, completionTokens: 0 }
  readonly #limit: number | undefined
  readonly #maxCost: number | undefined
  readonly #parent: TokenLedger | undefined

  /**
   * @param limits limits of this run
   * @param spent usage before a resumed run was suspended
   */
  constructor(limits: UsageLimits, parent: TokenLedger | undefined, spent?: ModelUsage) {
    this.#limit = limits.maxTokens
    this.#maxCost = limits.maxCost
    this.#parent = parent
    if (spent !== undefined) addTokens(this.#usage, spent)
  }

  /** Tokens spent so far. The object changes when more tokens are spent. */
  get usage(): ModelUsage {
    return this.#usage
  }

  /**
   * Returns the token limit of this ledger, otherwise of its nearest parent with a limit, and the tokens spent of it;
   * `undefined` if there is no limit.
   */
  get limit(): { readonly limit: number; readonly used: number } | undefined {
    if (this.#limit === undefined) return this.#parent?.limit
    return { limit: this.#limit, used: this.#usage.promptTokens + this.#usage.completionTokens }
  }

  /**
   * Returns the cost limit of this ledger, otherwise of its nearest parent with a limit, and the cost spent of it;
   * `undefined` if there is no limit.
   */
  get costLimit(): { readonly limit: number; readonly used: number } | undefined {
    if (this.#maxCost === undefined) return this.#parent?.costLimit
    return { limit: this.#maxCost, used: this.#usage.cost ?? 0 }
  }

  /** Adds tokens to this ledger and its parents. */
  spend(usage: ModelUsage): void {
    addTokens(this.#usage, usage)
    this.#parent?.spend(usage)
  }

  /** Sets the usage of this ledger to zero. Does not change its parents. */
  restart(): void {
    this.#usage = { promptTokens: 0, completionTokens: 0 }
  }

  /** Returns the stop signal of this run or its nearest parent run that has reached its limit; `undefined` if none has. */
  exhausted(): StopSignal | undefined {
    const { promptTokens, completionTokens, cost = 0 } = this.#usage
    const [limit, maxCost] = [this.#limit, this.#maxCost]
    if (limit !== undefined && promptTokens + completionTokens >= limit) return { reason: 'max_tokens', limit }
    if (maxCost !== undefined && cost >= maxCost) return { reason: 'max_cost', limit: maxCost, used: cost }
    return this.#parent?.exhausted()
  }

  /** Returns the token limit of the nearest parent run that has reached its limit; `undefined` if no parent run has reached its limit. */
  exhaustedParentLimit(): number | undefined {
    const parent = this.#parent
    if (parent === undefined) return undefined
    const limit = parent.#limit
    const isExhausted = limit !== undefined && parent.#usage.promptTokens + parent.#usage.completionTokens >= limit
    return isExhausted ? limit : parent.exhaustedParentLimit()
  }

  /**
   * Returns the cost limit of the nearest parent run that has reached its limit, and the cost of this parent run;
   * `undefined` if there is no such parent run.
   */
  exhaustedParentCost(): { readonly limit: number; readonly used: number } | undefined {
    const parent = this.#parent
    if (parent === undefined) return undefined
    const limit = parent.#maxCost
    const used = parent.#usage.cost ?? 0
    return limit !== undefined && used >= limit ? { limit, used } : parent.exhaustedParentCost()
  }
}

/**
 * Calls and tokens that the executor of one call uses from its run, for example for the calls of a program. Plain data
 * that can be serialized as JSON.
 */
export interface InnerUsage extends ModelUsage {
  /** Number of calls that the executor made, including rejected ones. */
  readonly calls: number
  readonly handoffs: readonly HandoffItem[]
  /** Signal that a call of the executor returned. Absent without a signal. */
  readonly stop?: CallStop
}

/**
 * Measures the calls and tokens that the executor of one call uses from its run. They count against the limits of the
 * run at once.
 */
export class InnerUsageMeter {
  /** Context for the call whose usage is measured. */
  readonly context: RunCallContext
  #ledger: TokenLedger
  #calls = 0
  #handoffs: HandoffItem[] = []
  #stop: CallStop | undefined

  /** @param onFinish called when a call of the executor returns a final value. The run itself does not receive this value */
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

  /** Returns the usage since the last call of this method; `undefined` without usage. */
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
 * Adds the recorded usage of a call to its run.
 *
 * @param isCounted true if the run has counted the calls and tokens already
 */
export function addInnerUsage({ limits, parent }: RunCallContext, usage: InnerUsage, isCounted: boolean): void {
  if (!isCounted) {
    for (let call = 0; call < usage.calls; call += 1) limits.admit?.()
    parent.tokens?.spend(usage)
  }
  for (const item of usage.handoffs) parent.items?.push(item)
  if (usage.stop !== undefined) limits.finish?.(usage.stop)
}
