import type { ElicitRequest, ElicitResult } from '@modelcontextprotocol/client'
import { validate } from '../schema/validate.js'
import type { JsonObject } from '../types/json.js'
import type { CallerOptions, McpQuestion } from './caller-options.js'

/**
 * Answers an elicitation request with the function of the application.
 *
 * @throws {TypeError} if the answer has no valid `action`, or if its content does not match the requested schema
 */
export async function elicited(
  elicit: NonNullable<CallerOptions['elicit']>,
  { params }: ElicitRequest,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const question: McpQuestion =
    params.mode === 'url'
      ? { mode: 'url', message: params.message, url: params.url }
      : // The value was parsed from JSON.
        { mode: 'form', message: params.message, schema: { ...params.requestedSchema } as JsonObject }
  const answer = await elicit(question, { signal })
  const { action } = Object(answer) as { readonly action?: unknown }
  if (action !== 'accept' && action !== 'decline' && action !== 'cancel') {
    throw new TypeError(
      "`elicit` must return { action: 'accept', content }, { action: 'decline' } or { action: 'cancel' }.",
    )
  }
  if (answer.action !== 'accept' || question.mode === 'url') return { action }
  const { content = {} } = answer
  const [issue] = validate(question.schema, content)
  if (issue === undefined) return { action, content: { ...content } as NonNullable<ElicitResult['content']> }
  const location = issue.path === '' ? '' : ` at '${issue.path}'`
  throw new TypeError(`The answer of \`elicit\` does not match the requested schema${location}: ${issue.message}`)
}
