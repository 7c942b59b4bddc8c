import { isFields } from '../schema/json-values.js'
import type { ToolExecutor } from '../types/executor.js'
import { declaredTools } from './declared-tools.js'
import type { OpenApiExecutorOptions, ToolsetApi } from './openapi-api.js'
import { credentialsFor, perCall } from './openapi-credentials.js'
import { buildRequest } from './openapi-request.js'
import { resultOf, sendRequest } from './openapi-response.js'

/**
 * Creates an executor that calls the operations of an HTTP API. Called by generated code. The payload becomes the parameters and the body
 * of the request. The result is the body of the response. An error status fails the call; the status and `Retry-After` determine the
 * failure reason. The executor does not retry and does not follow pagination.
 *
 * @throws {TypeError} if the base URL is unknown or an option is invalid.
 *
 * @example
 * const executor = openApiExecutor(petsApi, { auth: { api_key: process.env.PETS_KEY } })
 */
export function openApiExecutor(api: ToolsetApi, options: OpenApiExecutorOptions = {}): ToolExecutor {
  const { toolset, operations } = api
  const problem = missingBaseUrl(api, options) ?? invalidOption(options)
  if (problem !== undefined) throw new TypeError(problem)
  const { maxResponseBytes = DEFAULT_MAX_BYTES, auth = {}, headers = {}, fetch: send = fetch } = options
  const findTool = declaredTools(toolset, operations)
  return Object.freeze({
    service: toolset.name,
    async execute({ tool, meta, payload }) {
      const { declared: operation, toArguments } = findTool(tool.name)
      const fields = toArguments(await payload())
      const call = { tool, meta }
      const base = (await perCall(options.baseUrl, call)) ?? operation.server ?? api.server ?? ''
      const invalid = invalidBaseUrl(base)
      if (invalid !== undefined) throw new TypeError(`The base URL of toolset '${toolset.name}' ${invalid}`)
      const request = buildRequest(operation, fields, {
        base,
        credentials: await credentialsFor(operation.security ?? [], api.security ?? {}, auth, call),
        headers: await perCall(headers, call),
      })
      const name = `${operation.method} ${operation.path}`
      return resultOf(await sendRequest(name, request, send, meta.signal), operation, name, maxResponseBytes)
    },
  } satisfies ToolExecutor)
}

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024

/** Returns an error message if the base URL of an operation is unknown; otherwise `undefined`. */
export function missingBaseUrl(
  { toolset, server, operations }: ToolsetApi,
  { baseUrl }: OpenApiExecutorOptions,
): string | undefined {
  if (baseUrl !== undefined || server !== undefined) return undefined
  if (Object.values(operations).every((operation) => operation.server !== undefined)) return undefined
  return `The document of toolset '${toolset.name}' has no base URL. Set baseUrl`
}

/**
 * Returns the problem of an invalid option; `undefined` if all are valid. The text begins with the name of the option and does not quote
 * values, which can be secrets.
 */
export function invalidOption({ baseUrl, auth = {}, maxResponseBytes }: OpenApiExecutorOptions): string | undefined {
  const invalid = baseUrl === undefined || typeof baseUrl === 'function' ? undefined : invalidBaseUrl(baseUrl)
  if (invalid !== undefined) return `baseUrl ${invalid}`
  if (maxResponseBytes !== undefined && !(Number.isSafeInteger(maxResponseBytes) && maxResponseBytes > 0))
    return 'maxResponseBytes must be an integer of at least 1'
  if (!isFields(auth)) return 'auth must be an object with credentials by scheme name'
  const wrong = Object.entries(auth).find(([, credential]) => !isCredential(credential))
  return wrong && `auth.${wrong[0]} must be a string, { username, password }, or a function that returns one of them`
}

function isCredential(value: unknown): boolean {
  if (isFields(value)) return typeof value.username === 'string' && typeof value.password === 'string'
  return ['undefined', 'string', 'function'].includes(typeof value)
}

/**
 * Returns the problem of an invalid base URL as the end of an error message; `undefined` for a valid one. Does not quote the URL, because
 * it can contain a secret.
 */
function invalidBaseUrl(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'must be an absolute URL that begins with http:// or https://'
  }
  const { username, password } = new URL(text)
  // `fetch` rejects such a URL, and its error quotes it.
  if (username !== '' || password !== '') return 'must not contain a user name or password; use auth instead'
  return text.includes('#') ? 'must not contain "#"' : undefined
}
