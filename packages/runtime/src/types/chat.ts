// The shapes of OpenAI's chat completions, written out since the runtime imports no package. Lists are mutable where
// theirs are: a readonly list could not be handed to their client. Fields that are not named here travel with a message.

/** Marks where a model's prompt cache may end. */
interface Cached {
  readonly prompt_cache_breakpoint?: { readonly mode: 'explicit' }
}

/** Part of a content that is text. */
interface ChatTextPart extends Cached {
  readonly type: 'text'
  readonly text: string
}

/** Part of a user's content: text, an image, sound or a file. */
export type ChatContentPart =
  | ChatTextPart
  | (Cached & {
      readonly type: 'image_url'
      /** `url` is an address, or the image itself as a `data:` URL. */
      readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' }
    })
  | (Cached & {
      readonly type: 'input_audio'
      /** `data` is in base64. */
      readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' }
    })
  | (Cached & {
      readonly type: 'file'
      /** `file_data` is in base64. */
      readonly file: { readonly file_data?: string; readonly file_id?: string; readonly filename?: string }
    })

/** Part of an assistant's content that refuses. */
interface ChatRefusalPart {
  readonly type: 'refusal'
  readonly refusal: string
}

/** Function with its arguments, as a model requests it. */
interface ChatFunctionCall {
  /** The tool name. */
  readonly name: string
  /** The arguments as they were sent, byte for byte; perhaps not JSON. */
  readonly arguments: string
}

/** Call of a function in an assistant's message. */
export interface ChatFunctionToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: ChatFunctionCall
}

/** Call in an assistant's message, of a function or of a tool that takes free text. */
export type ChatToolCall =
  | ChatFunctionToolCall
  | { readonly id: string; readonly type: 'custom'; readonly custom: { readonly name: string; readonly input: string } }

/** Instructions of the application; older models know them by the role `system`. */
interface ChatDeveloperMessage {
  readonly role: 'developer'
  readonly content: string | ChatTextPart[]
  readonly name?: string
}

/** Instructions of the application. */
export interface ChatSystemMessage {
  readonly role: 'system'
  readonly content: string | ChatTextPart[]
  readonly name?: string
}

/** Message of a user. */
export interface ChatUserMessage {
  readonly role: 'user'
  readonly content: string | ChatContentPart[]
  readonly name?: string
}

/** Message of a model, with the calls that it requests. */
export interface ChatAssistantMessage {
  readonly role: 'assistant'
  readonly content?: string | (ChatTextPart | ChatRefusalPart)[] | null
  readonly refusal?: string | null
  readonly name?: string
  /** An earlier answer in sound. */
  readonly audio?: { readonly id: string } | null
  readonly tool_calls?: ChatToolCall[]
  /** The one call of the time before `tool_calls`. */
  readonly function_call?: ChatFunctionCall | null
}

/** The answer to a call of `tool_calls`. */
export interface ChatToolMessage {
  readonly role: 'tool'
  readonly tool_call_id: string
  readonly content: string | ChatTextPart[]
}

/** The answer to a `function_call`. */
interface ChatFunctionMessage {
  readonly role: 'function'
  readonly name: string
  readonly content: string | null
}

/**
 * A message as OpenAI's chat completions take it: equal to `ChatCompletionMessageParam` of the package `openai`, so
 * that messages go both ways without a conversion.
 */
export type ChatMessage =
  | ChatDeveloperMessage
  | ChatSystemMessage
  | ChatUserMessage
  | ChatAssistantMessage
  | ChatToolMessage
  | ChatFunctionMessage

/**
 * A message as chat completions answer it: equal to `ChatCompletionMessage` of the package `openai`. It is a
 * {@link ChatAssistantMessage} and goes into the conversation as it is.
 */
export interface ChatReply {
  readonly role: 'assistant'
  readonly content: string | null
  readonly refusal: string | null
  /** Sources that a model found on the web. */
  readonly annotations?: {
    readonly type: 'url_citation'
    /** The indices are those of the cited text in the content. */
    readonly url_citation: {
      readonly start_index: number
      readonly end_index: number
      readonly title: string
      readonly url: string
    }
  }[]
  readonly audio?: {
    readonly id: string
    /** In base64. */
    readonly data: string
    /** In seconds since the epoch. */
    readonly expires_at: number
    readonly transcript: string
  } | null
  readonly tool_calls?: ChatToolCall[]
  readonly function_call?: ChatFunctionCall | null
}

/** Token usage of a response, as chat completions count it. Other fields are kept. */
export interface ChatUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens?: number
}

/** Part of a call in a stream. */
interface ChatToolCallPart {
  /** Index of its call in the message. */
  readonly index?: number
  readonly id?: string | null
  readonly type?: string
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null }
  readonly custom?: { readonly name?: string | null; readonly input?: string | null }
}

/** Part of a chunk for one choice. */
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
 * One chunk of a streamed chat completion. A `ChatCompletionChunk` of the package `openai` is one; fields are optional
 * here since compatible servers leave some out.
 */
export interface ChatChunk {
  readonly model?: string
  readonly choices?: readonly ChatChunkChoice[] | null
  readonly usage?: ChatUsage | null
}

/** Other fields of a chat request than its messages, e.g. `temperature` or `metadata`. They are passed on unchanged. */
export type ChatFields = Readonly<Record<string, unknown>>

/**
 * A raw chat request: a conversation, and whatever else its author set for the model.
 *
 * @example
 * const request: ChatRequest = { messages: [{ role: 'user', content: 'Where is A-1001?' }], temperature: 0 }
 */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[]
  readonly [field: string]: unknown
}

/**
 * A message of a conversation, all but the answers to calls: its own fields in their own order, behind `kind`. A field
 * of the message that is called `kind` itself, or `kind_`, bears one `_` more here.
 */
export type MessageItem = { readonly kind: 'message' } & Exclude<ChatMessage, ChatToolMessage>

/** The answer to a call: the fields of the tool message in their own order, behind `kind`. */
export type ToolOutputItem = { readonly kind: 'tool_output' } & ChatToolMessage

/**
 * A handoff from one agent to another, when a nested run starts or continues (`reason` is `started` or `resumed`) and when it
 * ends (`reason` is the status of that run). No message belongs to it. `runItems(run)` makes it of a `handoff` event.
 */
export interface HandoffItem {
  readonly kind: 'handoff'
  readonly from_agent: string
  readonly to_agent: string
  readonly reason?: string
}

/** One thing that a run said or did. Each message of the conversation is exactly one item. */
export type RunItem = MessageItem | ToolOutputItem | HandoffItem
