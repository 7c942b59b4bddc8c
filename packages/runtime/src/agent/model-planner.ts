import { payloadCodec } from '../codec/payload-codec.js'
import type { Codec } from '../contract/codec.js'
import type { JsonSchema } from '../contract/json.js'
import type { AnswerForm, ModelAnswer, ModelDriver } from '../contract/model-driver.js'
import type { Decision, Planner, PlanRequest, TokenUsage } from '../contract/planner.js'
import { refusalText, spokenText } from './message-text.js'
import { ModelAnswerError } from './model-answer-error.js'
import { correction, readAnswer } from './structured-answer.js'

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
 * tools; what it answers then counts. That exchange is not part of the conversation, its tokens are part of the usage. A
 * refusal is an answer with text and no value.
 *
 * The planner throws what the driver throws, and a `ModelAnswerError` for an answer that a content filter withheld, that is
 * empty for want of tokens, or that broke its schema twice.
 *
 * @example
 * const planner = modelPlanner(openAiDriver({ client: new OpenAI(), model: 'gpt-5.2' }))
 * const support = registerSupport(new Runtime(), { planner, toolsets: { orders: { client } } })
 */
export function modelPlanner(driver: ModelDriver, { answer }: ModelPlannerOptions = {}): Planner {
  if (answer === undefined) {
    return async ({ messages, tools, meta }) => {
      const said = await driver.ask({ messages, tools, meta })
      return { ...withUsage(said.usage), ...(callsIn(said) ?? textIn(said)) }
    }
  }
  const form: AnswerForm = { name: answer.name ?? 'answer', schema: answer.schema }
  const codec: Codec<never, unknown> = payloadCodec({ schema: form.schema, unknown: 'keep' })
  return (request) => structured(driver, { form, codec }, request)
}

/** How a structured answer is asked for and read. */
interface Structure {
  readonly form: AnswerForm
  readonly codec: Codec<never, unknown>
}

async function structured(
  driver: ModelDriver,
  { form, codec }: Structure,
  { messages, tools, meta }: PlanRequest,
): Promise<Decision> {
  const first = await driver.ask({ messages, tools, meta, answer: form })
  const decision = callsIn(first) ?? refusalIn(first)
  if (decision !== undefined) return { ...withUsage(first.usage), ...decision }
  const read = readAnswer(first, codec)
  if (read.ok) return { ...withUsage(first.usage), ...read.decision }
  const corrected = [...messages, ...correction(first, read.issues)]
  const second = await driver.ask({ messages: corrected, tools: [], meta, answer: form })
  requireAnswer(second)
  const again = readAnswer(second, codec)
  const last = refusalIn(second) ?? (again.ok ? again.decision : undefined)
  // It was given no tools: a message with calls that nobody answers may not enter the conversation.
  if (last !== undefined && second.calls.length === 0) return { ...withUsage(sum(first.usage, second.usage)), ...last }
  throw new ModelAnswerError('wrong_answer', {
    text: spokenText(second.message),
    ...(!again.ok && { issues: again.issues }),
  })
}

/** The calls that a model asks for; `undefined` where it asks for none. */
function callsIn(said: ModelAnswer): Decision | undefined {
  requireAnswer(said)
  const { calls, message } = said
  if (calls.length === 0) return undefined
  const text = spokenText(message)
  return { kind: 'calls', calls, message, ...(text !== '' && { text }) }
}

function refusalIn({ message }: ModelAnswer): Decision | undefined {
  const text = refusalText(message)
  return text === undefined ? undefined : { kind: 'answer', text, message }
}

function textIn(said: ModelAnswer): Decision {
  return refusalIn(said) ?? { kind: 'answer', text: spokenText(said.message), message: said.message }
}

/** @throws {ModelAnswerError} when nothing was answered, for a reason that is not the model's. */
function requireAnswer({ finishReason, calls, message }: ModelAnswer): void {
  if (finishReason === 'content_filter') throw new ModelAnswerError('content_filter', { text: spokenText(message) })
  if (finishReason !== 'length' || calls.length > 0) return
  if (spokenText(message) === '' && refusalText(message) === undefined) throw new ModelAnswerError('no_text')
}

function withUsage(usage: TokenUsage | undefined): { readonly usage?: TokenUsage } {
  return usage === undefined ? {} : { usage }
}

function sum(first: TokenUsage | undefined, second: TokenUsage | undefined): TokenUsage | undefined {
  if (first === undefined || second === undefined) return first ?? second
  return {
    promptTokens: first.promptTokens + second.promptTokens,
    completionTokens: first.completionTokens + second.completionTokens,
  }
}
