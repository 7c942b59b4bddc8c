import type { Codec } from '../types/codec.js'
import type { JsonObject, JsonText, JsonValue, Mutable } from '../types/json.js'
import type { Provenance, ProvenancedResult } from '../types/outcome.js'
import type { ProvenanceDetail, ToolExecutor } from '../types/registration.js'
import type { ToolCallRef } from '../types/tool.js'
import { peek, plainJson } from './tool-failure.js'

/** Marks what {@link provenanced} made; a symbol, because no service can send one, registered for copies of the package. */
const MARK: unique symbol = Symbol.for('toolgen.provenanced') as never

/** A result with what its executor knows about where it comes from. */
export interface Provenanced<Value = unknown> {
  readonly [MARK]: true
  readonly value: Value
  readonly detail: ProvenanceDetail
}

/**
 * Adds to the provenance of a call. An executor, a method or a mapper returns it in place of the bare result, or throws it
 * in place of the bare error: a failed call then keeps these facts, and the error inside is classified as always. Around
 * another one, the outer detail counts. The detail is copied; parts that are not JSON are left out.
 *
 * @example
 * return provenanced(order, { service: 'orders-v2', extra: { cache: 'hit' } })
 *
 * @example
 * throw provenanced(error, { model, extra: { promptTokens: 120, completionTokens: 0 } })
 */
export function provenanced<Value>(
  value: Value | Provenanced<Value>,
  detail: ProvenanceDetail = {},
): Provenanced<Value> {
  if (isProvenanced(value)) return provenanced(value.value, { ...value.detail, ...detail })
  return Object.freeze({ [MARK]: true, value, detail })
}

/** Returns whether an executor's result was made by {@link provenanced}. */
export function isProvenanced<Value>(answer: Value | Provenanced<Value>): answer is Provenanced<Value> {
  return typeof answer === 'object' && answer !== null && Object.hasOwn(answer, MARK)
}

/** The facts of a call that its executor knows, and that hold however the call ends. */
export interface CallDetail extends ProvenanceDetail {
  /** The calls of the run that serves the call. */
  readonly children?: readonly ToolCallRef[]
}

/** The cost of a call so far, and what its executor said about it. */
export interface CallCost extends Pick<Provenance, 'durationMs' | 'attempts'> {
  readonly detail?: CallDetail | undefined
}

/**
 * The provenance of a call: one form for completed, failed and suspended calls.
 *
 * @param executor names the service, unless the detail does; absent for an unknown tool
 */
export function callProvenance(
  tool: string,
  executor: ToolExecutor | undefined,
  { durationMs, attempts, detail }: CallCost,
): Provenance {
  const provenance: Mutable<Provenance> = { tool, durationMs, attempts }
  const service = peek(executor, 'service')
  if (typeof service === 'string') provenance.service = service
  // Not by a spread: most calls have no detail.
  if (detail !== undefined) Object.assign(provenance, detail)
  return Object.freeze(provenance)
}

const TOKENS = ['promptTokens', 'completionTokens'] as const

/** The cost of an attempt that stays part of the call when it is tried again: nested calls and tokens. */
export function spentIn(detail: CallDetail | undefined): CallDetail | undefined {
  const { children, extra = {} } = detail ?? {}
  const tokens = TOKENS.flatMap((name) => (typeof extra[name] === 'number' ? [[name, extra[name]] as const] : []))
  if (children === undefined && tokens.length === 0) return undefined
  return {
    ...(children !== undefined && { children }),
    ...(tokens.length > 0 && { extra: Object.fromEntries(tokens) }),
  }
}

/** The facts of an attempt with the cost of those before it. */
export function withSpent(before: CallDetail, { children, extra, ...rest }: CallDetail = {}): CallDetail {
  const tokens = TOKENS.flatMap((name) => {
    const counts = [before.extra?.[name], extra?.[name]].filter((count) => typeof count === 'number')
    return counts.length === 0 ? [] : [[name, counts.reduce((sum, count) => sum + count, 0)] as const]
  })
  const calls = [...(before.children ?? []), ...(children ?? [])]
  return {
    ...((before.children ?? children) !== undefined && { children: calls }),
    ...rest,
    ...((extra !== undefined || tokens.length > 0) && { extra: { ...extra, ...Object.fromEntries(tokens) } }),
  }
}

/**
 * Returns a plain copy of the provenance details of an executor. Parts that JSON cannot represent are left out, so
 * that the call still completes.
 */
export function provenanceDetail(detail: unknown): ProvenanceDetail {
  const model = peek(detail, 'model')
  const service = peek(detail, 'service')
  const extra = extraOf(peek(detail, 'extra'))
  return {
    ...(typeof model === 'string' && { model }),
    ...(typeof service === 'string' && { service }),
    ...(extra !== undefined && { extra }),
  }
}

function extraOf(given: unknown): Readonly<Record<string, JsonValue>> | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined
  try {
    const entries = Object.entries(given).flatMap(([name, part]) => {
      const value = plainJson(part)
      return value === undefined ? [] : [[name, value] as const]
    })
    return Object.fromEntries(entries)
  } catch {
    // What cannot be read tells nothing.
    return undefined
  }
}

/**
 * Writes a result with its provenance as JSON: `data` by the tool's codec, `provenance` under the names `tool`,
 * `duration_ms`, `attempts`, `model`, `service`, `children` and `extra`.
 *
 * @throws {CodecError} when `data` does not fit the codec.
 *
 * @example
 * encodeProvenanced(outcome.result, orders.getOrder.result)
 */
export function encodeProvenanced<Result>(
  result: ProvenancedResult<Result>,
  codec: Pick<Codec<Result, unknown>, 'encode'>,
): JsonText {
  return `{"data":${codec.encode(result.data)},"provenance":${JSON.stringify(provenanceJson(result.provenance))}}`
}

function provenanceJson(provenance: Provenance): JsonObject {
  return {
    tool: provenance.tool,
    duration_ms: provenance.durationMs,
    attempts: provenance.attempts,
    ...(provenance.model !== undefined && { model: provenance.model }),
    ...(provenance.service !== undefined && { service: provenance.service }),
    ...(provenance.children !== undefined && { children: provenance.children.map(callJson) }),
    ...(provenance.extra !== undefined && { extra: provenance.extra }),
  }
}

function callJson(call: ToolCallRef): JsonObject {
  return {
    tool: call.tool,
    tool_call_id: call.toolCallId,
    ...(call.parentToolCallId !== undefined && { parent_tool_call_id: call.parentToolCallId }),
  }
}
