import type { ToolDescriptor } from '../contract/descriptor.js'
import type { ExecutorRequest, ToolExecutor } from '../contract/executor.js'
import { type SentArguments, sentArguments } from '../execute/mcp/sent-arguments.js'
import { baseUrlFault } from './base-url.js'
import { perCall, placedCredentials } from './credentials.js'
import { givenOptionFault } from './given-options.js'
import type { ApiCall, OpenApiExecutorOptions } from './openapi-executor-options.js'
import { readAnswer } from './read-answer.js'
import { requestBody } from './request-body.js'
import { requestHeaders } from './request-headers.js'
import { requestUrl } from './request-url.js'
import { type ApiRequest, sendRequest } from './send-request.js'
import type { ApiOperation, ToolsetApi } from './toolset-api.js'

/** 8 MiB. */
const LARGEST_ANSWER = 8 * 1024 * 1024

interface ServedOperation {
  readonly operation: ApiOperation
  readonly sent: SentArguments
}

/**
 * An executor over the operations of an HTTP API. Generated code calls it. The payload becomes parameters and a body, the
 * body of the answer is the result; a status that is no success fails the call by its class, `Retry-After` is kept. Nothing
 * is retried here, and pages are not followed: both are for layers and callers to decide.
 *
 * @throws {TypeError} where nothing says where the API is, or an option cannot be what is given: `baseUrl`
 * is no address of HTTP, `maxAnswerBytes` no whole number above 0, a credential neither a text nor a name with a password.
 *
 * @example
 * const executor = openApiExecutor(petsApi, { auth: { api_key: process.env.PETS_KEY } })
 */
export function openApiExecutor(api: ToolsetApi, options: OpenApiExecutorOptions = {}): ToolExecutor {
  const { toolset, operations } = api
  const lacking = lackingBaseUrl(api, options)
  if (lacking !== undefined) throw new TypeError(lacking)
  const fault = givenOptionFault(options)
  if (fault !== undefined) throw new TypeError(fault)
  const { maxAnswerBytes = LARGEST_ANSWER } = options
  const served = new Map<string, ServedOperation>()
  for (const descriptor of Object.values<ToolDescriptor>(toolset.tools)) {
    const { name } = descriptor.spec
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
    if (operation !== undefined) served.set(name, { operation, sent: sentArguments(descriptor) })
  }
  return Object.freeze({
    service: toolset.name,
    async execute(request: ExecutorRequest) {
      const tool = served.get(request.tool.name)
      if (tool === undefined)
        throw new Error(`the executor of toolset '${toolset.name}' has no tool '${request.tool.name}'`)
      const asked = await apiRequest(tool, request, { api, options })
      return readAnswer(await sendRequest(asked, options.fetch ?? fetch), tool.operation, maxAnswerBytes)
    },
  })
}

/** Why an API cannot be reached by what its document and the application say; `undefined` where it can. */
export function lackingBaseUrl(
  { toolset, server, operations }: ToolsetApi,
  { baseUrl }: Pick<OpenApiExecutorOptions, 'baseUrl'>,
): string | undefined {
  if (baseUrl !== undefined || server !== undefined) return undefined
  if (Object.values(operations).every((operation) => operation.server !== undefined)) return undefined
  return `the document of toolset '${toolset.name}' does not say where its API is: give baseUrl`
}

async function apiRequest(
  { operation, sent }: ServedOperation,
  { tool, meta, payload }: Pick<ExecutorRequest, 'tool' | 'meta' | 'payload'>,
  { api, options }: { readonly api: ToolsetApi; readonly options: OpenApiExecutorOptions },
): Promise<ApiRequest> {
  const fields = sent(await payload())
  const call: ApiCall = { tool, meta }
  const given = options.baseUrl === undefined ? undefined : await perCall(options.baseUrl, call)
  const base = given ?? operation.server ?? api.server ?? ''
  const why = baseUrlFault(base)
  if (why !== undefined) throw new TypeError(`the base URL of toolset '${api.toolset.name}' ${why}`)
  const scene = { schemes: api.security ?? {}, auth: options.auth ?? {} }
  const credentials = await placedCredentials(operation.security ?? [], scene, call)
  const headers = options.headers === undefined ? {} : await perCall(options.headers, call)
  const body = operation.body === undefined ? undefined : requestBody(operation.body, fields)
  return {
    operation: `${operation.method} ${operation.path}`,
    method: operation.method,
    url: requestUrl(operation, fields, base, credentials.query),
    headers: requestHeaders(operation.parameters ?? [], fields, {
      headers: [
        ['accept', 'application/json, */*;q=0.5'],
        ...(body?.type === undefined ? [] : [['content-type', body.type] as const]),
        ...Object.entries(headers),
        ...credentials.headers,
      ],
      cookies: credentials.cookies,
    }),
    body,
    signal: meta.signal,
  }
}
