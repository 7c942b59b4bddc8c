import { payloadCodec } from '../codec/payload-codec.js'
import type { Codec } from '../contract/codec.js'
import type { JsonSchema } from '../contract/json.js'
import type { AnswerForm, ModelAnswer, ModelDriver, ModelRequest } from '../contract/model-driver.js'
import type { Mutable } from '../contract/mutable.js'
import type { Decision, Planner, PlanRequest } from '../contract/planner.js'
import { heardAnswer } from './heard-answer.js'
import { refusalText, spokenText } from './message-text.js'
import { ModelAnswerError } from './model-answer-error.js'
import { correctionOf, readAnswer } from './structured-answer.js'

/** What a model's final answer is. */
export interface ModelPlannerOptions {
  /** A structured answer: a value of this schema, under a name for the model (default `answer`). Absent: text. */
  readonly answer?: { readonly name?: string; readonly schema: JsonSchema }
}

/**
 * A planner that asks a model: its tool calls are run, anything else it says is the final answer. The model's message goes
 * into the conversation as it was sent.
 *
 * A structured answer that is no JSON or breaks its schema is shown to the model once, with what is wrong and without
 * tools; what it answers then counts. The exchange is part of the conversation, and the second answer is a turn of its own. A
 * refusal is an answer with text and no value.
 *
 * The planner throws what the driver throws, and a `ModelAnswerError` for an answer that is none, that a content filter
 * withheld, that is empty for want of tokens, or that broke its schema twice.
 *
 * @example
 * const planner = modelPlanner(openAiDriver({ client: new OpenAI(), model: 'gpt-5.2' }))
 * const support = registerSupport(new Runtime(), { planner, toolsets: { orders: { client } } })
 */
export function modelPlanner(driver: ModelDriver, { answer }: ModelPlannerOptions = {}): Planner {
  const form: AnswerForm | undefined = answer && { name: answer.name ?? 'answer', schema: answer.schema }
  const structure = form && structureOf(form)
  return async (request) => {
    if (request.answer !== undefined) return answeredOnce(driver, request, request.answer)
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
  readonly form: AnswerForm
  readonly codec: Codec<never, unknown>
}

function structureOf(form: AnswerForm): Structure {
  return { form, codec: payloadCodec({ schema: form.schema, unknown: 'keep' }) }
}

function questionOf({ messages, tools, meta, fields, runStart }: PlanRequest, answer?: AnswerForm): ModelRequest {
  const question: Mutable<ModelRequest> = { messages, tools, meta }
  if (fields !== undefined) question.fields = fields
  if (runStart !== undefined) question.runStart = runStart
  if (answer !== undefined) question.answer = answer
  return question
}

async function heard(driver: ModelDriver, question: ModelRequest): Promise<ModelAnswer> {
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
  throw new ModelAnswerError('wrong_answer', {
    text: spokenText(said.message),
    ...(said.usage !== undefined && { usage: said.usage }),
    ...(!read.ok && { issues: read.issues }),
  })
}

/** The answer in a form that is asked for once: a value of it, or whatever was said. */
async function answeredOnce(driver: ModelDriver, request: PlanRequest, form: AnswerForm): Promise<Decision> {
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
function callsIn(said: ModelAnswer): Decision | undefined {
  requireAnswer(said)
  const { calls, message } = said
  if (calls.length === 0) return undefined
  const text = spokenText(message)
  return text === '' ? { kind: 'calls', calls, message } : { kind: 'calls', calls, message, text }
}

function refusalIn({ message }: ModelAnswer): Decision | undefined {
  const text = refusalText(message)
  return text === undefined ? undefined : { kind: 'answer', text, message }
}

function textIn(said: ModelAnswer): Decision {
  return refusalIn(said) ?? { kind: 'answer', text: spokenText(said.message), message: said.message }
}

/** @throws {ModelAnswerError} when nothing was answered, for a reason that is not the model's. */
function requireAnswer({ finishReason, calls, message, usage }: ModelAnswer): void {
  const cost = usage === undefined ? {} : { usage }
  if (finishReason === 'content_filter') {
    throw new ModelAnswerError('content_filter', { text: spokenText(message), ...cost })
  }
  if (finishReason !== 'length' || calls.length > 0) return
  if (spokenText(message) === '' && refusalText(message) === undefined) throw new ModelAnswerError('no_text', cost)
}

/** A decision of our own making with what its answer cost and why it ended. */
function withCost(decision: Mutable<Decision>, { usage, finishReason, model }: ModelAnswer): Decision {
  if (usage !== undefined) decision.usage = usage
  if (finishReason !== undefined) decision.finishReason = finishReason
  if (model !== undefined) decision.model = model
  return decision
}
