import type { Codec } from '../types/codec.js'
import type { ProvenanceDetail, ToolExecutor } from '../types/executor.js'
import type { JsonObject, JsonText, JsonValue, Mutable } from '../types/json.js'
import type { Provenance, ProvenancedResult } from '../types/outcome.js'
import type { ToolCallRef } from '../types/tool.js'
import { plainJson } from './plain-issues.js'
import { peek } from './tool-failure.js'

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
export function isProvenanced<Value>(result: Value | Provenanced<Value>): result is Provenanced<Value> {
  return typeof result === 'object' && result !== null && Object.hasOwn(result, MARK)
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

/** Returns the facts of an attempt with the cost of those before it: their nested calls and tokens. */
export function withSpent(before: CallDetail, { children, extra, ...rest }: CallDetail = {}): CallDetail {
  const tokens = ['promptTokens', 'completionTokens'].flatMap((name) => {
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

function extraOf(extra: unknown): Readonly<Record<string, JsonValue>> | undefined {
  if (typeof extra !== 'object' || extra === null || Array.isArray(extra)) return undefined
  try {
    const entries = Object.entries(extra).map(([name, part]) => [name, plainJson(part)] as const)
    return Object.fromEntries(entries.filter((entry): entry is [string, JsonValue] => entry[1] !== undefined))
  } catch {
    // A hostile object has no details.
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
  const { tool, durationMs, attempts, model, service, children, extra } = result.provenance
  const provenance: JsonObject = {
    tool,
    duration_ms: durationMs,
    attempts,
    ...(model !== undefined && { model }),
    ...(service !== undefined && { service }),
    ...(children !== undefined && { children: children.map(callJson) }),
    ...(extra !== undefined && { extra }),
  }
  return `{"data":${codec.encode(result.data)},"provenance":${JSON.stringify(provenance)}}`
}

function callJson({ tool, toolCallId, parentToolCallId }: ToolCallRef): JsonObject {
  const parent = parentToolCallId !== undefined && { parent_tool_call_id: parentToolCallId }
  return { tool, tool_call_id: toolCallId, ...parent }
}
