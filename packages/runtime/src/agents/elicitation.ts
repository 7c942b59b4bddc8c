import { type ElicitationResumption, elicitationContext } from '../call/nested-run.js'
import { payloadCodec } from '../codec/codecs.js'
import { isFields } from '../schema/json-values.js'
import { validate } from '../schema/validate.js'
import type { Codec } from '../types/codec.js'
import type { McpAnswer, McpElicitation, McpQuestion } from '../types/elicitation.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { JsonSchemaObject } from '../types/json.js'
import { elicitationSchema, fields } from './stored-outcome.js'
import { SuspensionError } from './suspension-error.js'

export const answerSchema: JsonSchemaObject = {
  anyOf: [
    fields({ action: { const: 'accept' } }, { content: { type: 'object' } }),
    fields({ action: { enum: ['decline', 'cancel'] } }),
  ],
}

const elicitationCodec: Codec<never, McpElicitation> = payloadCodec({ schema: elicitationSchema, unknown: 'keep' })
const answerCodec: Codec<never, McpAnswer> = payloadCodec({ schema: answerSchema, unknown: 'keep' })

export function answerProblem(question: McpQuestion, answer: McpAnswer): string | undefined {
  if (question.mode === 'url' || answer.action !== 'accept') return undefined
  const [issue] = validate(question.schema, answer.content ?? {})
  if (issue === undefined) return undefined
  return `does not match the requested schema${issue.path === '' ? '' : ` at '${issue.path}'`}: ${issue.message}`
}

export interface AnsweredElicitation extends McpElicitation {
  readonly answers: Readonly<Record<string, McpAnswer>>
}

/**
 * Returns `new` if the request does not resume a call that waited for answers. Returns `undefined` for a request that your own code created, because
 * the call of this request cannot be suspended.
 *
 * @throws {SuspensionError} `invalid_form` or `wrong_answers`
 */
export function answeredElicitation(request: ExecutorRequest): AnsweredElicitation | 'new' | undefined {
  const context = elicitationContext(request)
  if (context === undefined) return undefined
  return context.resumption === undefined ? 'new' : readAnswered(context.resumption)
}

function readAnswered({ elicitation, answers }: ElicitationResumption): AnsweredElicitation {
  const stored = elicitationCodec.decodeValue(elicitation)
  if (!stored.ok) {
    throw new SuspensionError(
      'invalid_form',
      'The suspension has no valid questions of an MCP server. Pass `outcome.suspension` unchanged.',
    )
  }
  const { questions } = stored.value
  const keys = Object.keys(questions)
    .map((key) => `'${key}'`)
    .join(', ')
  const wrong = (problem: string): SuspensionError =>
    new SuspensionError('wrong_answers', `The answers do not match the suspension. ${problem}`)
  if (!isFields(answers)) {
    throw wrong(`Pass an object that maps the keys of the questions to answers. Questions: ${keys}.`)
  }
  const unknown = Object.keys(answers).find((key) => !Object.hasOwn(questions, key))
  if (unknown !== undefined) throw wrong(`'${unknown}' is not a question. Questions: ${keys}.`)
  const read = Object.entries(questions).map(([key, question]) => {
    const decoded = answerCodec.decodeValue(answers[key])
    if (!decoded.ok) {
      throw wrong(`Answer '${key}' with { action: 'accept', content }, { action: 'decline' } or { action: 'cancel' }.`)
    }
    const problem = answerProblem(question, decoded.value)
    if (problem !== undefined) throw wrong(`The answer to '${key}' ${problem}`)
    return [key, decoded.value] as const
  })
  return { ...stored.value, answers: Object.fromEntries(read) }
}
