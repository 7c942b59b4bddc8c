import { payloadCodec } from '../codec/codecs.js'
import type { Codec, Issue } from '../types/codec.js'
import type { JsonSchema, Mutable } from '../types/json.js'
import type {
  Decision,
  ModelDriver,
  ModelLayer,
  ModelRequest,
  ModelResponse,
  Planner,
  PlanRequest,
  ResponseFormat,
} from '../types/planner.js'
import { usageOfLayer, withUsage } from './model-cost.js'
import { messageText, refusalText, validResponse } from './model-response.js'
import { failedRequest, ModelResponseError } from './model-response-error.js'

/** Options of {@link modelPlanner}: the format of answers. */
export interface ModelPlannerOptions {
  /** Format of a structured answer: a JSON Schema, and the name of this schema for the model (default: `answer`). By default, answers are text. */
  readonly responseFormat?: { readonly name?: string; readonly schema: JsonSchema }
}

/**
 * Creates a planner that asks a model. The run executes the tool calls of the model. A response without calls is the final answer. The
 * conversation contains each message of the model unchanged. If the token limit cuts off a response (finish reason `length`), the run executes
 * the complete calls of the response, and the incomplete last call fails. An empty response is an empty answer.
 *
 * If a structured answer is invalid, the planner asks the model once more, with the issues and without tools. The conversation contains this
 * second request, and limits such as `maxTurns` count the request as another turn. If the model refuses to answer, the answer has a text and no
 * value.
 *
 * The planner throws errors of the driver. The planner throws a `ModelResponseError` for an invalid or withheld response, and for an empty
 * response at the token limit. The planner throws the same error if a structured answer is invalid twice.
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
      // This request asks for the answer again, as JSON.
      const response = requireUsable(await askModel(driver, { ...request, tools: [] }, request.responseFormat))
      // A message with unanswered calls must not enter the conversation.
      if (response.calls.length > 0) return withCost({ kind: 'answer', text: messageText(response.message) }, response)
      const parsed = structuredAnswer(response, codecOf(request.responseFormat))
      return withCost(parsed.ok ? parsed.decision : textAnswer(response), response)
    }
    const isCorrection = format !== undefined && request.isCorrection === true
    const response = requireUsable(await askModel(driver, isCorrection ? { ...request, tools: [] } : request, format))
    const { calls, message, usage, model } = response
    const text = messageText(message)
    if (calls.length > 0 && !isCorrection) {
      const decision: Mutable<Decision> = { kind: 'calls', calls, message }
      if (text !== '') decision.text = text
      return withCost(decision, response)
    }
    if (formatCodec === undefined) return withCost(textAnswer(response), response)
    const parsed = structuredAnswer(response, formatCodec)
    // A message with unanswered calls must not enter the conversation.
    if (parsed.ok && calls.length === 0) return withCost(parsed.decision, response)
    const issues = parsed.ok ? {} : { issues: parsed.issues }
    if (isCorrection)
      throw new ModelResponseError('invalid_output', {
        text,
        ...(usage && { usage }),
        ...(model !== undefined && { model }),
        ...issues,
      })
    return withCost(correction(response, parsed.ok ? [] : parsed.issues), response)
  }
}

function codecOf({ schema }: ResponseFormat): Codec<never, unknown> {
  return payloadCodec({ schema, unknown: 'keep' })
}

function askModel(
  driver: ModelDriver,
  { messages, tools, meta, fields, runStart, onDelta, traceModel, modelLayer }: PlanRequest,
  responseFormat: ResponseFormat | undefined,
): Promise<ModelResponse> {
  const request: Mutable<ModelRequest> = { messages, tools, meta }
  if (fields !== undefined) request.fields = fields
  if (runStart !== undefined) request.runStart = runStart
  if (responseFormat !== undefined) request.responseFormat = responseFormat
  if (onDelta !== undefined) request.onDelta = onDelta
  const model = typeof fields?.model === 'string' ? fields.model : driver.model
  const send = (sent: ModelRequest): Promise<ModelResponse> => {
    if (traceModel === undefined) return responseOf(driver, sent)
    return traceModel(
      { provider: driver.provider ?? driver.name, ...(model !== undefined && { model }), request: sent },
      () => responseOf(driver, sent),
    )
  }
  return modelLayer === undefined ? send(request) : askThroughLayer(modelLayer, send, request)
}

function requireUsable(response: ModelResponse): ModelResponse {
  const { finishReason, calls, message, usage, model } = response
  if (finishReason !== 'content_filter' && finishReason !== 'length') return response
  const text = messageText(message)
  const cost = { ...(usage !== undefined && { usage }), ...(model !== undefined && { model }) }
  if (finishReason === 'content_filter') throw new ModelResponseError('content_filter', { text, ...cost })
  if (calls.length === 0 && text === '' && refusalText(message) === undefined) {
    throw new ModelResponseError('empty', cost)
  }
  return response
}

/** The usage of the returned response, or of the thrown error, includes all responses that the layer dropped. */
async function askThroughLayer(
  layer: ModelLayer,
  send: ModelDriver['ask'],
  request: ModelRequest,
): Promise<ModelResponse> {
  const received: ModelResponse[] = []
  const counted: ModelDriver['ask'] = async (sent) => {
    const response = await send(sent)
    received.push(response)
    return response
  }
  try {
    const returned = await layer(counted)(request)
    const response = validResponse(returned, request.messages.length)
    const usage = usageOfLayer(received, returned.usage)
    const model = response.model ?? received.at(-1)?.model
    return { ...response, ...(usage !== undefined && { usage }), ...(model !== undefined && { model }) }
  } catch (error) {
    throw withUsage(error, received)
  }
}

/** Not an async function, because each further `await` makes a request one percent slower. */
function responseOf(driver: ModelDriver, request: ModelRequest): Promise<ModelResponse> {
  const failed = (error: unknown): never => {
    throw failedRequest(error, driver)
  }
  try {
    // Drivers in plain JavaScript can return a value that is not a promise.
    return Promise.resolve(driver.ask(request)).then(
      (response) => validResponse(response, request.messages.length),
      failed,
    )
  } catch (error) {
    return Promise.reject(failedRequest(error, driver))
  }
}

function textAnswer({ message }: ModelResponse): Decision {
  return { kind: 'answer', text: refusalText(message) ?? messageText(message), message }
}

function structuredAnswer(response: ModelResponse, codec: Codec<never, unknown>) {
  const { message, output } = response
  if (refusalText(message) !== undefined) return { ok: true, decision: textAnswer(response) } as const
  const text = messageText(message)
  const json = output ?? text
  const decoded = codec.decode(json)
  if (!decoded.ok) return decoded
  // The original text is parsed again, because the decoded value contains added defaults.
  const decision: Decision = { kind: 'answer', value: JSON.parse(json), text, message }
  return { ok: true, decision } as const
}

const MAX_ISSUES = 20

export function correction({ message }: ModelResponse, issues: readonly Issue[]): Decision {
  const listed = issues
    .slice(0, MAX_ISSUES)
    .map((issue) => `- ${issue.path === '' ? '' : `${issue.path}: `}${issue.message}`)
  const lines = [
    'Your answer does not match its JSON Schema:',
    ...listed,
    ...(issues.length > listed.length ? [`- and ${issues.length - listed.length} more`] : []),
    'Answer again with the complete JSON and no other text.',
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
