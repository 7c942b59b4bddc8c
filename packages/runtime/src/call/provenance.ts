import type { ApprovalRecord } from '../types/approval.js'
import type { Codec } from '../types/codec.js'
import type { ContentPart } from '../types/content.js'
import type { ProvenanceDetail, ToolExecutor } from '../types/executor.js'
import type { JsonObject, JsonText, JsonValue, Mutable } from '../types/json.js'
import type { Provenance, ProvenancedResult, ResultCut, ToolOutcome } from '../types/outcome.js'
import type { ReadLabel, ToolCallRef } from '../types/tool.js'
import { type ContentInput, contentOf, createPart } from './content.js'
import { plainJson } from './plain-issues.js'
import { peek } from './tool-failure.js'

/**
 * Property that marks results of {@link provenanced}. The property is a symbol, which JSON from a service cannot contain. It is registered
 * globally, so that other copies of this package recognize it.
 */
const MARK: unique symbol = Symbol.for('toolgen.provenanced') as never

/** A result or an error with data about its origin. Created by {@link provenanced} and {@link withContent}. */
export interface Provenanced<Value = unknown> {
  readonly [MARK]: true
  readonly value: Value
  readonly detail: ProvenanceDetail
  /** Files and resources of the result. Absent if the result has none. */
  readonly content?: readonly ContentPart[]
}

/**
 * Adds facts to the provenance of a call. Executors, methods and mappers return the value of this function instead of
 * the plain result, or throw the value instead of the plain error. If the value is thrown, the failed outcome has these
 * facts, and `value` is classified like any thrown error. If `value` already has facts, the facts in `detail` take
 * precedence. The facts are copied as JSON.
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
  if (!isProvenanced(value)) return Object.freeze({ [MARK]: true, value, detail })
  return Object.freeze({ ...value, detail: { ...value.detail, ...detail } })
}

/**
 * Adds files and resources to a result, which models receive as content parts. Executors, methods and mappers return
 * the value of this function instead of the plain result. Executors of MCP servers and HTTP APIs do this for their own
 * results.
 *
 * @param parts files, texts of resources, and links to resources. A file has a media type, for example `image/png`, and
 * a content of at least 24 bytes, as bytes or as base64 without a `data:` prefix. If the result contains the same
 * base64, models read a short text in its place. Texts and links that the result does not contain are appended for
 * models, with at most 20,000 characters in total.
 * @throws {TypeError} if a part is invalid.
 *
 * @example
 * return withContent({ title: 'Sales' }, [{ mediaType: 'image/png', data: await chart.toBuffer() }])
 *
 * @example
 * return withContent({ found: 1 }, [{ type: 'resource_link', uri: 'file:///sales.csv', name: 'Sales', mediaType: 'text/csv' }])
 */
export function withContent<Value>(
  value: Value | Provenanced<Value>,
  parts: readonly ContentInput[],
): Provenanced<Value> {
  const content = parts.map((input, index) => {
    const part = createPart(input)
    if (typeof part !== 'string') return part
    throw new TypeError(`withContent: part ${index} ('${input.mediaType ?? input.uri}') is invalid. ${part}`)
  })
  const known = provenanced(value)
  return Object.freeze({ ...known, content: [...(contentOf(known) ?? []), ...content] })
}

/** Returns true if the value was created by {@link provenanced}. */
export function isProvenanced<Value>(result: Value | Provenanced<Value>): result is Provenanced<Value> {
  return typeof result === 'object' && result !== null && Object.hasOwn(result, MARK)
}

/** Data about a call that its executor reports. Completed, failed and suspended outcomes contain these data. */
export interface CallDetail extends ProvenanceDetail {
  /** The calls of the nested run that produced the result of the call. */
  readonly children?: readonly ToolCallRef[]
  /** Kinds of data that these calls read. */
  readonly reads?: readonly ReadLabel[]
}

/** Duration and attempts of a call so far, and the data that its executor reported. */
export interface CallCost extends Pick<Provenance, 'durationMs' | 'attempts'> {
  readonly detail?: CallDetail | undefined
  /** Approval with which the tool ran. */
  readonly approval?: ApprovalRecord | undefined
  /** Denial of the call. */
  readonly denial?: Provenance['denial']
}

/**
 * Returns the provenance of a completed, failed or suspended call.
 *
 * @param executor its `service` is used unless `detail` names a service; `undefined` for an unknown tool
 * @param reads kinds of data that the tool read; `undefined` if it has not run
 */
export function callProvenance(
  tool: string,
  executor: ToolExecutor | undefined,
  { durationMs, attempts, detail, approval, denial }: CallCost,
  reads?: readonly ReadLabel[],
): Provenance {
  const provenance: Mutable<Provenance> = { tool, durationMs, attempts }
  const service = peek(executor, 'service')
  if (typeof service === 'string') provenance.service = service
  // Avoids spreading, because most calls have no detail.
  if (detail !== undefined) Object.assign(provenance, detail)
  if (approval !== undefined) provenance.approval = approval
  if (denial !== undefined) provenance.denial = denial
  if (reads !== undefined) {
    const all = joinedReads(reads, detail?.reads)
    if (all !== undefined) provenance.reads = all
  }
  return Object.freeze(provenance)
}

/** Returns all labels, sorted; `undefined` without labels. */
export function joinedReads(...reads: readonly (readonly ReadLabel[] | undefined)[]): readonly ReadLabel[] | undefined {
  const all = new Set(reads.flatMap((labels) => labels ?? []))
  return all.size === 0 ? undefined : [...all].sort()
}

/** Returns the kinds of data that calls read, for the provenance of the call that made these calls. */
export function readsOf(outcomes: readonly Pick<ToolOutcome, 'provenance'>[]): Pick<CallDetail, 'reads'> {
  const reads = joinedReads(...outcomes.map(({ provenance }) => provenance.reads))
  return reads === undefined ? {} : { reads }
}

/** Adds the nested calls and tokens of earlier attempts (`before`) to the data of the current attempt. */
export function withSpent(before: CallDetail, { children, extra, reads, ...rest }: CallDetail = {}): CallDetail {
  const tokens = ['promptTokens', 'completionTokens'].flatMap((name) => {
    const counts = [before.extra?.[name], extra?.[name]].filter((count) => typeof count === 'number')
    return counts.length === 0 ? [] : [[name, counts.reduce((sum, count) => sum + count, 0)] as const]
  })
  const calls = [...(before.children ?? []), ...(children ?? [])]
  const allReads = joinedReads(before.reads, reads)
  return {
    ...((before.children ?? children) !== undefined && { children: calls }),
    ...rest,
    ...(allReads !== undefined && { reads: allReads }),
    ...((extra !== undefined || tokens.length > 0) && { extra: { ...extra, ...Object.fromEntries(tokens) } }),
  }
}

/** Returns a JSON copy of the data that an executor reported. Omits values that JSON cannot represent. */
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
    // An object whose properties throw counts as absent.
    return undefined
  }
}

/**
 * Serializes a result with its provenance: `data` with the tool's codec, `provenance` with the properties `tool`,
 * `duration_ms`, `attempts`, `model`, `service`, `children`, `reads`, `cut`, `approval` and `extra`.
 *
 * @throws {CodecError} if `data` is invalid.
 *
 * @example
 * encodeProvenanced(outcome.result, orders.getOrder.result)
 */
export function encodeProvenanced<Result>(
  result: ProvenancedResult<Result>,
  codec: Pick<Codec<Result, unknown>, 'encode'>,
): JsonText {
  const { tool, durationMs, attempts, model, service, children, reads, cut, approval, extra } = result.provenance
  const provenance: JsonObject = {
    tool,
    duration_ms: durationMs,
    attempts,
    ...(model !== undefined && { model }),
    ...(service !== undefined && { service }),
    ...(children !== undefined && { children: children.map(callJson) }),
    ...(reads !== undefined && { reads: [...reads] }),
    ...(cut !== undefined && { cut: cutJson(cut) }),
    ...(approval !== undefined && { approval: { ...approval } }),
    ...(extra !== undefined && { extra }),
  }
  return `{"data":${codec.encode(result.data)},"provenance":${JSON.stringify(provenance)}}`
}

function cutJson({ max, before, after, parts, id }: ResultCut): JsonObject {
  return {
    max: { ...max },
    before: { ...before },
    after: { ...after },
    parts: parts.map((part) => ({ ...part })),
    ...(id !== undefined && { id }),
  }
}

function callJson({ tool, toolCallId, parentToolCallId }: ToolCallRef): JsonObject {
  const parent = parentToolCallId !== undefined && { parent_tool_call_id: parentToolCallId }
  return { tool, tool_call_id: toolCallId, ...parent }
}
