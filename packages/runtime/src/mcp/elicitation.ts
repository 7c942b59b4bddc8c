import {
  type ElicitRequestFormParams,
  type ElicitRequestURLParams,
  type ElicitResult,
  type ListRootsResult,
  specTypeSchemas,
} from '@modelcontextprotocol/client'
import { answerProblem } from '../agents/elicitation.js'
import { type Fields, isFields } from '../schema/json-values.js'
import { prepareSchema } from '../schema/validate.js'
import type { McpQuestion } from '../types/elicitation.js'
import type { JsonObject } from '../types/json.js'
import type { CallerOptions } from './caller-options.js'
import { McpCallError } from './mcp-call-error.js'
import { malformedAnswer } from './messages.js'

export async function elicited(
  elicit: NonNullable<CallerOptions['elicit']>,
  question: McpQuestion,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const answer = await elicit(question, { signal })
  const { action } = Object(answer) as { readonly action?: unknown }
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
    throw new TypeError(
      "`elicit` must return { action: 'accept', content }, { action: 'decline' } or { action: 'cancel' }.",
    )
  }
  if (answer.action !== 'accept' || question.mode === 'url') return { action }
  const problem = answerProblem(question, answer)
  if (problem !== undefined) throw new TypeError(`The answer of \`elicit\` ${problem}`)
  return { action, content: { ...answer.content } as NonNullable<ElicitResult['content']> }
}

export function questionOf(
  params: ElicitRequestFormParams | Omit<ElicitRequestURLParams, 'elicitationId'>,
): McpQuestion {
  const { message } = params
  if (params.mode === 'url') return { mode: 'url', message, url: webAddress(params.url) }
  // The value was parsed from JSON.
  return { mode: 'form', message, schema: { ...params.requestedSchema } as JsonObject }
}

function webAddress(url: string): string {
  if (URL.canParse(url) && ['http:', 'https:'].includes(new URL(url).protocol)) return url
  throw new McpCallError('malformed', 'the server asks to open an address that does not begin with http: or https:')
}

export interface InputRequests {
  readonly questions: Readonly<Record<string, McpQuestion>>
  /** Keys of the requests for the roots. */
  readonly roots: readonly string[]
  /** Method of a request that the caller does not support. Absent if the caller supports all requests. */
  readonly unsupported?: string
}

export function inputRequestsOf(inputRequests: Fields, hasRoots: boolean): InputRequests {
  const questions: [string, McpQuestion][] = []
  const roots: string[] = []
  let unsupported: string | undefined
  for (const [key, request] of Object.entries(inputRequests)) {
    const { method, params } = isFields(request) ? request : {}
    if (method === 'roots/list' && hasRoots) roots.push(key)
    else if (method === 'elicitation/create') questions.push([key, readQuestion(params)])
    else if (typeof method === 'string') unsupported = method
    else throw malformedAnswer(new TypeError('a request for input has no method'))
  }
  return { questions: Object.fromEntries(questions), roots, ...(unsupported !== undefined && { unsupported }) }
}

function readQuestion(params: unknown): McpQuestion {
  if (isFields(params) && params.mode === 'url') {
    // The schemas of the SDK require the id that older protocols have.
    const { message, url } = params
    if (typeof message === 'string' && typeof url === 'string') return questionOf({ mode: 'url', message, url })
    throw malformedAnswer(new TypeError('a question has no message or no URL'))
  }
  const read = specTypeSchemas.ElicitRequestFormParams['~standard'].validate(params)
  if (read instanceof Promise || read.issues !== undefined) {
    throw malformedAnswer(new TypeError('a question has no message or no valid form'))
  }
  const question = questionOf(read.value)
  try {
    if (question.mode === 'form') prepareSchema(question.schema)
    return question
  } catch (cause) {
    throw malformedAnswer(cause)
  }
}

export async function listedRoots(roots: NonNullable<CallerOptions['roots']>): Promise<ListRootsResult> {
  return { roots: (typeof roots === 'function' ? await roots() : roots).map((root) => ({ ...root })) }
}
