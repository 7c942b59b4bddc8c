import type { OpenAI } from 'openai'
import { argumentRestorer, type OpenAiTool, openAiTool } from '../projections/openai.js'
import { strictProjection } from '../projections/openai-strict.js'
import { plainSchema } from '../projections/schemas.js'
import { isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { ChatFields } from '../types/chat.js'
import type { JsonSchema, JsonSchemaObject, JsonText } from '../types/json.js'
import type { ModelRequest, ResponseFormat, RunMeta } from '../types/planner.js'
import type { AgentToolSpec } from '../types/tool.js'
import type { ModelRetry } from './model-retry.js'

/** What each request of a driver has in common. */
interface RequestParts {
  readonly model: string
  readonly fields: CompletionFields
  readonly extraBody: Readonly<Record<string, unknown>> | undefined
}

/**
 * The body of a request: the run's messages as they are, the tools, and all other fields unchanged: those of the run before
 * those of the driver before `extraBody`.
 *
 * @throws {TypeError} when the `tools` of the run are no list.
 */
export function requestBody(
  { model, fields, extraBody }: RequestParts,
  { messages, fields: ofRun = {} }: ModelRequest,
  { tools }: SentTools,
  format: AnswerFormat | undefined,
): CompletionRequest {
  const { tool_choice, parallel_tool_calls, ...others } = { ...fields, ...withoutOwn(ofRun) }
  // Servers refuse these two where there are no tools.
  const ofTools = {
    ...(tool_choice !== undefined && { tool_choice }),
    ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
  }
  return {
    ...extraBody,
    model,
    ...others,
    messages: [...messages],
    ...(tools.length > 0 && { ...ofTools, tools: [...toolsOf(ofRun), ...tools] }),
    ...(format !== undefined && { response_format: format.format }),
  }
}

/** The fields of a run but those that belong to the driver: how many answers it reads, and whether in parts. */
function withoutOwn({ messages, tools, stream, stream_options, n, ...others }: ChatFields): ChatFields {
  return others
}

function toolsOf({ tools = [] }: ChatFields): CompletionRequest['tools'] & object {
  if (Array.isArray(tools)) return tools
  throw new TypeError('the `tools` of the chat request are no list')
}

/** Tools as they are sent, with the way back. */
export interface SentTools {
  readonly tools: readonly OpenAiTool[]
  /** The arguments that a model wrote for a tool, as the tool takes them. Those of an unknown tool stay as they are. */
  restore(name: string, json: JsonText): JsonText
}

/** Says how tools are sent; each list of tools is projected once. */
export function toolSender(strict: boolean): (specs: readonly AgentToolSpec[]) => SentTools {
  const known = new WeakMap<readonly AgentToolSpec[], SentTools>()
  return (specs) => {
    const sent = known.get(specs) ?? sentTools(specs, strict)
    known.set(specs, sent)
    return sent
  }
}

function sentTools(specs: readonly AgentToolSpec[], strict: boolean): SentTools {
  const projections = specs.map((spec) => ({ spec, ...openAiTool(spec, { strict }) }))
  const restorers = new Map(
    projections.filter((each) => each.strict).map(({ spec }) => [spec.toolName, argumentRestorer(spec)]),
  )
  return {
    tools: projections.map(({ tool }) => tool),
    restore: (name, json) => restorers.get(name)?.(json) ?? json,
  }
}

/** A `response_format`, with the way back. */
export interface AnswerFormat {
  readonly format: {
    readonly type: 'json_schema'
    readonly json_schema: { readonly name: string; readonly schema: JsonSchemaObject; readonly strict: boolean }
  }
  /** The answer that a model wrote, as its schema takes it. */
  restore(json: JsonText): JsonText
}

/** Chat completions take objects alone: any other answer is a field of one, under this name. */
const FIELD = 'answer'

/** Says how a structured answer is asked for; each form is projected once. */
export function answerFormatter(strict: boolean): (form: ResponseFormat) => AnswerFormat {
  const known = new WeakMap<ResponseFormat, AnswerFormat>()
  return (form) => {
    const format = known.get(form) ?? answerFormat(form, strict)
    known.set(form, format)
    return format
  }
}

function answerFormat({ name, schema }: ResponseFormat, strict: boolean): AnswerFormat {
  const type = isFields(schema) ? schema.type : 'any'
  const held = inField(schema)
  if (strict) {
    const own = type === 'object' || type === undefined ? strictFormat(name, schema) : undefined
    // A union of objects is no object for them; held in a field it may have a strict form.
    const strictly = own ?? strictFormat(name, held)
    if (strictly !== undefined) return strictly === own ? own : outOfField(strictly)
  }
  return type === 'object' ? looseFormat(name, schema) : outOfField(looseFormat(name, held))
}

function strictFormat(name: string, schema: JsonSchema): AnswerFormat | undefined {
  const { strict } = strictProjection(schema)
  if (strict === undefined) return undefined
  return {
    format: { type: 'json_schema', json_schema: { name, schema: strict.parameters, strict: true } },
    restore: argumentRestorer({ arguments: schema }),
  }
}

function looseFormat(name: string, schema: JsonSchema): AnswerFormat {
  const plain = plainSchema(schema)
  return {
    format: { type: 'json_schema', json_schema: { name, schema: isFields(plain) ? plain : {}, strict: false } },
    restore: (json) => json,
  }
}

/** An object that holds an answer; definitions stay where references look for them. */
function inField(schema: JsonSchema): JsonSchemaObject {
  const { $defs, definitions, ...answer } = isFields(schema) ? schema : {}
  return {
    type: 'object',
    properties: { [FIELD]: isFields(schema) ? answer : schema },
    required: [FIELD],
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
}

/** The format of an answer that is held in a field. */
function outOfField(held: AnswerFormat): AnswerFormat {
  return {
    format: held.format,
    restore: (json) => {
      const restored = held.restore(json)
      const parsed = parseJson(restored)
      // Without the field the text stays as it is: the schema says what is wrong with it.
      if (!parsed.ok || !isFields(parsed.value) || !Object.hasOwn(parsed.value, FIELD)) return restored
      return JSON.stringify(parsed.value[FIELD])
    },
  }
}

/** A request of chat completions. */
export type CompletionRequest = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

/** What a part of a streamed answer adds, as the server sent it. */
export type CompletionDelta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta

/** What the driver itself fills in, and the fields of the time before tools. */
type OwnField = 'messages' | 'model' | 'tools' | 'stream' | 'functions' | 'function_call'

/**
 * The other fields of a request: `temperature`, `seed`, `tool_choice`, `parallel_tool_calls`, `max_completion_tokens` and so
 * on. They travel unchanged, with two exceptions: a request without tools has no `tool_choice` and no
 * `parallel_tool_calls`, which servers refuse then; a structured answer has its own `response_format`.
 */
export type CompletionFields = Omit<CompletionRequest, OwnField>

/** How a model is asked. */
export interface OpenAiDriverOptions extends CompletionFields {
  /** The application's own: address, key, headers, the time limit of one request and proxies are set there. */
  readonly client: OpenAI
  readonly model: string
  /** Take the answer in parts, so that {@link onDelta} hears of them. Default false. The messages are the same. */
  readonly stream?: boolean
  /** Hold the model to the schemas of tools and answer, where strict mode can say them. Default true. */
  readonly strict?: boolean
  /** When a request is sent again. The client's own `maxRetries` is not used. */
  readonly retry?: ModelRetry
  /**
   * Told of each part of a streamed answer as it comes. What it throws harms nobody. Once it was told something, a stream
   * that breaks off is not asked for again.
   */
  readonly onDelta?: (delta: CompletionDelta, meta: RunMeta) => void
  /** Fields that only this server knows; those of chat completions go before them. */
  readonly extraBody?: Readonly<Record<string, unknown>>
}
