import type { ChatMessage } from '../contract/chat-message.js'
import type { ChatFields } from '../contract/chat-request.js'
import type { JsonText } from '../contract/json.js'
import type { AnswerForm, ModelAnswer } from '../contract/model-driver.js'
import type { PendingAnswer } from '../contract/resume.js'
import type { FailureReason } from '../contract/retry-hint.js'
import type { RecordedOutcome } from './recorded-outcome.js'

/** The version of the format that is written, and the newest one that is read. */
export const CASSETTE_VERSION = 1

/** A tool that a model was offered: which one, and the hash of its contract. */
export interface OfferedTool {
  readonly tool: string
  readonly hash: string
}

/** What of a model's request is recorded and compared: what the model is sent. */
export interface RecordedRequest {
  readonly messages: readonly ChatMessage[]
  /** By the names that models use. Their order is nothing. */
  readonly tools: Readonly<Record<string, OfferedTool>>
  readonly answer?: AnswerForm
  readonly fields?: ChatFields
}

/** A model is asked. */
export interface AskedModel {
  readonly type: 'model'
  readonly agent: string
  readonly request: RecordedRequest
}

/** A tool is called. */
export interface CalledTool {
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
export type Asked = AskedModel | CalledTool

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
export type ModelExchange = AskedModel &
  Numbered &
  ({ readonly answer: ModelAnswer } | { readonly error: RecordedError })

/** A tool was called, and this became of it. */
export interface ToolExchange extends CalledTool, Numbered {
  /** The model's exchange before it in the same run, by its number: of equal calls of parallel runs it tells whose this was. */
  readonly after?: number
  /** What a streaming tool reported. */
  readonly updates?: readonly JsonText[]
  readonly outcome: RecordedOutcome
}

/** One line of a cassette behind its header. */
export type Exchange = ModelExchange | ToolExchange
