import { CallRequest, deniedOutcome } from '../call/call-request.js'
import { ignoreErrors } from '../call/events.js'
import { guardLayer } from '../call/layer-scope.js'
import { hintTemplate } from '../call/render.js'
import { sleep } from '../call/timers.js'
import { payloadCodec } from '../codec/codecs.js'
import { cloneJson } from '../schema/json-values.js'
import type { ApprovalDecision, HasApproval } from '../types/call-options.js'
import type { Codec, Constraint } from '../types/codec.js'
import type { JsonText } from '../types/json.js'
import type { ToolLayer, ToolRequest } from '../types/layer.js'
import type { RetryHint, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, ToolCallRef } from '../types/tool.js'

/**
 * Ends a call that takes longer, with the reason `timeout`. The tool is notified by its signal; its later results and errors
 * are ignored. Around `retry` the limit applies to all attempts together, inside it to each attempt.
 *
 * @param milliseconds from 0 to 2,147,483,647
 * @throws {RangeError} for another number.
 *
 * @example
 * registration.layer(timeout(5_000))
 */
export function timeout(milliseconds: number): ToolLayer {
  if (!(milliseconds >= 0 && milliseconds <= 2_147_483_647)) {
    throw new RangeError(`timeout(${milliseconds}): give milliseconds from 0 to 2147483647`)
  }
  return (next) => (request) =>
    new Promise((resolve, reject) => {
      const { meta } = request
      const outer = meta.signal
      const controller = new AbortController()
      const end = (reason: unknown): void => {
        controller.abort(reason)
        request.fail(reason).then(resolve, reject)
      }
      const cancel = (): void => controller.abort(outer.reason)
      const timer = setTimeout(() => {
        end(new DOMException(`the call took longer than ${milliseconds} ms`, 'TimeoutError'))
      }, milliseconds)
      if (outer.aborted) cancel()
      else outer.addEventListener('abort', cancel)
      next(request.withMeta({ ...meta, signal: controller.signal }))
        .then(resolve, reject)
        .finally(() => {
          clearTimeout(timer)
          outer.removeEventListener('abort', cancel)
        })
    })
}

/**
 * `strict`: any issue fails the call. `lenient`: missing and ill-typed fields fail it; unknown ones and values out of
 * their bounds pass.
 */
type InputSchemaMode = 'strict' | 'lenient'

/**
 * Holds the arguments of hand-written tools against their schema; without this layer it is only advertised. Around a
 * generated tool it does nothing: its codec has checked already.
 *
 * @example
 * const weather = tool({ description: '…', parameters, run }).layer(inputSchema('strict'))
 */
export function inputSchema(mode: InputSchemaMode): ToolLayer {
  return (next) => {
    let codec: Pick<Codec<never, unknown>, 'decodeValue'> | undefined
    return async (request) => {
      if (request.tool.provider !== 'function') return next(request)
      const sent = await request.decode()
      if (!sent.ok) return next(request)
      codec ??= payloadCodec({ schema: request.tool.arguments })
      const checked = codec.decodeValue(sent.value)
      const issues = checked.ok ? [] : checked.issues.filter(({ constraint }) => fails(mode, constraint))
      if (issues.length === 0) return next(request)
      return request.failInvalid(issues)
    }
  }
}

function fails(mode: InputSchemaMode, constraint: Constraint): boolean {
  return mode === 'strict' || LENIENT.has(constraint)
}

const LENIENT: ReadonlySet<Constraint> = new Set<Constraint>(['missing_field', 'invalid_type', 'no_variant_matches'])

/**
 * The defaults that suit most tools: each attempt may take 30 seconds, and there is one retry where the hint allows it.
 *
 * @example
 * support.layer(recommended())
 */
export function recommended(): ToolLayer {
  return stack(timeout(30_000), retry({ attempts: 2 }))
}

/**
 * Several layers as one: the last is the outermost, as if each had been chained by `.layer`.
 *
 * @example
 * const careful = stack(timeout(5_000), retry(), approval())
 */
export function stack(...layers: readonly ToolLayer[]): ToolLayer
export function stack<A>(a: ToolLayer<A>): ToolLayer<A>
export function stack<A, B>(a: ToolLayer<A>, b: ToolLayer<B>): ToolLayer<A & B>
export function stack<A, B, C>(a: ToolLayer<A>, b: ToolLayer<B>, c: ToolLayer<C>): ToolLayer<A & B & C>
export function stack<A, B, C, D>(
  a: ToolLayer<A>,
  b: ToolLayer<B>,
  c: ToolLayer<C>,
  d: ToolLayer<D>,
): ToolLayer<A & B & C & D>
export function stack<A, B, C, D, E>(
  a: ToolLayer<A>,
  b: ToolLayer<B>,
  c: ToolLayer<C>,
  d: ToolLayer<D>,
  e: ToolLayer<E>,
): ToolLayer<A & B & C & D & E>
export function stack<Env>(...layers: readonly ToolLayer<Env>[]): ToolLayer<Env>
export function stack(...layers: readonly ToolLayer<any>[]): ToolLayer<any> {
  // `any`: the overloads add up what each layer needs.
  return (next) => layers.reduce((service, layer) => guardLayer(layer, service), next)
}

/** One passage of a call through a tracing layer. */
export interface TraceSpan {
  readonly call: ToolCallRef
  /** 1 for the first attempt, where the layer stands beneath a retry. */
  readonly attempt: number
  /** In milliseconds since the epoch. */
  readonly start: number
  readonly durationMs: number
  readonly status: ToolOutcome['status']
}

/**
 * Reports each passage of a call through this place of the layers. Spans for OpenTelemetry come from
 * `@toolgen/runtime/otel`. What `report` throws is dropped.
 *
 * @param now milliseconds since the epoch; default: the machine's clock
 *
 * @example
 * runConfig().layer(tracing((span) => console.debug(span.call.tool, span.status, span.durationMs)))
 */
export function tracing(report: (span: TraceSpan) => void, now: () => number = Date.now): ToolLayer {
  return (next) => async (request) => {
    const start = now()
    const outcome = await next(request)
    const { call, meta } = request
    const { status } = outcome
    ignoreErrors(() => report({ call, attempt: meta.attempt, start, durationMs: Math.max(0, now() - start), status }))
    return outcome
  }
}

/**
 * Changes the JSON that a model reads of completed calls; `result.data` stays the declared value. What the function
 * throws makes the call fail as `internal`.
 *
 * @example
 * support.layer(transformOutput((json) => (json.length > 20_000 ? '"The result is too long; ask for less."' : json)))
 */
export function transformOutput(
  transform: (json: JsonText, context: { readonly tool: AgentToolSpec }) => JsonText | Promise<JsonText>,
): ToolLayer {
  return (next) => async (request) => {
    const outcome = await next(request)
    if (outcome.status !== 'completed') return outcome
    const json: unknown = await transform(outcome.json, { tool: request.tool })
    if (typeof json !== 'string') throw new TypeError('transformOutput: the function answered with no text')
    return { ...outcome, json }
  }
}

/** Options of `approval`. */
export interface ApprovalOptions {
  /** Selects tools that need an approval. Default: all. */
  readonly when?: (tool: AgentToolSpec) => boolean
}

/**
 * Asks `env.approval` before a tool runs. The arguments are decoded first: an invalid call fails without anybody being
 * asked. A denied call answers with the denied result of the design, else it fails as `denied`; so does a call whose
 * caller, in untyped code, gave no approval. A tool whose design declares a confirmation has this layer already.
 *
 * An approval holds for the arguments that the approver received, and for retries of the call with the same arguments.
 * Other arguments are asked about again, also where a layer between this one and the tool changes them.
 *
 * @example
 * support.layer(approval({ when: (tool) => tool.annotations.destructive === true }))
 */
export function approval({ when = () => true }: ApprovalOptions = {}): ToolLayer<HasApproval> {
  // By call: the arguments, after the payload adapter, that were approved.
  const approved = new WeakMap<ToolCallRef, Set<JsonText>>()
  /** @param isLate whether a layer below this one has changed the arguments of a call that had been let through */
  const refusal = async (request: ToolRequest<HasApproval>, isLate: boolean): Promise<ToolOutcome | undefined> => {
    // The answer of a resumed call stands: the tool service applies a denial or a result.
    if (request.answer !== undefined && (await isAsApproved(request))) return undefined
    const decoded = await request.decode()
    if (!decoded.ok) return request.failInvalid(decoded.issues)
    const adapted = await request.json()
    const before = approved.get(request.call)
    if (before?.has(adapted)) return undefined
    const prompt = promptOf(request, decoded.value)
    // The tool runs with the decoded value, whatever the approver does to its copy.
    const decision = await ask(request, cloneJson(decoded.value), prompt)
    if (decision === 'approve') {
      approved.set(request.call, new Set(before).add(adapted))
      return undefined
    }
    // Resumed, the call would be asked about with the arguments before the change again, without end.
    if (decision === 'suspend')
      return isLate ? request.fail(changedBelow(request)) : request.suspend('approval', prompt)
    return deniedOutcome(request, typeof decision === 'object' ? decision.reason : undefined)
  }
  return (next) => async (request) => {
    if (!when(request.tool)) return next(request)
    const outcome = await refusal(request, false)
    if (outcome !== undefined) return outcome
    return next(request instanceof CallRequest ? request.approved((changed) => refusal(changed, true)) : request)
  }
}

function isAsApproved(request: ToolRequest): boolean | Promise<boolean> {
  return !(request instanceof CallRequest) || request.isAsApproved()
}

function changedBelow({ tool }: ToolRequest): TypeError {
  return new TypeError(
    `a layer or hook below approval() changed the arguments of '${tool.id}', and the approver suspended the changed call: attach approval() below that layer, for example on the tool`,
  )
}

function promptOf({ tool }: ToolRequest, payload: unknown): string | undefined {
  return tool.confirmation === undefined ? undefined : hintTemplate(tool.confirmation.prompt)(payload)
}

async function ask(
  { env, tool, meta, arguments: sent }: ToolRequest<Partial<HasApproval>>,
  payload: unknown,
  prompt: string | undefined,
): Promise<ApprovalDecision> {
  if (typeof env.approval?.approve !== 'function') return 'deny'
  const decision: unknown = await env.approval.approve({
    ...(meta.agent !== undefined && { agent: meta.agent }),
    tool: tool.id,
    title: tool.title,
    toolCallId: meta.toolCallId,
    arguments: payload,
    rawArguments: sent,
    ...(prompt !== undefined && { prompt }),
    signal: meta.signal,
  })
  if (decision === 'approve' || decision === 'suspend') return decision
  return isReasoned(decision) ? { decision: 'deny', reason: decision.reason } : 'deny'
}

/** Anything but a clear yes or a clear "later" is a no. */
function isReasoned(decision: unknown): decision is { readonly reason: string } {
  return (
    typeof decision === 'object' && decision !== null && 'reason' in decision && typeof decision.reason === 'string'
  )
}

/** Options of `retry`. */
export interface RetryOptions {
  /** Maximum number of attempts, including the first. Default 2. */
  readonly attempts?: number
  /**
   * Wait before an attempt in milliseconds, if the hint has none. Default: 100, doubled for each attempt, at most
   * 5,000.
   *
   * @param attempt 2 for the first retry
   */
  readonly delayMs?: (attempt: number) => number
  /** A longer wait than this, in milliseconds, is left to the planner. Default 10,000. */
  readonly maxWaitMs?: number
}

/**
 * Tries a tool again where its hint allows: when the service was not available, too slow or rate limited, and the hint
 * says to wait, or the tool is declared idempotent or read-only. Never after an update was emitted. Waits as long as the
 * hint says (`retryAfterMs`), and stops waiting when the call is cancelled. The attempts are counted in
 * `provenance.attempts`.
 *
 * @throws {RangeError} when `attempts` is no whole number from 1 on, or `maxWaitMs` none from 0 on; {TypeError} when
 * `delayMs` is no function.
 *
 * @example
 * registration.layer(retry({ attempts: 3 }))
 */
export function retry(options: RetryOptions = {}): ToolLayer {
  const { attempts = 2, delayMs = doubling, maxWaitMs = 10_000 } = options
  if (!Number.isInteger(attempts) || attempts < 1)
    throw new RangeError(`retry: attempts is ${attempts}, give 1 or more`)
  if (typeof delayMs !== 'function') throw new TypeError('retry: delayMs is no function')
  if (!(maxWaitMs >= 0)) throw new RangeError(`retry: maxWaitMs is ${maxWaitMs}, give milliseconds from 0 on`)
  return (next) => async (request) => {
    let outcome = await next(request)
    for (let tried = 1; tried < attempts; tried += 1) {
      if (!mayRetry(outcome, request)) return outcome
      const waitMs = waitOf(outcome.hint) ?? delayMs(tried + 1)
      if (waitMs > maxWaitMs || !(await sleep(waitMs, request.meta.signal))) return outcome
      outcome = await next(request.again())
    }
    return outcome
  }
}

function mayRetry(
  outcome: ToolOutcome,
  { tool, meta, emitted }: ToolRequest,
): outcome is Extract<ToolOutcome, { status: 'failed' }> {
  if (outcome.status !== 'failed' || outcome.stop !== undefined || emitted || meta.signal.aborted) return false
  const { hint } = outcome
  if (hint.reason !== 'unavailable' && hint.reason !== 'timeout' && hint.reason !== 'rate_limited') return false
  return hint.action === 'wait' || tool.annotations.idempotent === true || tool.annotations.readOnly === true
}

function waitOf(hint: RetryHint): number | undefined {
  return 'retryAfterMs' in hint ? hint.retryAfterMs : undefined
}

function doubling(attempt: number): number {
  return Math.min(5_000, 100 * 2 ** (attempt - 2))
}
