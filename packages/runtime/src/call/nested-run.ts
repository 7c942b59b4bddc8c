import type { ApprovalRecord } from '../types/approval.js'
import type { HandoffItem, RunItem } from '../types/chat.js'
import type { McpAnswer, McpElicitation } from '../types/elicitation.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { JsonText, Mutable } from '../types/json.js'
import type {
  Answers,
  ApprovedArguments,
  CallStop,
  DataSource,
  PendingAnswer,
  RunSuspension,
  StopSignal,
} from '../types/outcome.js'
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

export interface NestedRunContext {
  readonly call: ToolCallRef
  readonly arguments: JsonText
  readonly env: unknown
  readonly parent: ParentRun
  readonly inner: InnerCallContext
  readonly resumption: NestedResumption | undefined
  readonly elicitation: ElicitationResumption | undefined
  readonly tracer: Tracer | undefined
  readonly results: KeptResults
  readonly resultScope: string | undefined
  /** The runtime calls `detail` when the call ends or is aborted. */
  describe(detail: () => CallDetail): void
  /**
   * If the runtime ends the call, for example after a timeout or an abort, the failure message contains this text about the effects of the call so
   * far.
   */
  describeEffects(text: () => string): void
  /** The time limit `toolTimeoutMs` still applies to each call that the executor makes with `inner`. */
  endToolTimeout(): void
  /** `undefined` if the nested run must run inside the call. */
  readonly runSeparately: SeparateRun | undefined
  readonly tool: Pick<BoundTool, 'spec' | 'result'>
}

export const NESTED_RUN: unique symbol = Symbol('nestedRun')

/** Only the runtime creates such requests. */
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

/** The result is `undefined` for a request that the runtime did not create, because only the runtime can suspend a call. */
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

/** Call this function after `caller` has sent a request. */
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

interface ResumedArguments {
  /** The answer and the approval apply only to these arguments. */
  readonly arguments: JsonText
  /** Approvals of other arguments in earlier rounds. */
  readonly approved?: readonly ApprovedArguments[] | undefined
}

interface AnsweredResumption extends ResumedArguments {
  readonly kind: 'answer'
  readonly answer: Exclude<PendingAnswer, McpAnswer>
  readonly adapted?: JsonText | undefined
}

/** The nested run continues only if the resumed call has the same arguments. */
interface NestedResumption extends ResumedArguments {
  readonly kind: 'nested'
  readonly suspension: RunSuspension
  readonly answers: Answers
  readonly approval?: ApprovalRecord | undefined
}

export interface ElicitationResumption extends ResumedArguments {
  readonly kind: 'elicitation'
  /** Not validated, because a call outside a run can pass any value. */
  readonly elicitation: unknown
  readonly answers: unknown
  readonly adapted?: JsonText | undefined
  readonly approval?: ApprovalRecord | undefined
}

/** An executor returns this object if its MCP server asks the user a question. The runtime then suspends the call. */
export class ElicitationSuspension {
  readonly elicitation: McpElicitation

  constructor(elicitation: McpElicitation) {
    this.elicitation = elicitation
  }
}

/** An executor returns this object if its nested run is suspended. The runtime then suspends the call. */
export class NestedSuspension {
  readonly run: RunSuspension

  constructor(run: RunSuspension) {
    this.run = run
  }
}

export type NestedItems = (runId: string, read: () => RunItem) => void

export interface ParentRun {
  /** Identity of the runtime: the `RunningCalls` object that all agents of a runtime share. */
  readonly runtime: object
  readonly runId: string | undefined
  readonly config: unknown
  /** The first agent is that of the outermost run. */
  readonly agents: readonly AgentDescriptor[]
  readonly maxDepth: number
  readonly tokens: TokenLedger | undefined
  /** The usage of nested runs counts against these budgets. */
  readonly budgets: readonly Budget[]
  readonly events: EventScope | undefined
  readonly items: { push(item: HandoffItem): void } | undefined
  readonly nestedItems: NestedItems | undefined
  /** If false, only nested runs of registrations with the option `deepTracing` send their events and items to the outer run. */
  readonly deepTracing: boolean
  readonly confirm: (() => Promise<void>) | undefined
  readonly redaction: Redaction | undefined
  readonly approvals: ApprovalMemory | undefined
  /**
   * Includes the calls of the outer runs, of the conversation before the run, and of earlier steps of the run. In a program, also includes the calls
   * of the program so far.
   */
  readonly sources: () => readonly DataSource[]
}

export interface NestedRunRequest {
  readonly agent: string
  readonly call: ToolCallRef
  readonly source: { readonly input: RunInput } | Pick<NestedResumption, 'suspension' | 'answers'>
  readonly meta: Pick<RunMeta, 'sessionId' | 'turnId' | 'labels' | 'signal'>
  readonly deepTracing: boolean
  readonly parent: ParentRun
}

export type SeparateRun = (request: NestedRunRequest) => Promise<AgentRun>

export interface RunCallContext {
  readonly events: EventScope | undefined
  readonly calls: CallTracker
  readonly suspended: SuspendedCallEnds | undefined
  readonly limits: RunCallLimits
  readonly parent: ParentRun
  readonly resumption: CallResumption | undefined
  /** Always a `CallTarget`. The declared type is `object`, because an import of `CallTarget` would create an import cycle. */
  readonly innerTarget: object
}

/** The limits also apply to the calls that a call of the run makes. */
export interface RunCallLimits {
  readonly toolTimeoutMs?: number | undefined
  readonly parallelism?: number | undefined
  /** Counts a call inside another call. Returns `false` if the run accepts no more calls. */
  readonly admit?: () => boolean
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
  return combine({ promptTokens: 0, completionTokens: 0 }, usage, before, (now, then) => now - then)
}

export function mostTokens(a: ModelUsage | undefined, b: ModelUsage): ModelUsage {
  return combine({ promptTokens: 0, completionTokens: 0 }, a ?? NO_TOKENS, b, Math.max)
}

function combine(
  to: Mutable<ModelUsage>,
  a: ModelUsage,
  b: ModelUsage,
  operation: (a: number, b: number) => number,
): ModelUsage {
  const { cachedPromptTokens: cached, cacheWritePromptTokens: written, reasoningTokens: reasoning, cost } = b
  to.promptTokens = operation(a.promptTokens, b.promptTokens)
  to.completionTokens = operation(a.completionTokens, b.completionTokens)
  if ((a.cachedPromptTokens ?? cached) !== undefined)
    to.cachedPromptTokens = operation(a.cachedPromptTokens ?? 0, cached ?? 0)
  if ((a.cacheWritePromptTokens ?? written) !== undefined)
    to.cacheWritePromptTokens = operation(a.cacheWritePromptTokens ?? 0, written ?? 0)
  if ((a.reasoningTokens ?? reasoning) !== undefined)
    to.reasoningTokens = operation(a.reasoningTokens ?? 0, reasoning ?? 0)
  if ((a.cost ?? cost) !== undefined) to.cost = operation(a.cost ?? 0, cost ?? 0)
  return to
}

type UsageLimits = Pick<RunPolicy, 'maxTokens' | 'maxCost'>

const NO_LIMITS: UsageLimits = Object.freeze({})

/** The usage of a nested run also counts against the limits of its parent runs. */
export class TokenLedger {
  #usage: Mutable<ModelUsage> = { promptTokens: 0, completionTokens: 0 }
  readonly #limit: number | undefined
  readonly #maxCost: number | undefined
  readonly #parent: TokenLedger | undefined

  /** @param spent usage before the suspension of a resumed run */
  constructor(limits: UsageLimits, parent: TokenLedger | undefined, spent?: ModelUsage) {
    this.#limit = limits.maxTokens
    this.#maxCost = limits.maxCost
    this.#parent = parent
    if (spent !== undefined) addTokens(this.#usage, spent)
  }

  /** The returned object changes with later usage. */
  get usage(): ModelUsage {
    return this.#usage
  }

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

/** Must be data that JSON can represent. */
export interface InnerUsage extends ModelUsage {
  readonly calls: number
  readonly handoffs: readonly HandoffItem[]
  readonly stop?: CallStop
}

/** The usage immediately counts against the limits of the run. */
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

export function addInnerUsage({ limits, parent }: RunCallContext, usage: InnerUsage, isCounted: boolean): void {
  if (!isCounted) {
    for (let call = 0; call < usage.calls; call += 1) limits.admit?.()
    parent.tokens?.spend(usage)
  }
  for (const item of usage.handoffs) parent.items?.push(item)
  if (usage.stop !== undefined) limits.finish?.(usage.stop)
}
