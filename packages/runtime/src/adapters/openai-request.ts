import type { OpenAI } from 'openai'
import { withTakenMedia } from '../chat/result-content.js'
import { type OpenAiTool, openAiTool } from '../projections/openai.js'
import type { ChatFields, ChatMessage } from '../types/chat.js'
import type { MediaOptions } from '../types/content.js'
import type { ModelRequest } from '../types/planner.js'
import type { ModelDriverOptions } from './model-driver.js'
import { type ProjectedFormat, type ProjectedRequest, requestProjector } from './model-formats.js'

type CompletionRequest = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

export type CompletionDelta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta

/** Fields that the driver sets, and the deprecated fields `functions` and `function_call`. */
type OwnField = 'messages' | 'model' | 'tools' | 'stream' | 'functions' | 'function_call'

/**
 * Fields of a request that the options of the driver can contain, for example `temperature`, `seed` and `tool_choice`. The driver sends
 * these fields unchanged, with two exceptions. Requests without tools omit `tool_choice` and `parallel_tool_calls`, because servers would
 * reject these fields. If the agent requests structured output, the driver sets `response_format`.
 */
type CompletionFields = Omit<CompletionRequest, OwnField>

/** Options for `openAiDriver`: the client, the model, retries, streaming, and additional fields of each request. */
export interface OpenAiDriverOptions extends CompletionFields, ModelDriverOptions<CompletionDelta> {
  /** Client of OpenAI's library. Configures the address, API key, headers, timeout and proxies. */
  readonly client: OpenAI
  readonly model: string
  /** If `true`, uses strict mode for tools and structured output where possible. Default: `true`. */
  readonly strict?: boolean
  /**
   * Files that the model accepts in tool results: images, `audio/wav`, `audio/mpeg`, and other files such as `application/pdf`. The driver sends
   * these files in a user message after the tool messages. In place of any other file, the model reads a short text. Default: images in common
   * formats of at most 3.75 MB. For a model without vision, set `{ types: [] }`.
   */
  readonly media?: MediaOptions
  /** Additional request fields for the server. `extraBody` cannot change a field that the driver or another option sets. Default: none. */
  readonly extraBody?: Readonly<Record<string, unknown>>
}

export interface PreparedRequest extends ProjectedRequest<OpenAiTool> {
  readonly body: CompletionRequest
}

export function requestWriter(
  model: string,
  fields: CompletionFields,
  strict: boolean,
  extraBody: OpenAiDriverOptions['extraBody'],
  media: MediaOptions | undefined,
): (request: ModelRequest) => PreparedRequest {
  const project = requestProjector((spec) => openAiTool(spec, { strict }), strict)
  return (request) => {
    const { messages, fields: ofRun = {} } = request
    const projected = project(request)
    const { tools, format } = projected
    const { tool_choice, parallel_tool_calls, ...others } = { ...fields, ...withoutOwn(ofRun) }
    const body: CompletionRequest = {
      ...extraBody,
      model,
      ...others,
      messages: withoutProviderData(messages.map((message) => withTakenMedia(message, media))),
      ...(tools.length > 0 && {
        ...(tool_choice !== undefined && { tool_choice }),
        ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
        tools: [...toolsOf(ofRun), ...tools],
      }),
      ...(format !== undefined && { response_format: responseFormat(format) }),
    }
    return { ...projected, body }
  }
}

function responseFormat({ name, schema, strict }: ProjectedFormat): OpenAI.ResponseFormatJSONSchema {
  return { type: 'json_schema', json_schema: { name, schema, strict } }
}

/** Servers reject unknown fields such as `provider_data`. */
function withoutProviderData(messages: ChatMessage[]): ChatMessage[] {
  return messages.map((message) => {
    if (message.role !== 'assistant' || message.provider_data === undefined) return message
    const { provider_data, ...rest } = message
    return rest
  })
}

function withoutOwn({ messages, tools, stream, stream_options, n, ...others }: ChatFields): ChatFields {
  return others
}

function toolsOf({ tools = [] }: ChatFields): CompletionRequest['tools'] & object {
  if (Array.isArray(tools)) return tools
  throw new TypeError('the `tools` of the chat request must be an array')
}
