import { payloadCodec } from '../codec/codecs.js'
import type { Codec, Issue } from '../types/codec.js'
import type { JsonSchema, Mutable } from '../types/json.js'
import type {
  Decision,
  ModelDriver,
  ModelRequest,
  ModelResponse,
  Planner,
  PlanRequest,
  ResponseFormat,
} from '../types/planner.js'
import { messageText, refusalText, validResponse } from './model-response.js'
import { ModelResponseError } from './model-response-error.js'

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
export function correction({ message }: ModelResponse, issues: readonly Issue[]): Decision {
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
