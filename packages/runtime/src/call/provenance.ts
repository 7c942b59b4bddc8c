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
 * Property that marks results of {@link provenanced}. The property is a symbol, because JSON from a service cannot contain symbols. The
 * symbol is registered globally, so that other copies of this package recognize the results.
 */
const MARK: unique symbol = Symbol.for('toolgen.provenanced') as never

/** Result or error with data about its origin. {@link provenanced} and {@link withContent} create such values. */
export interface Provenanced<Value = unknown> {
  readonly [MARK]: true
  readonly value: Value
  readonly detail: ProvenanceDetail
  /** Files and resources of the result. Omitted if the result has no files or resources. */
  readonly content?: readonly ContentPart[]
}

/**
 * Adds data to the provenance of a call: the record of the model, service and other origins of a result. Executors, methods and mappers return
 * the value of this function instead of the plain result. To add data to a failure, throw the returned value instead of the plain error. The
 * failed outcome then contains the data, and the runtime classifies the error `value` like any thrown error. If `value` already contains
 * provenance data, `detail` takes precedence. The runtime copies the data as JSON.
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
 * Adds files and resources to a result. Models receive these files and resources as content parts. Executors, methods and mappers return
 * the value of this function instead of the plain result. The executors of this package for MCP servers and HTTP APIs already call this
 * function.
 *
 * @param parts files, texts of resources, and links to resources. A file has a media type, for example `image/png`, and at least 24 bytes
 * of data. Pass the data as bytes, or as base64 without a `data:` prefix. If the result contains the same base64, models read a short text
 * in its place. Models also receive the texts and links that the result does not contain, with at most 20,000 characters in total.
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

export function isProvenanced<Value>(result: Value | Provenanced<Value>): result is Provenanced<Value> {
  return typeof result === 'object' && result !== null && Object.hasOwn(result, MARK)
}

export interface CallDetail extends ProvenanceDetail {
  readonly children?: readonly ToolCallRef[]
  readonly reads?: readonly ReadLabel[]
}

export interface CallCost extends Pick<Provenance, 'durationMs' | 'attempts'> {
  readonly detail?: CallDetail | undefined
  readonly approval?: ApprovalRecord | undefined
  readonly denial?: Provenance['denial']
}

/** @param reads `undefined` if the tool has not run */
export function callProvenance(
  tool: string,
  executor: ToolExecutor | undefined,
  { durationMs, attempts, detail, approval, denial }: CallCost,
  reads?: readonly ReadLabel[],
): Provenance {
  const service = peek(executor, 'service')
  // Properties that are added later need more memory.
  const provenance: Mutable<Provenance> =
    typeof service === 'string' ? { tool, durationMs, attempts, service } : { tool, durationMs, attempts }
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

export function joinedReads(...reads: readonly (readonly ReadLabel[] | undefined)[]): readonly ReadLabel[] | undefined {
  const all = new Set(reads.flatMap((labels) => labels ?? []))
  return all.size === 0 ? undefined : [...all].sort()
}

export function readsOf(outcomes: readonly Pick<ToolOutcome, 'provenance'>[]): Pick<CallDetail, 'reads'> {
  const reads = joinedReads(...outcomes.map(({ provenance }) => provenance.reads))
  return reads === undefined ? {} : { reads }
}

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
 * Serializes a result with its provenance. The codec of the tool serializes `data`. `provenance` has the properties `tool`, `duration_ms`,
 * `attempts`, `model`, `service`, `children`, `reads`, `cut`, `approval` and `extra`.
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
