import type { OpenAI } from 'openai'
import { openAiTool } from '../projections/openai.js'
import { strictProjection } from '../projections/openai-strict.js'
import { argumentRestorer } from '../projections/restore-arguments.js'
import { plainSchema } from '../projections/schemas.js'
import { isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { ChatFields } from '../types/chat.js'
import type { JsonSchemaObject, JsonText } from '../types/json.js'
import type { ModelRequest, ResponseFormat, RunMeta } from '../types/planner.js'
import type { AgentToolSpec } from '../types/tool.js'

/** Request of chat completions. */
type CompletionRequest = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

/** Part of a streamed response, as the server sent it. */
export type CompletionDelta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta

/** Fields that the driver sets, and deprecated ones. */
type OwnField = 'messages' | 'model' | 'tools' | 'stream' | 'functions' | 'function_call'

/**
 * Other fields of a request: `temperature`, `seed`, `tool_choice`, `parallel_tool_calls`, `max_completion_tokens` and so on.
 * They are sent unchanged, with two exceptions: a request without tools has no `tool_choice` and no `parallel_tool_calls`,
 * which servers reject then; structured output has its own `response_format`.
 */
type CompletionFields = Omit<CompletionRequest, OwnField>

/** Options of `openAiDriver`. */
export interface OpenAiDriverOptions extends CompletionFields {
  /** Client of the application, with address, key, headers, timeout and proxies. */
  readonly client: OpenAI
  readonly model: string
  /** Requests a stream, so that {@link onDelta} receives its parts. Default `false`. The messages are the same. */
  readonly stream?: boolean
  /** Uses strict mode for tools and structured output where possible. Default `true`. */
  readonly strict?: boolean
  /** Retries of a request. The client's own `maxRetries` is not used. */
  readonly retry?: ModelRetry
  /**
   * Receives each part of a streamed response. Its errors are ignored. After the first part, a stream that breaks off is not
   * requested again.
   */
  readonly onDelta?: (delta: CompletionDelta, meta: RunMeta) => void
  /** Fields that only this server knows. Fields of chat completions take precedence. */
  readonly extraBody?: Readonly<Record<string, unknown>>
}

/** Request with functions that convert what a model writes in strict mode back to the form of the tools. */
export interface PreparedRequest {
  readonly body: CompletionRequest
  /** Converts arguments of a tool. Those of an unknown tool stay as they are. */
  restoreArguments(toolName: string, json: JsonText): JsonText
  /** Converts structured output; absent if none was requested. */
  readonly restoreOutput: ((json: JsonText) => JsonText) | undefined
}

/** Returns a function that prepares requests. Tools and response formats are projected once. */
export function requestWriter(
  model: string,
  fields: CompletionFields,
  strict: boolean,
  extraBody: OpenAiDriverOptions['extraBody'],
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
      messages: [...messages],
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

/** Removes the fields of a run that belong to the driver. */
function withoutOwn({ messages, tools, stream, stream_options, n, ...others }: ChatFields): ChatFields {
  return others
}

function toolsOf({ tools = [] }: ChatFields): CompletionRequest['tools'] & object {
  if (Array.isArray(tools)) return tools
  throw new TypeError('the `tools` of the chat request are no list')
}

/** A response format for the API, with a function that restores the output to its original schema. */
interface ProjectedFormat {
  readonly format: OpenAI.ResponseFormatJSONSchema
  readonly restore: (json: JsonText) => JsonText
}

/** Chat completions accept only objects: any other output is in this field of one. */
const FIELD = 'answer'

function projectedFormat({ name, schema }: ResponseFormat, strict: boolean): ProjectedFormat {
  const type = isFields(schema) ? schema.type : 'any'
  const { $defs, definitions, ...rest } = isFields(schema) ? schema : {}
  const wrapped: JsonSchemaObject = {
    type: 'object',
    properties: { [FIELD]: isFields(schema) ? rest : schema },
    required: [FIELD],
    additionalProperties: false,
    // References expect definitions at the root.
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
  const formatOf = (projected: JsonSchemaObject, isStrict: boolean): ProjectedFormat['format'] => {
    return { type: 'json_schema', json_schema: { name, schema: { ...projected }, strict: isStrict } }
  }
  // Servers do not accept a union of objects, but may accept it in a field.
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

/** Without the field the text stays as it is, and its schema rejects it. */
function unwrapped(json: JsonText): JsonText {
  const { value } = { value: undefined, ...parseJson(json) }
  return isFields(value) && Object.hasOwn(value, FIELD) ? JSON.stringify(value[FIELD]) : json
}

/** Retries of requests to a model. */
export interface ModelRetry {
  /** Maximum number of requests, with the first one. Default 3; 1: no retries. */
  readonly attempts?: number
  /** Approximate wait before the second attempt, in milliseconds; doubled for each further one. Default 500. */
  readonly initialMs?: number
  /** Maximum wait in milliseconds. If the server asks for more, its error is thrown. Default 30,000. */
  readonly maxWaitMs?: number
}
