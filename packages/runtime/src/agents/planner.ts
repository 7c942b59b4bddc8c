import { ToolFailure } from '../call/tool-failure.js'
import { isConversation, shapeIssues } from '../chat/messages.js'
import { payloadCodec } from '../codec/codecs.js'
import { parsePointer } from '../schema/json-pointer.js'
import { type Fields, isFields } from '../schema/json-values.js'
import type { ChatAssistantMessage } from '../types/chat.js'
import type { Codec, Issue } from '../types/codec.js'
import type { FailureReason } from '../types/failure.js'
import type { JsonSchema, JsonValue, Mutable } from '../types/json.js'
import type { ClarificationField, ToolOutcome } from '../types/outcome.js'
import type {
  Decision,
  MessageCompiler,
  ModelDriver,
  ModelRequest,
  ModelResponse,
  Planner,
  PlanRequest,
  ResponseFormat,
  TokenUsage,
} from '../types/planner.js'
import type { MetaField, ToolCall } from '../types/tool.js'

/**
 * Creates the decision to call tools, at least one. They run at once; their results keep this order.
 *
 * @example
 * return callTools(newGetOrderCall({ orderId: 'A-1001' }), newStockLevelCall({ sku: 'LAMP-1' }))
 */
export function callTools(...calls: readonly ToolCall<unknown, MetaField>[]): Decision {
  return { kind: 'calls', calls }
}

/**
 * Creates the decision to end the run with an answer: text, or a value.
 *
 * @example
 * return answer(`Order ${order.id} is ${order.status}.`)
 */
export function answer(value: JsonValue): Decision {
  return typeof value === 'string' ? { kind: 'answer', text: value } : { kind: 'answer', value }
}

/**
 * Creates the decision to ask the user. The run is suspended until somebody answers.
 *
 * @example
 * return ask('Which of your orders do you mean?')
 */
export function ask(question: string): Decision {
  return { kind: 'question', question }
}

/** @throws {ToolFailure} if a planner returned something else than a decision. */
export function requireDecision(decision: unknown): Decision {
  try {
    if (isDecision(decision)) return decision
  } catch {
    // A hostile getter: it cannot be read.
  }
  throw new ToolFailure('The planner decided nothing: return callTools(...) with a call, answer(...) or ask(...).', {
    reason: 'internal',
    action: 'finish',
  })
}

function isDecision(value: unknown): value is Decision {
  if (!isFields(value)) return false
  switch (value.kind) {
    case 'calls':
      return Array.isArray(value.calls) && value.calls.length > 0
    case 'answer':
      return typeof value.text === 'string' || JSON.stringify(value.value) !== undefined
    case 'question':
      return typeof value.question === 'string'
    case 'correction':
      return typeof value.correction === 'string'
    default:
      return false
  }
}

/** Returns the question for all fields that these calls lack; `undefined` if they lack none. */
export function clarificationOf(
  outcomes: readonly ToolOutcome[],
): { readonly question: string; readonly fields: readonly ClarificationField[] } | undefined {
  const byName = new Map<string, ClarificationField>()
  for (const outcome of outcomes) {
    if (outcome.status !== 'failed' || outcome.hint.reason !== 'missing_fields') continue
    const { tool, missing } = outcome.hint
    for (const field of missing) byName.set(`${tool} ${field.path}`, { ...field, tool })
  }
  const fields = [...byName.values()]
  if (fields.length === 0) return undefined
  const names = [...new Set(fields.map(nameOf))]
  const question =
    names.length === 1 ? `Please give: ${names[0]}.` : `Please give:\n${names.map((name) => `- ${name}`).join('\n')}`
  return { question, fields }
}

/** Returns the description of a field, or its name. */
function nameOf({ path, description }: ClarificationField): string {
  const name = parsePointer(path)?.at(-1) ?? path
  return description === undefined ? name : `${description} (${name})`
}

/** The planner of an agent that was registered without one: its runs fail. */
export const noPlanner: Planner = () => {
  throw new ToolFailure(
    'This agent has no planner: give one where it is registered, { planner, toolsets } or { agent, toolsets }.',
    { reason: 'internal', action: 'finish' },
  )
}

/**
 * Code of a {@link ModelResponseError}:
 * - `not_json`: the body is not JSON, or ends too early;
 * - `no_choices`: a response without any message;
 * - `malformed_message`: a message that is not of chat completions;
 * - `truncated`: the stream ended before the message did;
 * - `error_response`: an error in place of a response, with a status or in a stream with a good status;
 * - `content_filter`: the response was withheld;
 * - `empty`: the tokens were used up before any text;
 * - `invalid_output`: the structured output did not fit its schema, twice.
 */
type ModelResponseErrorCode =
  | 'not_json'
  | 'no_choices'
  | 'malformed_message'
  | 'truncated'
  | 'error_response'
  | 'content_filter'
  | 'empty'
  | 'invalid_output'

/** Reason and sentence of each code. */
const CODES: Readonly<Record<ModelResponseErrorCode, readonly [FailureReason, string]>> = {
  not_json: ['malformed_result', 'The model answered with something that is no JSON.'],
  no_choices: ['malformed_result', 'The model answered without a choice.'],
  malformed_message: ['malformed_result', 'The model answered with a message that is none of chat completions.'],
  truncated: ['unavailable', 'The answer of the model broke off.'],
  error_response: ['unavailable', 'The model answered with an error.'],
  content_filter: ['denied', "The model's answer was withheld by its content filter."],
  empty: ['malformed_result', 'The model used up its tokens before it said anything.'],
  invalid_output: ['malformed_result', "The model's answer does not fit the schema, also after it was told why."],
}

/** Details of a {@link ModelResponseError}. */
interface ModelResponseErrorDetails {
  /** Default: the usual reason of the code. */
  readonly reason?: FailureReason
  /** Sentence that is added to the message. */
  readonly detail?: string
  /** Issues of an `invalid_output`. */
  readonly issues?: readonly Issue[]
  /** Text of the model, for logs. */
  readonly text?: string
  /** Tokens that the response has cost. A run that the error ends counts them. */
  readonly usage?: TokenUsage
  /** For logs. */
  readonly cause?: unknown
}

/**
 * Thrown for an unusable response of a model. A run that it ends is `failed`, with its reason and sentence; what the server
 * sent is only in `cause` and `text`, for logs.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'ModelResponseError') && run.error.cause.code === 'invalid_output') log(run.error.cause.text)
 */
export class ModelResponseError extends ToolFailure {
  override readonly name = 'ModelResponseError'
  readonly code: ModelResponseErrorCode
  /** Text of the model; not enumerable. */
  declare readonly text: string | undefined
  /** Tokens that the response has cost, if known; not enumerable. */
  declare readonly usage: TokenUsage | undefined

  constructor(
    code: ModelResponseErrorCode,
    { reason, detail, issues, text, usage, cause }: ModelResponseErrorDetails = {},
  ) {
    const [usualReason, sentence] = CODES[code]
    const message = detail === undefined ? sentence : `${sentence} ${detail}`
    const from = cause === undefined ? {} : { cause }
    const isOutput = code === 'invalid_output'
    super(
      message,
      isOutput ? { reason: 'malformed_result', issues, ...from } : { reason: reason ?? usualReason, ...from },
    )
    this.code = code
    Object.defineProperty(this, 'text', { value: text, enumerable: false })
    Object.defineProperty(this, 'usage', { value: usage, enumerable: false })
  }
}

/**
 * Returns the message of a response as it goes into the conversation: as it was sent, with its unknown fields. Only what
 * servers would refuse in a conversation is repaired: an empty `tool_calls`, an `index` that is left of a stream, a missing
 * role, id or type, an id that an earlier call of the message has, arguments that are not a string, and a message without
 * content.
 *
 * @param position number of messages before it: created ids contain it
 * @throws {ModelResponseError} for anything but an assistant message, and for a legacy `function_call`.
 */
export function assistantMessage(value: unknown, position: number): ChatAssistantMessage {
  const message = isFields(value) ? repaired(value, position) : value
  if (!isAssistantMessage(message)) {
    // Only the location: nothing that the server wrote may be shown.
    const path = shapeIssues(message)[0]?.path ?? '/role'
    const detail = path === '' ? {} : { detail: `What is wrong is its ${path}.` }
    throw new ModelResponseError('malformed_message', { cause: value, ...detail })
  }
  if (message.function_call !== undefined && message.function_call !== null) {
    const detail = 'It has a `function_call`; only `tool_calls` are run.'
    throw new ModelResponseError('malformed_message', { cause: value, detail })
  }
  return message
}

function isAssistantMessage(message: unknown): message is ChatAssistantMessage {
  return isFields(message) && message.role === 'assistant' && shapeIssues(message).length === 0
}

function repaired(message: Fields, position: number): Fields {
  const { tool_calls: calls, ...rest } = message
  const role = message.role ?? 'assistant'
  if (Array.isArray(calls) && calls.length > 0) return { ...message, role, tool_calls: repairedCalls(calls, position) }
  if (calls !== undefined && calls !== null && !Array.isArray(calls)) return message
  const isEmpty = [rest.content, rest.refusal, rest.audio, rest.function_call].every((part) => (part ?? null) === null)
  return { ...rest, role, ...(isEmpty && { content: '' }) }
}

function repairedCalls(calls: readonly unknown[], position: number): readonly unknown[] {
  const all = new Set(calls.map((call) => (isFields(call) ? call.id : undefined)))
  const used = new Set<unknown>()
  return calls.map((call, index) => {
    if (!isFields(call)) return call
    const { index: _index, ...rest } = call
    let id = (call.id ?? '') === '' ? `call_${position}_${index}` : call.id
    if (used.has(id)) {
      id = `${id}_${index}`
      while (all.has(id)) id = `${id}_`
    }
    used.add(id)
    all.add(id)
    const body = isFields(call.function) ? { function: repairedFunction(call.function) } : {}
    return { ...rest, id, type: call.type ?? 'function', ...body }
  })
}

function repairedFunction(body: Fields): Fields {
  const { arguments: sent } = body
  if (sent === undefined || sent === null) return { ...body, arguments: '{}' }
  if (typeof sent !== 'object') return body
  try {
    return { ...body, arguments: JSON.stringify(sent) }
  } catch {
    // Nested too deep: it stays invalid.
    return body
  }
}

/** Returns the text of a message, its parts joined. */
export function messageText({ content }: ChatAssistantMessage): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Returns the text by which a model refuses; `undefined` if it does not. */
function refusalText({ content, refusal }: ChatAssistantMessage): string | undefined {
  if (typeof refusal === 'string' && refusal !== '') return refusal
  if (!Array.isArray(content)) return undefined
  const parts = content.flatMap((part) => (part.type === 'refusal' ? [part.refusal] : []))
  return parts.length === 0 ? undefined : parts.join('')
}

/** Options of {@link modelPlanner}. */
export interface ModelPlannerOptions {
  /** Schema of a structured final answer, with a name for the model (default `answer`). Default: the answer is text. */
  readonly responseFormat?: { readonly name?: string; readonly schema: JsonSchema }
}

/**
 * Creates a planner that asks a model: its tool calls are run, and any other response is the final answer. The model's message
 * goes into the conversation as it was sent.
 *
 * A structured answer that is not JSON or breaks its schema is sent back to the model once, with the issues and without tools;
 * its next answer counts. The exchange is part of the conversation, and the second answer is a turn of its own. A refusal is
 * an answer with text and no value.
 *
 * The planner throws what the driver throws, and a `ModelResponseError` for an invalid response, for one that a content filter
 * withheld, that is empty because the tokens were used up, or that broke its schema twice.
 *
 * @example
 * const planner = modelPlanner(openAiDriver({ client: new OpenAI(), model: 'gpt-5.2' }))
 * const support = registerSupport(new Runtime(), { planner, toolsets: { orders: { client } } })
 */
export function modelPlanner(driver: ModelDriver, { responseFormat }: ModelPlannerOptions = {}): Planner {
  const format = responseFormat && { name: responseFormat.name ?? 'answer', schema: responseFormat.schema }
  const formatCodec = format && codecOf(format)
  return async (request) => {
    if (request.responseFormat !== undefined) {
      // The run itself asks once more for its answer, as JSON.
      const response = await askModel(driver, { ...request, tools: [] }, request.responseFormat)
      // A message with calls that nobody answers must not enter the conversation.
      if (response.calls.length > 0) return withCost({ kind: 'answer', text: messageText(response.message) }, response)
      const parsed = structuredAnswer(response, codecOf(request.responseFormat))
      return withCost(parsed.ok ? parsed.decision : textAnswer(response), response)
    }
    const isCorrection = format !== undefined && request.isCorrection === true
    const response = await askModel(driver, isCorrection ? { ...request, tools: [] } : request, format)
    const { calls, message, usage } = response
    const text = messageText(message)
    if (calls.length > 0 && !isCorrection) {
      return withCost({ kind: 'calls', calls, message, ...(text !== '' && { text }) }, response)
    }
    if (formatCodec === undefined) return withCost(textAnswer(response), response)
    const parsed = structuredAnswer(response, formatCodec)
    // A message with calls that nobody answers must not enter the conversation.
    if (parsed.ok && calls.length === 0) return withCost(parsed.decision, response)
    const issues = parsed.ok ? {} : { issues: parsed.issues }
    if (isCorrection) throw new ModelResponseError('invalid_output', { text, ...(usage && { usage }), ...issues })
    return withCost(correction(response, parsed.ok ? [] : parsed.issues), response)
  }
}

function codecOf({ schema }: ResponseFormat): Codec<never, unknown> {
  return payloadCodec({ schema, unknown: 'keep' })
}

/** @throws {ModelResponseError} for a response that nobody can use. */
async function askModel(
  driver: ModelDriver,
  { messages, tools, meta, fields, runStart }: PlanRequest,
  responseFormat: ResponseFormat | undefined,
): Promise<ModelResponse> {
  const request: Mutable<ModelRequest> = { messages, tools, meta }
  if (fields !== undefined) request.fields = fields
  if (runStart !== undefined) request.runStart = runStart
  if (responseFormat !== undefined) request.responseFormat = responseFormat
  const response = validResponse(await driver.ask(request), messages.length)
  const { finishReason, calls, message, usage } = response
  const text = messageText(message)
  const cost = usage === undefined ? {} : { usage }
  if (finishReason === 'content_filter') throw new ModelResponseError('content_filter', { text, ...cost })
  if (finishReason === 'length' && calls.length === 0 && text === '' && refusalText(message) === undefined) {
    throw new ModelResponseError('empty', cost)
  }
  return response
}

function textAnswer({ message }: ModelResponse): Decision {
  return { kind: 'answer', text: refusalText(message) ?? messageText(message), message }
}

/** Reads the value of a structured answer; a refusal is an answer without a value. */
function structuredAnswer(response: ModelResponse, codec: Codec<never, unknown>) {
  const { message, output } = response
  if (refusalText(message) !== undefined) return { ok: true, decision: textAnswer(response) } as const
  const text = messageText(message)
  const json = output ?? text
  const decoded = codec.decode(json)
  if (!decoded.ok) return decoded
  // As the model wrote it: without defaults.
  const decision: Decision = { kind: 'answer', value: JSON.parse(json), text, message }
  return { ok: true, decision } as const
}

/** Number of issues that a model is shown. */
const MAX_ISSUES = 20

/** Returns the decision to have an answer corrected; a message without text is left out. */
function correction({ message }: ModelResponse, issues: readonly Issue[]): Decision {
  const listed = issues
    .slice(0, MAX_ISSUES)
    .map((issue) => `- ${issue.path === '' ? '' : `${issue.path}: `}${issue.message}`)
  const lines = [
    'Your answer does not fit its schema:',
    ...listed,
    ...(issues.length > listed.length ? [`- and ${issues.length - listed.length} more`] : []),
    'Answer again, with the whole JSON and nothing else.',
  ]
  const text = messageText(message)
  return { kind: 'correction', correction: lines.join('\n'), ...(text !== '' && { text, message }) }
}

function withCost(decision: Mutable<Decision>, { usage, finishReason, model }: ModelResponse): Decision {
  if (usage !== undefined) decision.usage = usage
  if (finishReason !== undefined) decision.finishReason = finishReason
  if (model !== undefined) decision.model = model
  return decision
}

/**
 * Returns a response whose message may go into a conversation and whose calls are those of the message, each under its own
 * id. A driver may be anybody's, and models repeat ids: these are repaired.
 *
 * @param position number of messages before it
 * @throws {ModelResponseError} `malformed_message` without a message, or for other calls than those of the message.
 */
function validResponse(response: unknown, position: number): ModelResponse {
  if (!isResponse(response)) {
    throw new ModelResponseError('malformed_message', { detail: 'The driver answered without `message` and `calls`.' })
  }
  if (needsNoRepair(response)) return response
  const message = assistantMessage(response.message, position)
  const ids = (message.tool_calls ?? []).map(({ id }) => id)
  if (ids.length !== response.calls.length) {
    throw new ModelResponseError('malformed_message', { detail: 'Its calls are not those that the driver hands on.' })
  }
  const calls = response.calls.map((call, index) => ({ ...call, toolCallId: ids[index] ?? '' }))
  return { ...response, message, calls }
}

function isResponse(response: unknown): response is ModelResponse {
  return isFields(response) && isFields(response.message) && Array.isArray(response.calls)
}

/** Returns `true` in the usual case. */
function needsNoRepair({ message, calls }: ModelResponse): boolean {
  const requested = message.tool_calls
  if (message.role !== 'assistant' || message.content === undefined) return false
  if (requested === undefined) return calls.length === 0
  if (!Array.isArray(requested) || requested.length === 0 || requested.length !== calls.length) return false
  const used = new Set<string>()
  // By index: an iterator over entries costs a tenth of a call.
  for (let index = 0; index < requested.length; index += 1) {
    const { id, type } = requested[index] ?? {}
    if (typeof id !== 'string' || id === '' || used.has(id) || calls[index]?.toolCallId !== id) return false
    if (type !== 'function' && type !== 'custom') return false
    used.add(id)
  }
  return true
}

/**
 * Returns a request with compiled messages. For drivers that support a message compiler.
 *
 * @throws what the compiler throws, and `TypeError` if it returns no messages.
 *
 * @example
 * withMessageCompiler: (compiler) => ({ ...driver, ask: async (request) => driver.ask(await compiledRequest(request, compiler)) })
 */
export async function compiledRequest(request: ModelRequest, compiler: MessageCompiler): Promise<ModelRequest> {
  const { messages, meta, tools, runStart: start = messages.length, ...rest } = request
  const conversation = messages.slice(0, start)
  const trace = messages.slice(start)
  const compiled: unknown = await compiler({ conversation, trace, meta, tools })
  if (isConversation(compiled) && compiled.length > 0) return { ...rest, messages: compiled, meta, tools }
  throw new TypeError(
    'a message compiler gave no messages: return a list of chat messages, [...conversation, ...trace]',
  )
}

/** Returns a driver that supports message compilers. */
export function compilingDriver(name: string, ask: ModelDriver['ask']): ModelDriver {
  return {
    name,
    ask,
    withMessageCompiler: (compiler) => ({
      name,
      ask: async (request) => ask(await compiledRequest(request, compiler)),
    }),
  }
}
