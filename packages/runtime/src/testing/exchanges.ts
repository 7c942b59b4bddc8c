import { isFailureReason } from '../call/tool-failure.js'
import { isConversation } from '../chat/messages.js'
import { type Fields, isFields } from '../schema/json-values.js'
import type { ChatFields, ChatMessage } from '../types/chat.js'
import type { FailureReason } from '../types/errors.js'
import type { JsonText } from '../types/json.js'
import type { ToolRequest, ToolService } from '../types/layer.js'
import type { PendingAnswer, ToolOutcome } from '../types/outcome.js'
import type { ModelDriver, ModelRequest, ModelResponse, ResponseFormat } from '../types/planner.js'
import type { RunEvent } from '../types/run.js'
import type { RecordedOutcome } from './recorded-outcome.js'

/** The version of the format that is written, and the newest one that is read. */
export const CASSETTE_VERSION = 1

/** A tool that a model was offered: which one, and the hash of its contract. */
export interface OfferedTool {
  readonly tool: string
  readonly hash: string
}

/** What of a model's request is recorded and compared: what the model is sent. */
interface RecordedRequest {
  readonly messages: readonly ChatMessage[]
  /** By the names that models use. Their order is nothing. */
  readonly tools: Readonly<Record<string, OfferedTool>>
  readonly responseFormat?: ResponseFormat
  readonly fields?: ChatFields
}

/** A model is asked. */
export interface RecordedModelRequest {
  readonly type: 'model'
  readonly agent: string
  readonly request: RecordedRequest
}

/** A tool is called. */
export interface RecordedToolCall {
  readonly type: 'tool'
  /** Absent for a toolset without an agent. */
  readonly agent?: string
  readonly tool: string
  readonly hash: string
  readonly arguments: JsonText
  /** What somebody answered to a call that had waited. */
  readonly resumedWith?: PendingAnswer
}

/** What is asked for: an exchange without its answer. */
export type Asked = RecordedModelRequest | RecordedToolCall

/** An error of a model, as its run tells it. */
export interface RecordedError {
  readonly reason: FailureReason
  readonly message: string
}

/** When something was asked for, counted from 1. Equal exchanges are answered in this order; lines stand in the order of the answers. */
interface Numbered {
  readonly asked: number
}

/** A model was asked, and answered or failed. */
export type ModelExchange = RecordedModelRequest &
  Numbered &
  ({ readonly answer: ModelResponse } | { readonly error: RecordedError })

/** A tool was called, and this became of it. */
export interface ToolExchange extends RecordedToolCall, Numbered {
  /** The model's exchange before it in the same run, by its number: of equal calls of parallel runs it tells whose this was. */
  readonly after?: number
  /** What a streaming tool reported. */
  readonly updates?: readonly JsonText[]
  readonly outcome: RecordedOutcome
}

/** One line of a cassette behind its header. */
export type Exchange = ModelExchange | ToolExchange

/** Whether a value has the parts of an exchange, as far as a replay reads them; what models and tools said is theirs. */
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

/** Of a model, of a tool, or the hint of a tool. */
function isError({ reason, message }: Fields): boolean {
  return isFailureReason(reason) && typeof message === 'string'
}

function isNumber(value: unknown): boolean {
  return Number.isSafeInteger(value)
}

/** What stands behind a cassette: a recording that is made, or one that is replayed. */
export interface Tape {
  /** When the recording began, in milliseconds since the epoch. */
  readonly recordedAt: number
  /** Stands in for a driver. */
  ask(request: ModelRequest, driver: () => ModelDriver): Promise<ModelResponse>
  /** Stands in for the layered call of a tool. */
  call<Env>(request: ToolRequest<Env>, next: ToolService<Env>): Promise<ToolOutcome>
  /** Is told of each event. */
  hear(event: RunEvent): void
  close(): Promise<void>
}
