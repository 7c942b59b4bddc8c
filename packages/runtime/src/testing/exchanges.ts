import { createHash } from 'node:crypto'
import { restoredError } from '../call/failed-outcome.js'
import { isFailureReason } from '../call/tool-failure.js'
import { isConversation } from '../chat/messages.js'
import { resultCodec } from '../codec/codecs.js'
import { deepEqual, equalityKey, type Fields, isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { ChatFields, ChatMessage } from '../types/chat.js'
import type { Codec, Decoded } from '../types/codec.js'
import type { JsonSchema, JsonText } from '../types/json.js'
import type { ToolRequest, ToolService } from '../types/layer.js'
import type {
  CallSuspension,
  FailureReason,
  FinalSignal,
  PendingAnswer,
  Provenance,
  RetryHint,
  ToolError,
  ToolOutcome,
} from '../types/outcome.js'
import type { ModelDriver, ModelRequest, ModelResponse, ResponseFormat } from '../types/planner.js'
import type { RunEvent } from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'

/** The version of the format that is written, and the newest one that is read. */
export const CASSETTE_VERSION = 1

/** A tool that a model was offered, with the hash of its contract. */
export interface OfferedTool {
  readonly tool: string
  readonly hash: string
}

/** The recorded and compared part of a model request. */
interface RecordedRequest {
  readonly messages: readonly ChatMessage[]
  /** By the names that models use. The order does not matter. */
  readonly tools: Readonly<Record<string, OfferedTool>>
  readonly responseFormat?: ResponseFormat
  readonly fields?: ChatFields
}

/** A request to a model. */
export interface RecordedModelRequest {
  readonly type: 'model'
  readonly agent: string
  readonly request: RecordedRequest
}

/** A call of a tool. */
export interface RecordedToolCall {
  readonly type: 'tool'
  /** Absent for a toolset without an agent. */
  readonly agent?: string
  readonly tool: string
  readonly hash: string
  readonly arguments: JsonText
  /** Answer to a call that was suspended. */
  readonly resumedWith?: PendingAnswer
}

/** An exchange without its response. */
export type Asked = RecordedModelRequest | RecordedToolCall

/** An error of a model, as its run reports it. */
export interface RecordedError {
  readonly reason: FailureReason
  readonly message: string
}

interface Numbered {
  /** Number of the request, from 1. Equal exchanges are replayed in this order; lines have the order of the responses. */
  readonly asked: number
}

/** A request to a model with its response or error. */
export type ModelExchange = RecordedModelRequest &
  Numbered &
  ({ readonly answer: ModelResponse } | { readonly error: RecordedError })

/** A call of a tool with its outcome. */
export interface ToolExchange extends RecordedToolCall, Numbered {
  /** Number of the model exchange before it in the same run; distinguishes equal calls of parallel runs. */
  readonly after?: number
  /** Updates of a streaming tool. */
  readonly updates?: readonly JsonText[]
  readonly outcome: RecordedOutcome
}

/** One line of a cassette behind its header. */
export type Exchange = ModelExchange | ToolExchange

/** Returns true for a value with the fields of an exchange that a replay reads. */
export function isExchange(value: unknown): value is Exchange {
  if (!isFields(value) || !isNumber(value.asked)) return false
  if (value.type === 'model') return isModelExchange(value)
  return value.type === 'tool' && isToolExchange(value)
}

function isModelExchange({ agent, request, answer, error }: Fields): boolean {
  if (typeof agent !== 'string' || !isFields(request)) return false
  if (!isConversation(request.messages) || !isFields(request.tools)) return false
  if (!Object.values(request.tools).every((tool) => isFields(tool) && isTool(tool))) return false
  return isFields(answer) ? isAnswer(answer) : isFields(error) && isError(error)
}

function isAnswer({ message, calls }: Fields): boolean {
  return isConversation([message]) && Array.isArray(calls) && calls.every((call) => isFields(call) && isCall(call))
}

function isCall({ tool, arguments: json, toolCallId }: Fields): boolean {
  return (
    typeof tool === 'string' && typeof json === 'string' && (toolCallId === undefined || typeof toolCallId === 'string')
  )
}

function isToolExchange(exchange: Fields): boolean {
  const { agent, arguments: json, after, updates, outcome } = exchange
  if (agent !== undefined && typeof agent !== 'string') return false
  if (!isTool(exchange) || typeof json !== 'string') return false
  if (after !== undefined && !isNumber(after)) return false
  if (updates !== undefined && !(Array.isArray(updates) && updates.every((update) => typeof update === 'string'))) {
    return false
  }
  return isFields(outcome) && isFields(outcome.provenance) && isProvenance(outcome.provenance) && isOutcome(outcome)
}

function isOutcome({ status, json, data, error, hint, suspension }: Fields): boolean {
  switch (status) {
    case 'completed':
      return typeof json === 'string' && (data === undefined || typeof data === 'string')
    case 'failed':
      return isFields(error) && isError(error) && isFields(hint) && isError(hint)
    default:
      return status === 'suspended' && isFields(suspension) && typeof suspension.kind === 'string'
  }
}

function isProvenance({ tool, durationMs, attempts }: Fields): boolean {
  return typeof tool === 'string' && typeof durationMs === 'number' && isNumber(attempts)
}

function isTool({ tool, hash }: Fields): boolean {
  return typeof tool === 'string' && typeof hash === 'string'
}

/** Accepts the error of a model or a tool, and the hint of a tool. */
function isError({ reason, message }: Fields): boolean {
  return isFailureReason(reason) && typeof message === 'string'
}

function isNumber(value: unknown): boolean {
  return Number.isSafeInteger(value)
}

/** The recording or the replay behind a cassette. */
export interface Tape {
  /** Start of the recording, in milliseconds since the epoch. */
  readonly recordedAt: number
  /** Replaces a driver. */
  ask(request: ModelRequest, driver: () => ModelDriver): Promise<ModelResponse>
  /** Replaces the layered call of a tool. */
  call<Env>(request: ToolRequest<Env>, next: ToolService<Env>): Promise<ToolOutcome>
  /** Receives each event. */
  hear(event: RunEvent): void
  close(): Promise<void>
}

/** Returns a model request as it is recorded: a JSON copy. */
export function askedModel({ messages, tools, meta, responseFormat, fields }: ModelRequest): RecordedModelRequest {
  const offered = tools.map((tool) => [tool.toolName, { tool: tool.id, hash: hashOf(tool) }] as const)
  const request = {
    messages,
    tools: Object.fromEntries(offered),
    ...(responseFormat !== undefined && { responseFormat }),
    ...(fields !== undefined && { fields }),
  }
  return { type: 'model', agent: meta.agent, request: JSON.parse(JSON.stringify(request)) }
}

/** Returns a tool call as it is recorded. */
export function calledTool(request: Pick<ToolRequest, 'tool' | 'meta' | 'arguments' | 'answer'>): RecordedToolCall {
  const { tool, meta, arguments: json, answer } = request
  return {
    type: 'tool',
    ...(meta.agent !== undefined && { agent: meta.agent }),
    tool: tool.id,
    hash: hashOf(tool),
    arguments: json,
    ...(answer !== undefined && { resumedWith: answer }),
  }
}

/**
 * Returns a key that equal exchanges share. It identifies a call completely; of a request, whose conversation may be long, it
 * has only the end.
 */
export function askedKey(asked: Asked): string {
  if (asked.type === 'model') {
    const { messages } = asked.request
    return equalityKey(['model', asked.agent, messages.length, messages.at(-1) ?? null])
  }
  const { agent = null, tool, hash, resumedWith = null } = asked
  return equalityKey(['tool', agent, tool, hash, argumentsOf(asked), resumedWith])
}

/** Returns true if two exchanges with one key are equal. */
export function isSameExchange(recorded: Asked, now: Asked): boolean {
  return recorded.type !== 'model' || now.type !== 'model' || deepEqual(recorded.request, now.request)
}

/** Returns the arguments of a call for a comparison without white space and order of keys, or the text if it is no JSON. */
export function argumentsOf({ arguments: json }: RecordedToolCall): unknown {
  const parsed = parseJson(json)
  return parsed.ok ? parsed.value : json
}

/** Returns the hash of a tool; for hand-written tools, which have none, a hash of their contract. */
function hashOf({ hash, description, arguments: parameters, result, updates }: AgentToolSpec): string {
  if (hash !== '') return hash
  const contract = equalityKey([description, parameters, result, updates ?? null])
  return createHash('sha256').update(contract).digest('hex').slice(0, 16)
}

/** The outcome of a call as plain JSON. */
type RecordedOutcome = { readonly provenance: Provenance; readonly stop?: FinalSignal } & (
  | {
      readonly status: 'completed'
      readonly json: JsonText
      /** The declared value as JSON text, if it differs from the text for the model. */
      readonly data?: JsonText
    }
  | { readonly status: 'failed'; readonly error: Pick<ToolError, 'reason' | 'message'>; readonly hint: RetryHint }
  | { readonly status: 'suspended'; readonly suspension: CallSuspension }
)

/**
 * Returns an outcome as it is recorded.
 *
 * @throws {CodecError} for a value of a layer that does not fit the result schema.
 */
export function recordedOutcome(outcome: ToolOutcome, tool: AgentToolSpec): RecordedOutcome {
  const { provenance, stop } = outcome
  const frame = { provenance, ...(stop !== undefined && { stop }) }
  switch (outcome.status) {
    case 'completed': {
      const { json } = outcome
      const data = dataCodec(tool.result).encode(outcome.result.data)
      return { status: 'completed', json, ...(data !== json && { data }), ...frame }
    }
    case 'failed': {
      const { error, hint } = outcome
      return { status: 'failed', error: { reason: error.reason, message: error.message }, hint, ...frame }
    }
    case 'suspended':
      return { status: 'suspended', suspension: outcome.suspension, ...frame }
  }
}

/** Decodes the declared value of a recorded result. */
export function recordedData(json: JsonText, schema: JsonSchema): Decoded<unknown> {
  return dataCodec(schema).decode(json)
}

/**
 * Returns a recorded outcome as that of another call.
 *
 * @param data the declared value of a completed call
 */
export function replayedOutcome(
  { provenance, stop, ...recorded }: RecordedOutcome,
  { call }: Pick<ToolRequest, 'call'>,
  data: unknown,
): ToolOutcome {
  const frame = { call, provenance, ...(stop !== undefined && { stop }) }
  switch (recorded.status) {
    case 'completed':
      return { ...frame, status: 'completed', result: { data, provenance }, json: recorded.json }
    case 'failed':
      return { ...frame, status: 'failed', error: restoredError(recorded.error, recorded.hint), hint: recorded.hint }
    case 'suspended':
      return { ...frame, status: 'suspended', suspension: { ...recorded.suspension, call } }
  }
}

const codecs = new WeakMap<object, Codec<unknown>>()

/** Returns the codec of a schema; it keeps undeclared fields, since the tool's own codec has handled them. */
function dataCodec(schema: JsonSchema): Codec<unknown> {
  const known = typeof schema === 'object' ? codecs.get(schema) : undefined
  if (known !== undefined) return known
  const codec: Codec<unknown> = resultCodec({ schema, unknown: 'keep' })
  if (typeof schema === 'object') codecs.set(schema, codec)
  return codec
}
