import { classify } from '../call/classify.js'
import { mediaPart } from '../call/content.js'
import { failureOfStatus } from '../call/declared-failure.js'
import { withContent } from '../call/provenance.js'
import { ToolFailure } from '../call/tool-failure.js'
import { shorten } from '../call/value-text.js'
import type { ToolExecutor } from '../types/executor.js'
import type { AgentToolSpec } from '../types/tool.js'
import { declaredTools } from './declared-tools.js'
import { OpenApiCallError, type OpenApiExecutorOptions, type ToolsetApi } from './openapi-api.js'
import { mediaType } from './openapi-body.js'
import { apiExchange, type Exchanged } from './openapi-exchange.js'

/**
 * Creates an executor that calls the operations of an HTTP API. Called by generated code. The payload becomes the parameters and the body of the
 * request. The result is the body of the response. If the response has an error status, the call fails. The status and the header `Retry-After`
 * determine the failure reason and the wait time. The executor does not retry requests and does not follow pagination. A call fails with
 * `invalid_arguments` if an array item contains the separator of its parameter style: a space for `spaceDelimited`, or `|` for `pipeDelimited`.
 *
 * @throws {TypeError} if the base URL is unknown or an option is invalid.
 *
 * @example
 * const executor = openApiExecutor(petsApi, { auth: { api_key: process.env.PETS_KEY } })
 */
export function openApiExecutor(api: ToolsetApi, options: OpenApiExecutorOptions = {}): ToolExecutor {
  const { toolset, operations } = api
  const exchange = apiExchange(api, options)
  const findTool = declaredTools(toolset, operations)
  return Object.freeze({
    service: toolset.name,
    async execute({ tool, meta, payload }) {
      const { declared: operation, toArguments } = findTool(tool.name)
      const fields = toArguments(await payload())
      try {
        return resultOf(await exchange(operation, fields, { tool, meta }))
      } catch (error) {
        throw error instanceof OpenApiCallError ? failureOf(error, tool) : error
      }
    },
  } satisfies ToolExecutor)
}

function resultOf(exchanged: Exchanged): unknown {
  if ('problem' in exchanged) {
    const { problem, cause } = exchanged
    throw new ToolFailure(`The response of the API cannot be used: ${problem}.`, { reason: 'malformed_result', cause })
  }
  const { value, isBytes, headers } = exchanged
  if (isBytes !== true || typeof value !== 'string') return value
  const part = mediaPart(headers.get('content-type') ?? '', value)
  return part === undefined ? value : withContent(value, [part])
}

const MAX_TEXT = 1_000

function failureOf(error: OpenApiCallError, tool: AgentToolSpec): OpenApiCallError | ToolFailure {
  const { reason, action } = classify(error, 0)
  const isPage = mediaType(error.headers.get('content-type')) === 'text/html'
  const text = isPage ? '' : shorten(compactJson(error.body.trim()), MAX_TEXT)
  if (reason !== 'domain_rejection') return error
  const declared = failureOfStatus(tool, error, { message: text, cause: error })
  if (declared !== undefined) return declared
  if (text === '') return error
  return new ToolFailure(text, {
    cause: error,
    ...((action === 'replan' || action === 'correct_call') && { action }),
  })
}

function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
