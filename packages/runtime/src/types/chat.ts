// Types of OpenAI's chat completions, copied because this module must not import the package `openai`. Arrays are
// mutable as in the original, because OpenAI's client does not accept readonly arrays. Other properties are kept.

/** Marks a position at which a model's prompt cache may end. */
interface Cached {
  readonly prompt_cache_breakpoint?: { readonly mode: 'explicit' }
}

/** A text part of a content. */
interface ChatTextPart extends Cached {
  readonly type: 'text'
  readonly text: string
}

/** Part of a user's content: text, an image, audio or a file. */
export type ChatContentPart =
  | ChatTextPart
  | (Cached & {
      readonly type: 'image_url'
      /** `url` is a web address, or a `data:` URL that contains the image. */
      readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' }
    })
  | (Cached & {
      readonly type: 'input_audio'
      /** `data` is base64. */
      readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' }
    })
  | (Cached & {
      readonly type: 'file'
      /** `file_data` is base64. */
      readonly file: { readonly file_data?: string; readonly file_id?: string; readonly filename?: string }
    })

/** A refusal in an assistant's content. */
interface ChatRefusalPart {
  readonly type: 'refusal'
  readonly refusal: string
}

/** Name and arguments of a function that a model calls. */
export interface ChatFunctionCall {
  /** The tool name. */
  readonly name: string
  /** The arguments exactly as the model sent them. May be invalid JSON. */
  readonly arguments: string
}

/** Call of a function in an assistant's message. */
export interface ChatFunctionToolCall {
  /** Id of the call. */
  readonly id: string
  /** Kind of the call. */
  readonly type: 'function'
  /** Tool name and arguments. */
  readonly function: ChatFunctionCall
}

/** Call in an assistant's message: of a function, or of a tool that takes free text. */
export type ChatToolCall =
  | ChatFunctionToolCall
  | { readonly id: string; readonly type: 'custom'; readonly custom: { readonly name: string; readonly input: string } }

/** Instructions of the application. Older models use the role `system`. */
interface ChatDeveloperMessage {
  readonly role: 'developer'
  readonly content: string | ChatTextPart[]
  readonly name?: string
}

/** Instructions of the application. */
export interface ChatSystemMessage {
  /** Role of the message. */
  readonly role: 'system'
  /** Instructions. */
  readonly content: string | ChatTextPart[]
  /** Name of the author. */
  readonly name?: string
}

/** Message of a user. */
export interface ChatUserMessage {
  /** Role of the message. */
  readonly role: 'user'
  /** Text, or parts with text, images, audio and files. */
  readonly content: string | ChatContentPart[]
  /** Name of the user. */
  readonly name?: string
}

/** Message of a model, with the calls that it requests. */
export interface ChatAssistantMessage {
  /** Role of the message. */
  readonly role: 'assistant'
  /** Text of the model. `null` or absent for a message with calls only. */
  readonly content?: string | (ChatTextPart | ChatRefusalPart)[] | null
  /** Refusal of the model. */
  readonly refusal?: string | null
  /** Name of the author. */
  readonly name?: string
  /** Earlier audio answer of the model, by its id. */
  readonly audio?: { readonly id: string } | null
  /** Requested calls. */
  readonly tool_calls?: ChatToolCall[]
  /** Requested call in the older format. */
  readonly function_call?: ChatFunctionCall | null
}

/** Response to a call in `tool_calls`. */
export interface ChatToolMessage {
  /** Role of the message. */
  readonly role: 'tool'
  /** Id of the call. */
  readonly tool_call_id: string
  /** Result or error for the model. */
  readonly content: string | ChatTextPart[]
}

/** Response to a `function_call`. */
interface ChatFunctionMessage {
  readonly role: 'function'
  readonly name: string
  readonly content: string | null
}

/** Message of OpenAI's chat completions, equal to `ChatCompletionMessageParam` of the package `openai`. */
export type ChatMessage =
  | ChatDeveloperMessage
  | ChatSystemMessage
  | ChatUserMessage
  | ChatAssistantMessage
  | ChatToolMessage
  | ChatFunctionMessage

/** Other fields of a chat request, e.g. `temperature` or `metadata`. They are passed on unchanged. */
export type ChatFields = Readonly<Record<string, unknown>>

/**
 * Raw chat request: messages and any other fields for the model.
 *
 * @example
 * const request: ChatRequest = { messages: [{ role: 'user', content: 'Where is A-1001?' }], temperature: 0 }
 */
export interface ChatRequest {
  /** Conversation. */
  readonly messages: readonly ChatMessage[]
  readonly [field: string]: unknown
}

/**
 * Run item for any message except a response to a call. Has `kind`, then the properties of the message in their order.
 * A message property named `kind` becomes `kind_` in the item, and `kind_` becomes `kind__`.
 */
export type MessageItem = { readonly kind: 'message' } & Exclude<ChatMessage, ChatToolMessage>

/** Response to a call: `kind`, then the properties of the tool message in their order. */
export type ToolOutputItem = { readonly kind: 'tool_output' } & ChatToolMessage

/**
 * A handoff from one agent to another: when a nested run starts or continues (`reason` is `started` or `resumed`), and
 * when it ends (`reason` is its status). It has no message. `runItems(run)` creates it from a `handoff` event.
 */
export interface HandoffItem {
  /** Kind of the item. */
  readonly kind: 'handoff'
  /** Agent that hands over. */
  readonly from_agent: string
  /** Agent that continues. */
  readonly to_agent: string
  /** `started`, `resumed`, or the status of the ended run. */
  readonly reason?: string
}

/** Message, tool output or handoff of a run. Each message of the conversation is exactly one item. */
export type RunItem = MessageItem | ToolOutputItem | HandoffItem
