import type { OpenAI } from 'openai'
import { withTakenMedia } from '../chat/result-content.js'
import { openAiTool } from '../projections/openai.js'
import { strictProjection } from '../projections/openai-strict.js'
import { argumentRestorer } from '../projections/restore-arguments.js'
import { plainSchema } from '../projections/schemas.js'
import { isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { ChatFields } from '../types/chat.js'
import type { MediaOptions } from '../types/content.js'
import type { JsonSchemaObject, JsonText } from '../types/json.js'
import type { ModelRequest, ResponseFormat, RunMeta } from '../types/planner.js'
import type { AgentToolSpec } from '../types/tool.js'

type CompletionRequest = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

/** Part of a streamed response, as sent by the server. */
export type CompletionDelta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta

/** Request fields that the options cannot contain, because the driver sets them or they are deprecated. */
type OwnField = 'messages' | 'model' | 'tools' | 'stream' | 'functions' | 'function_call'

/**
 * Fields of a request that the options of the driver can contain, such as `temperature`, `seed`, `tool_choice`, `parallel_tool_calls` and
 * `max_completion_tokens`. They are sent unchanged, with two exceptions. `tool_choice` and `parallel_tool_calls` are not sent in requests
 * without tools, because servers would reject them. If the agent requests structured output, the driver sets `response_format`.
 */
type CompletionFields = Omit<CompletionRequest, OwnField>

/** Options for `openAiDriver`: the client, the model, retries, streaming, and further request fields. */
export interface OpenAiDriverOptions extends CompletionFields {
  /** Client of OpenAI's library. Configures the address, API key, headers, timeout and proxies. */
  readonly client: OpenAI
  readonly model: string
  /**
   * If `true`, requests streamed responses, and {@link onDelta} receives their parts. The messages of the run are the same in both cases.
   * Default: `false`.
   */
  readonly stream?: boolean
  /** If `true`, uses strict mode for tools and structured output where possible. Default: `true`. */
  readonly strict?: boolean
  /**
   * Images and audio of tool results that the model accepts: images, `audio/wav` and `audio/mpeg`. They follow the tool messages in a user
   * message. For other images and audio, the model reads a short text. Default: images in common formats of at most 3.75 MB. For a model
   * without vision, set `{ types: [] }`.
   */
  readonly media?: MediaOptions
  /** Number of attempts of a request, and waits between them. The client's own `maxRetries` is not used. Default: 3 attempts. */
  readonly retry?: ModelRetry
  /**
   * Function that receives each part of a streamed response. After the first part, the request is not retried. Errors of the function are
   * ignored. Default: none.
   */
  readonly onDelta?: (delta: CompletionDelta, meta: RunMeta) => void
  /**
   * Additional request fields that the server understands. A field that the driver or another option sets takes precedence over the same
   * field here. Default: none.
   */
  readonly extraBody?: Readonly<Record<string, unknown>>
}

/** Request to the API. Its functions convert the output of strict mode to values that match the original schemas. */
export interface PreparedRequest {
  readonly body: CompletionRequest
  /** Converts the arguments of a tool. Arguments of an unknown tool are returned unchanged. */
  restoreArguments(toolName: string, json: JsonText): JsonText
  /** Converts structured output. `undefined` if the request does not ask for structured output. */
  readonly restoreOutput: ((json: JsonText) => JsonText) | undefined
}

/** Returns a function that prepares requests. The function converts each tool list and each response format only once. */
export function requestWriter(
  model: string,
  fields: CompletionFields,
  strict: boolean,
  extraBody: OpenAiDriverOptions['extraBody'],
  media: MediaOptions | undefined,
): (request: ModelRequest) => PreparedRequest {
  const projectTools = memoized((specs: readonly AgentToolSpec[]) => {
    const projections = specs.map((spec) => ({ spec, ...openAiTool(spec, { strict }) }))
    const strictOnes = projections.filter((each) => each.strict)
    return {
      tools: projections.map(({ tool }) => tool),
      restorers: new Map(strictOnes.map(({ spec }) => [spec.toolName, argumentRestorer(spec)])),
    }
  })
  const projectFormat = memoized((format: ResponseFormat) => projectedFormat(format, strict))
  return ({ messages, tools: specs, responseFormat, fields: ofRun = {} }) => {
    const { tools, restorers } = projectTools(specs)
    const format = responseFormat && projectFormat(responseFormat)
    const { tool_choice, parallel_tool_calls, ...others } = { ...fields, ...withoutOwn(ofRun) }
    const body: CompletionRequest = {
      ...extraBody,
      model,
      ...others,
      messages: withTakenMedia(messages, media),
      ...(tools.length > 0 && {
        ...(tool_choice !== undefined && { tool_choice }),
        ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
        tools: [...toolsOf(ofRun), ...tools],
      }),
      ...(format !== undefined && { response_format: format.format }),
    }
    return {
      body,
      restoreArguments: (toolName, json) => restorers.get(toolName)?.(json) ?? json,
      restoreOutput: format?.restore,
    }
  }
}

function memoized<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => {
    const value = values.get(key) ?? make(key)
    values.set(key, value)
    return value
  }
}

function withoutOwn({ messages, tools, stream, stream_options, n, ...others }: ChatFields): ChatFields {
  return others
}

function toolsOf({ tools = [] }: ChatFields): CompletionRequest['tools'] & object {
  if (Array.isArray(tools)) return tools
  throw new TypeError('the `tools` of the chat request must be an array')
}

interface ProjectedFormat {
  readonly format: OpenAI.ResponseFormatJSONSchema
  readonly restore: (json: JsonText) => JsonText
}

/** Field that contains structured output which is not an object. Chat completions accept only objects. */
const FIELD = 'answer'

function projectedFormat({ name, schema }: ResponseFormat, strict: boolean): ProjectedFormat {
  const type = isFields(schema) ? schema.type : 'any'
  const { $defs, definitions, ...rest } = isFields(schema) ? schema : {}
  const wrapped: JsonSchemaObject = {
    type: 'object',
    properties: { [FIELD]: isFields(schema) ? rest : schema },
    required: [FIELD],
    additionalProperties: false,
    // References point to definitions at the root.
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
  const formatOf = (projected: JsonSchemaObject, isStrict: boolean): ProjectedFormat['format'] => {
    return { type: 'json_schema', json_schema: { name, schema: { ...projected }, strict: isStrict } }
  }
  // Servers reject a union of objects at the root but can accept it in a field.
  const candidates = type === 'object' || type === undefined ? [schema, wrapped] : [wrapped]
  for (const candidate of strict ? candidates : []) {
    const projection = strictProjection(candidate).strict
    if (projection === undefined) continue
    const restore = argumentRestorer({ arguments: candidate })
    const format = formatOf(projection.parameters, true)
    return { format, restore: candidate === wrapped ? (json) => unwrapped(restore(json)) : restore }
  }
  const isObject = type === 'object'
  const plain = plainSchema(isObject ? schema : wrapped)
  return { format: formatOf(isFields(plain) ? plain : {}, false), restore: isObject ? (json) => json : unwrapped }
}

function unwrapped(json: JsonText): JsonText {
  const { value } = { value: undefined, ...parseJson(json) }
  return isFields(value) && Object.hasOwn(value, FIELD) ? JSON.stringify(value[FIELD]) : json
}

/** Options for retries of requests to a model. */
export interface ModelRetry {
  /** Maximum number of requests, including the first. Default: 3. Set 1 for no retries. */
  readonly attempts?: number
  /** Approximate wait before the second attempt, in milliseconds. The wait doubles for each further attempt. Default: 500. */
  readonly initialMs?: number
  /** Maximum wait in milliseconds. If the server requests a longer wait, its error is thrown without a retry. Default: 30,000. */
  readonly maxWaitMs?: number
}
