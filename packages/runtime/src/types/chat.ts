import type { JsonValue } from './json.js'

// Types of OpenAI's chat completions, copied because this module must not import the package `openai`. Arrays are
// mutable as in the original, because OpenAI's client does not accept readonly arrays. The runtime preserves properties
// that these types do not declare.

/** Optional cache marker of a message part. `prompt_cache_breakpoint` allows the server to cache the prompt up to this part. */
interface Cached {
  readonly prompt_cache_breakpoint?: { readonly mode: 'explicit' }
}

interface ChatTextPart extends Cached {
  readonly type: 'text'
  readonly text: string
}

/** Part of a user's message: text, an image, audio or a file. */
export type ChatContentPart =
  | ChatTextPart
  | (Cached & {
      readonly type: 'image_url'
      /** `url` is a web address, or a `data:` URL that contains the image. */
      readonly image_url: { readonly url: string; readonly detail?: 'auto' | 'low' | 'high' }
    })
  | (Cached & {
      readonly type: 'input_audio'
      /** `data` is the audio as base64. */
      readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' }
    })
  | (Cached & {
      readonly type: 'file'
      /**
       * `file_data` is the content of the file as a `data:` URL, or the content of a PDF file as base64. `file_id` is
       * the id of an uploaded file.
       */
      readonly file: { readonly file_data?: string; readonly file_id?: string; readonly filename?: string }
    })

interface ChatRefusalPart {
  readonly type: 'refusal'
  readonly refusal: string
}

export interface ChatFunctionCall {
  readonly name: string
  /** Arguments as JSON text, exactly as the model sent them. The JSON can be invalid. */
  readonly arguments: string
}

/** Function call in an assistant message. */
export interface ChatFunctionToolCall {
  /** Id of the call, chosen by the model. The tool message with the response contains the same id as `tool_call_id`. */
  readonly id: string
  /** Kind of the call: always `function`. */
  readonly type: 'function'
  /** Name of the called tool, and its arguments. */
  readonly function: ChatFunctionCall
}

/** Tool call in an assistant message: a call of a function, or of a custom tool whose input is free text. */
export type ChatToolCall =
  | ChatFunctionToolCall
  | { readonly id: string; readonly type: 'custom'; readonly custom: { readonly name: string; readonly input: string } }

/** Message with instructions of the application for the model. Older models use the role `system` for such messages. */
interface ChatDeveloperMessage {
  readonly role: 'developer'
  readonly content: string | ChatTextPart[]
  readonly name?: string
}

/** Message with instructions of the application for the model. */
export interface ChatSystemMessage {
  /** Role of a message with instructions: always `system`. */
  readonly role: 'system'
  /** Text of the instructions, or text parts. */
  readonly content: string | ChatTextPart[]
  /** Name of the author, if messages with this role have several authors. */
  readonly name?: string
}

/** Message of a user to the model. */
export interface ChatUserMessage {
  /** Role of a message from a user: always `user`. */
  readonly role: 'user'
  /** Text, or parts with text, images, audio and files. */
  readonly content: string | ChatContentPart[]
  /** Name of the user, if several users take part in the conversation. */
  readonly name?: string
}

/**
 * Content of a model's message in the format of the model's API, for example signed reasoning. Conversations store this content, so that the driver
 * can send the message unchanged in later requests.
 */
export interface ProviderData {
  /** Name of the API that defines the format of the content, e.g. `anthropic`. Drivers for other APIs ignore the content. */
  readonly api: string
  readonly reasoning?: string
  readonly content: readonly JsonValue[]
}

/** Message of a model: text, requested tool calls, or both. */
export interface ChatAssistantMessage {
  /** Role of a message from a model: always `assistant`. */
  readonly role: 'assistant'
  /** Text of the message. `null` or absent if the message has only calls. */
  readonly content?: string | (ChatTextPart | ChatRefusalPart)[] | null
  /** Text with which the model refused to answer. `null` or absent if the model did not refuse. */
  readonly refusal?: string | null
  /** Name of the agent or model, if several agents or models take part in the conversation. */
  readonly name?: string
  /** Id of an earlier audio answer, if the message refers to this answer instead of containing text. `null` or absent in all other messages. */
  readonly audio?: { readonly id: string } | null
  /** Tool calls that the model requests. Absent if the model requests no call. */
  readonly tool_calls?: ChatToolCall[]
  /** Function call that the model requests, in the older format of the API. `null` or absent if the model requests no such call. */
  readonly function_call?: ChatFunctionCall | null
  /**
   * Parts of the message that do not fit into the other fields, such as signed reasoning. Absent if the other fields contain the whole message.
   * Always absent in messages of chat completions.
   */
  readonly provider_data?: ProviderData
}

/** Message with the response to a tool call. `tool_calls` of an earlier assistant message contains this call. */
export interface ChatToolMessage {
  /** Role of a message with the response to a call: always `tool`. */
  readonly role: 'tool'
  /** Id of the tool call that this message answers. */
  readonly tool_call_id: string
  /** Text for the model: the result of the call or an error. */
  readonly content: string | ChatTextPart[]
}

/** Message with the response to a `function_call`, in the older format of the API. */
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

/** Fields of a chat request except `messages`, e.g. `temperature` or `metadata`. The driver sends these fields to the model unchanged. */
export type ChatFields = Readonly<Record<string, unknown>>

/**
 * Raw chat request: messages, and other fields for the model such as `temperature`.
 *
 * @example
 * const request: ChatRequest = { messages: [{ role: 'user', content: 'Where is A-1001?' }], temperature: 0 }
 */
export interface ChatRequest {
  /** Messages of the conversation, the oldest first. */
  readonly messages: readonly ChatMessage[]
  readonly [field: string]: unknown
}

/**
 * Run item for a message that is not a tool message. Contains the property `kind`, followed by the properties of the
 * message in their original order. If the message has a property `kind`, the item contains this property as `kind_`.
 */
export type MessageItem = { readonly kind: 'message' } & Exclude<ChatMessage, ChatToolMessage>

/**
 * Run item for the response to a tool call. Contains the property `kind`, followed by the properties of the tool
 * message in their original order.
 */
export type ToolOutputItem = { readonly kind: 'tool_output' } & ChatToolMessage

/**
 * Run item for a handoff: the switch from one agent to another when a nested run starts, continues or ends. No message
 * of the conversation describes a handoff. `runItems(run)` therefore creates the item from a `handoff` event.
 */
export interface HandoffItem {
  /** Kind of the item: always `handoff`. */
  readonly kind: 'handoff'
  /** Name of the agent that was active before the handoff. */
  readonly from_agent: string
  /** Name of the agent that is active after the handoff. */
  readonly to_agent: string
  /**
   * Cause of the handoff. `started` or `resumed`: the nested run starts or continues. Any other value is the status
   * with which the nested run ended, for example `completed`.
   */
  readonly reason?: string
}

/** Message, tool output or handoff of a run. The items of a run include exactly one item for each message of the conversation. */
export type RunItem = MessageItem | ToolOutputItem | HandoffItem
