import type { ChatFunctionCall, ChatToolCall } from './chat.js'

/**
 * Equal to `ChatCompletionMessage` of the package `openai`. A reply is a valid {@link ChatAssistantMessage}, so a conversation can contain the reply
 * unchanged.
 */
export interface ChatReply {
  readonly role: 'assistant'
  readonly content: string | null
  readonly refusal: string | null
  readonly annotations?: {
    readonly type: 'url_citation'
    readonly url_citation: {
      readonly start_index: number
      readonly end_index: number
      readonly title: string
      readonly url: string
    }
  }[]
  readonly audio?: {
    readonly id: string
    /** Audio data as base64. */
    readonly data: string
    /** Time at which the server deletes the audio, in seconds since the Unix epoch. */
    readonly expires_at: number
    readonly transcript: string
  } | null
  readonly tool_calls?: ChatToolCall[]
  readonly function_call?: ChatFunctionCall | null
}

/** Token usage of a response, in the format of OpenAI's chat completions. The runtime preserves unknown properties. */
export interface ChatUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens?: number
}

interface ChatToolCallPart {
  readonly index?: number
  readonly id?: string | null
  readonly type?: string
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null }
  readonly custom?: { readonly name?: string | null; readonly input?: string | null }
}

/** Part of one choice in a chunk. A choice is one of several alternative answers of the model. */
interface ChatChunkChoice {
  readonly index?: number
  readonly delta?: {
    readonly role?: string
    readonly content?: string | null
    readonly refusal?: string | null
    readonly tool_calls?: readonly ChatToolCallPart[] | null
    readonly function_call?: { readonly name?: string; readonly arguments?: string } | null
  } | null
  readonly finish_reason?: string | null
}

/**
 * One chunk of a streamed chat completion, such as a `ChatCompletionChunk` of the package `openai`. All properties are
 * optional, because some compatible servers omit properties.
 */
export interface ChatChunk {
  /** Name of the model that generates the response. */
  readonly model?: string
  /** Next parts of the response, one part for each choice. Absent in a chunk that contains only `usage`. */
  readonly choices?: readonly ChatChunkChoice[] | null
  /** Token usage of the whole response. Present only in the last chunk. */
  readonly usage?: ChatUsage | null
}
