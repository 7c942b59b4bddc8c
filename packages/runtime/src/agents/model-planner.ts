import { payloadCodec } from '../codec/codecs.js'
import { isFields } from '../schema/json-values.js'
import type { Codec } from '../types/codec.js'
import type { Issue } from '../types/issue.js'
import type { JsonSchema, JsonValue, Mutable } from '../types/json.js'
import type {
  Decision,
  ModelCall,
  ModelDriver,
  ModelRequest,
  ModelResponse,
  Planner,
  PlanRequest,
  ResponseFormat,
} from '../types/planner.js'
import { ModelResponseError } from './model-answer-error.js'
import { refusalText, replyMessage, spokenText } from './reply-message.js'

/** What a model's final answer is. */
export interface ModelPlannerOptions {
  /** A structured answer: a value of this schema, under a name for the model (default `answer`). Absent: text. */
  readonly responseFormat?: { readonly name?: string; readonly schema: JsonSchema }
}

/**
 * A planner that asks a model: its tool calls are run, anything else it says is the final answer. The model's message goes
 * into the conversation as it was sent.
 *
 * A structured answer that is no JSON or breaks its schema is shown to the model once, with what is wrong and without
 * tools; what it answers then counts. The exchange is part of the conversation, and the second answer is a turn of its own. A
 * refusal is an answer with text and no value.
 *
 * The planner throws what the driver throws, and a `ModelResponseError` for an answer that is none, that a content filter
 * withheld, that is empty for want of tokens, or that broke its schema twice.
 *
 * @example
 * const planner = modelPlanner(openAiDriver({ client: new OpenAI(), model: 'gpt-5.2' }))
 * const support = registerSupport(new Runtime(), { planner, toolsets: { orders: { client } } })
 */
export function modelPlanner(driver: ModelDriver, { responseFormat }: ModelPlannerOptions = {}): Planner {
  const form: ResponseFormat | undefined = responseFormat && {
    name: responseFormat.name ?? 'answer',
    schema: responseFormat.schema,
  }
  const structure = form && structureOf(form)
  return async (request) => {
    if (request.responseFormat !== undefined) return answeredOnce(driver, request, request.responseFormat)
    if (structure !== undefined) {
      return request.isCorrection === true
        ? corrected(driver, structure, request)
        : structured(driver, structure, request)
    }
    const said = await heard(driver, questionOf(request))
    return withCost(callsIn(said) ?? textIn(said), said)
  }
}

/** How a structured answer is asked for and read. */
interface Structure {
  readonly form: ResponseFormat
  readonly codec: Codec<never, unknown>
}

function structureOf(form: ResponseFormat): Structure {
  return { form, codec: payloadCodec({ schema: form.schema, unknown: 'keep' }) }
}

function questionOf(
  { messages, tools, meta, fields, runStart }: PlanRequest,
  responseFormat?: ResponseFormat,
): ModelRequest {
  const question: Mutable<ModelRequest> = { messages, tools, meta }
  if (fields !== undefined) question.fields = fields
  if (runStart !== undefined) question.runStart = runStart
  if (responseFormat !== undefined) question.responseFormat = responseFormat
  return question
}

async function heard(driver: ModelDriver, question: ModelRequest): Promise<ModelResponse> {
  return heardAnswer(await driver.ask(question), question.messages.length)
}

async function structured(driver: ModelDriver, { form, codec }: Structure, request: PlanRequest): Promise<Decision> {
  const said = await heard(driver, questionOf(request, form))
  const decision = callsIn(said) ?? refusalIn(said)
  if (decision !== undefined) return withCost(decision, said)
  const read = readAnswer(said, codec)
  return withCost(read.ok ? read.decision : correctionOf(said, read.issues), said)
}

/** The second answer in the form, after the model has been shown what was wrong with the first one. */
async function corrected(driver: ModelDriver, { form, codec }: Structure, request: PlanRequest): Promise<Decision> {
  const said = await heard(driver, questionOf({ ...request, tools: [] }, form))
  requireAnswer(said)
  const read = readAnswer(said, codec)
  const decision = refusalIn(said) ?? (read.ok ? read.decision : undefined)
  // It was given no tools: a message with calls that nobody answers may not enter the conversation.
  if (decision !== undefined && said.calls.length === 0) return withCost(decision, said)
  throw new ModelResponseError('invalid_output', {
    text: spokenText(said.message),
    ...(said.usage !== undefined && { usage: said.usage }),
    ...(!read.ok && { issues: read.issues }),
  })
}

/** The answer in a form that is asked for once: a value of it, or whatever was said. */
async function answeredOnce(driver: ModelDriver, request: PlanRequest, form: ResponseFormat): Promise<Decision> {
  const said = await heard(driver, questionOf({ ...request, tools: [] }, form))
  requireAnswer(said)
  // A message with calls that nobody answers may not enter the conversation.
  if (said.calls.length > 0) return withCost({ kind: 'answer', text: spokenText(said.message) }, said)
  const refusal = refusalIn(said)
  if (refusal !== undefined) return withCost(refusal, said)
  const read = readAnswer(said, structureOf(form).codec)
  return withCost(read.ok ? read.decision : textIn(said), said)
}

/** The calls that a model asks for; `undefined` where it asks for none. */
function callsIn(said: ModelResponse): Decision | undefined {
  requireAnswer(said)
  const { calls, message } = said
  if (calls.length === 0) return undefined
  const text = spokenText(message)
  return text === '' ? { kind: 'calls', calls, message } : { kind: 'calls', calls, message, text }
}

function refusalIn({ message }: ModelResponse): Decision | undefined {
  const text = refusalText(message)
  return text === undefined ? undefined : { kind: 'answer', text, message }
}

function textIn(said: ModelResponse): Decision {
  return refusalIn(said) ?? { kind: 'answer', text: spokenText(said.message), message: said.message }
}

/** @throws {ModelResponseError} when nothing was answered, for a reason that is not the model's. */
function requireAnswer({ finishReason, calls, message, usage }: ModelResponse): void {
  const cost = usage === undefined ? {} : { usage }
  if (finishReason === 'content_filter') {
    throw new ModelResponseError('content_filter', { text: spokenText(message), ...cost })
  }
  if (finishReason !== 'length' || calls.length > 0) return
  if (spokenText(message) === '' && refusalText(message) === undefined) throw new ModelResponseError('empty', cost)
}

/** A decision of our own making with what its answer cost and why it ended. */
function withCost(decision: Mutable<Decision>, { usage, finishReason, model }: ModelResponse): Decision {
  if (usage !== undefined) decision.usage = usage
  if (finishReason !== undefined) decision.finishReason = finishReason
  if (model !== undefined) decision.model = model
  return decision
}

/**
 * What a driver answered, as it may go into a conversation: its message is an assistant's, and its calls are those of the
 * message, each under an id of its own. A driver may be anybody's, and models repeat ids: these are mended.
 *
 * @param place how many messages are before it
 * @throws {ModelResponseError} `malformed_message` where there is no message, or other calls than it asks for.
 */
function heardAnswer(said: unknown, place: number): ModelResponse {
  if (!isAnswer(said)) {
    throw new ModelResponseError('malformed_message', { detail: 'The driver answered without `message` and `calls`.' })
  }
  if (isSound(said)) return said
  const message = replyMessage(said.message, place)
  const asked = message.tool_calls ?? []
  if (asked.length !== said.calls.length) {
    throw new ModelResponseError('malformed_message', { detail: 'Its calls are not those that the driver hands on.' })
  }
  const calls = asked.flatMap(({ id }, index): readonly ModelCall[] => {
    const call = said.calls[index]
    return call === undefined ? [] : [{ ...call, toolCallId: id }]
  })
  return { ...said, message, calls }
}

function isAnswer(said: unknown): said is ModelResponse {
  return isFields(said) && isFields(said.message) && Array.isArray(said.calls)
}

/** Whether nothing is to be mended: the usual case. */
function isSound({ message, calls }: ModelResponse): boolean {
  const asked = message.tool_calls
  if (message.role !== 'assistant' || message.content === undefined) return false
  if (asked === undefined) return calls.length === 0
  if (!Array.isArray(asked) || asked.length === 0 || asked.length !== calls.length) return false
  const used = new Set<string>()
  // By index: what an iterator over entries makes is a tenth of what a call takes.
  for (let index = 0; index < asked.length; index += 1) {
    const { id, type } = asked[index] ?? {}
    if (typeof id !== 'string' || id === '' || used.has(id) || calls[index]?.toolCallId !== id) return false
    if (type !== 'function' && type !== 'custom') return false
    used.add(id)
  }
  return true
}

/** How many issues a model is told. */
const MAX_TOLD = 20

/** What a structured answer comes to. */
type ReadAnswer =
  | { readonly ok: true; readonly decision: Decision }
  | { readonly ok: false; readonly issues: readonly Issue[] }

/** Reads the value of a structured answer, as the model wrote it; the text of the message is kept beside it. */
function readAnswer({ message, output }: ModelResponse, codec: Codec<never, unknown>): ReadAnswer {
  const text = spokenText(message)
  const json = output ?? text
  const decoded = codec.decode(json)
  if (!decoded.ok) return decoded
  const value: JsonValue = JSON.parse(json)
  return { ok: true, decision: { kind: 'answer', value, text, message } }
}

/** Decision to have an answer corrected that does not fit its schema; a message that says nothing is left out. */
function correctionOf({ message }: ModelResponse, issues: readonly Issue[]): Decision {
  const told = issues
    .slice(0, MAX_TOLD)
    .map((issue) => `- ${issue.path === '' ? '' : `${issue.path}: `}${issue.message}`)
  const more = issues.length > told.length ? [`- and ${issues.length - told.length} more`] : []
  const correction = [
    'Your answer does not fit its schema:',
    ...told,
    ...more,
    'Answer again, with the whole JSON and nothing else.',
  ].join('\n')
  const text = spokenText(message)
  return text === '' ? { kind: 'correction', correction } : { kind: 'correction', correction, text, message }
}
