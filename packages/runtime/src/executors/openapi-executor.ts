import {
  bindingErrors,
  isGiven,
  type Layered,
  layeredBinding,
  property,
  type Requirements,
  type ToolsetBinding,
} from '../call/binding.js'
import type { BindingErrorDetails } from '../call/binding-error.js'
import { classify } from '../call/classify.js'
import { ToolFailure } from '../call/tool-failure.js'
import { shorten } from '../call/value-text.js'
import { toolsetRegistration } from '../layers/registration.js'
import { isFields } from '../schema/json-values.js'
import type { ToolExecutor } from '../types/executor.js'
import type { RegistrationOptions, ToolsetUse } from '../types/registration.js'
import { bytesToBase64 } from './conversions.js'
import { declaredTools } from './declared-tools.js'
import {
  type ApiAnswerKind,
  type ApiOperation,
  OpenApiCallError,
  type OpenApiExecutorOptions,
  type ToolsetApi,
} from './openapi-api.js'
import { type ApiRequest, buildRequest, credentialsFor, isJsonType, mediaType, perCall } from './openapi-request.js'

/**
 * Returns an executor over the operations of an HTTP API. Generated code calls it. The payload becomes parameters and a body,
 * the body of the response is the result; a status other than success fails the call by its class, and `Retry-After` is kept.
 * The executor neither retries nor follows pages: use layers and callers for both.
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
  const { maxAnswerBytes = DEFAULT_MAX_BYTES, auth = {}, headers = {}, fetch: send = fetch } = options
  const findTool = declaredTools(toolset, operations)
  return Object.freeze({
    service: toolset.name,
    async execute({ tool, meta, payload }) {
      const { declared: operation, toArguments } = findTool(tool.name)
      const fields = toArguments(await payload())
      const call = { tool, meta }
      const base = (await perCall(options.baseUrl, call)) ?? operation.server ?? api.server ?? ''
      const invalid = invalidBaseUrl(base)
      if (invalid !== undefined) throw new TypeError(`the base URL of toolset '${toolset.name}' ${invalid}`)
      const request = buildRequest(operation, fields, {
        base,
        credentials: await credentialsFor(operation.security ?? [], api.security ?? {}, auth, call),
        headers: await perCall(headers, call),
      })
      const name = `${operation.method} ${operation.path}`
      return resultOf(await sendRequest(name, request, send, meta.signal), operation, name, maxAnswerBytes)
    },
  } satisfies ToolExecutor)
}

const DEFAULT_MAX_BYTES = 8 * 1024 * 1024

/** Returns the message for an API whose base URL neither its document nor the application names. */
function missingBaseUrl(
  { toolset, server, operations }: ToolsetApi,
  { baseUrl }: OpenApiExecutorOptions,
): string | undefined {
  if (baseUrl !== undefined || server !== undefined) return undefined
  if (Object.values(operations).every((operation) => operation.server !== undefined)) return undefined
  return `the document of toolset '${toolset.name}' does not say where its API is: give baseUrl`
}

/**
 * Returns the message for an invalid option, beginning with its name. Results of functions are checked at each call. The
 * message has no values: they may be secrets.
 */
function invalidOption({ baseUrl, auth = {}, maxAnswerBytes }: OpenApiExecutorOptions): string | undefined {
  const invalid = baseUrl === undefined || typeof baseUrl === 'function' ? undefined : invalidBaseUrl(baseUrl)
  if (invalid !== undefined) return `baseUrl ${invalid}`
  if (maxAnswerBytes !== undefined && !(Number.isSafeInteger(maxAnswerBytes) && maxAnswerBytes > 0))
    return 'maxAnswerBytes must be a whole number above 0'
  if (!isFields(auth)) return 'auth must be an object of credentials by their names'
  const wrong = Object.entries(auth).find(([, credential]) => !isCredential(credential))
  return wrong && `auth.${wrong[0]} must be a text, { username, password }, or a function that gives one of them`
}

function isCredential(value: unknown): boolean {
  if (isFields(value)) return typeof value.username === 'string' && typeof value.password === 'string'
  return ['undefined', 'string', 'function'].includes(typeof value)
}

/** Returns the end of the message for an invalid base URL, without the URL: it may hold a secret. */
function invalidBaseUrl(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'must be a whole address that begins with http:// or https://'
  }
  const { username, password } = new URL(text)
  // `fetch` accepts no such URL, and its error would quote it.
  if (username !== '' || password !== '') return 'must have no name and no password in it: give them as auth'
  return text.includes('#') ? 'must have no "#": no path can stand after it' : undefined
}

/**
 * Provider of a toolset of an HTTP API in an application: options for the executor, or an executor. `Env` is the type that
 * added layers require.
 *
 * @example
 * { auth: { api_key: process.env.PETS_KEY }, layers: (tools) => tools.layer(timeout(5_000)) }
 */
export type OpenApiBinding<
  Options extends RegistrationOptions = RegistrationOptions,
  ExecutorOptions extends OpenApiExecutorOptions = OpenApiExecutorOptions,
  Env = unknown,
> = Options &
  Layered<Env> &
  (
    | (ExecutorOptions & { readonly executor?: never })
    | {
        readonly executor: ToolExecutor
        readonly baseUrl?: never
        readonly auth?: never
        /** Excludes registrations: their layers would be lost. */
        readonly wrap?: never
      }
  )

/**
 * Makes the registration of a toolset of an HTTP API. Returns errors instead of throwing them: `registerAgent` reports those
 * of all toolsets together.
 *
 * @param binding the application's value of `toolsets.<name>`
 * @param requirements the parts that tools require, by tool name
 */
export function bindOpenApiToolset(
  use: ToolsetUse,
  binding: OpenApiBinding<any, any, any>, // `any`: options and env are in the types of generated code
  api: ToolsetApi,
  requirements: Requirements = {},
): ToolsetBinding {
  const errors = bindingErrors(use, binding, requirements, {
    name: 'auth',
    errors: (toolset) => optionErrors(toolset, binding, api),
  })
  if (errors.length > 0) return { use, errors }
  const executor = binding.executor ?? openApiExecutor(api, binding)
  return layeredBinding(use, toolsetRegistration(use, executor, binding), binding.layers)
}

function optionErrors(toolset: string, binding: OpenApiExecutorOptions, api: ToolsetApi): BindingErrorDetails[] {
  if (isGiven(property(binding, 'executor'))) return []
  const missing = missingBaseUrl(api, binding)
  const invalid = invalidOption(binding)
  const message = `${missing} as toolsets.${toolset}.baseUrl`
  return [
    ...(missing === undefined ? [] : [{ code: 'missing_base_url', toolset, message } as const]),
    ...(invalid === undefined
      ? []
      : [{ code: 'invalid_registration', toolset, message: `toolsets.${toolset}.${invalid}` } as const]),
  ]
}

const MAX_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Sends a request. Follows redirects of requests that only read, without headers and cookies to another origin, since any of
 * them may be a secret. A request that changes something is never repeated.
 *
 * @throws {OpenApiCallError} for more than five redirects, or one that is not followed
 */
async function sendRequest(
  operation: string,
  { method, headers, body, ...request }: ApiRequest,
  send: typeof fetch,
  signal: AbortSignal,
): Promise<Response> {
  const isReading = method === 'GET' || method === 'HEAD'
  let { url } = request
  let sent = headers
  for (let redirects = 0; ; redirects += 1) {
    const init = { method, headers: sent, signal, redirect: 'manual', ...(body !== undefined && { body }) } as const
    const response = await send(url, init)
    const location = response.headers.get('location')
    if (!REDIRECTS.includes(response.status) || location === null) return response
    await response.body?.cancel()
    const next = isReading && redirects < MAX_REDIRECTS && URL.canParse(location, url.href) && new URL(location, url)
    // A redirect must not lead from https to http.
    if (!next || (next.protocol !== url.protocol && next.protocol !== 'https:')) {
      throw new OpenApiCallError(operation, response, '')
    }
    if (next.origin !== url.origin) sent = new Headers({ accept: headers.get('accept') ?? '*/*' })
    url = next
  }
}

/** Maximum number of bytes that are read of the body of a failed request. */
const MAX_ERROR_BYTES = 64 * 1024

/**
 * Returns the result in a response: parsed JSON, text, bytes as base64, null without a body.
 *
 * @throws {OpenApiCallError} for a status other than success; a `ToolFailure` if the API refuses the arguments
 * @throws {ToolFailure} `malformed_result` for a body that is too large or malformed
 */
async function resultOf(
  response: Response,
  { method, answers = {} }: ApiOperation,
  operation: string,
  maxBytes: number,
): Promise<unknown> {
  const { status, headers } = response
  if (!response.ok) {
    const { bytes } = await readBody(response, MAX_ERROR_BYTES)
    throw failureOf(new OpenApiCallError(operation, response, new TextDecoder().decode(bytes)))
  }
  const key = [String(status), `${String(status)[0]}XX`, 'default'].find((each) => Object.hasOwn(answers, each))
  const declared = key === undefined ? undefined : answers[key]
  if (declared === 'none' || status === 204 || status === 205 || method === 'HEAD') {
    await response.body?.cancel()
    return null
  }
  const { bytes, isWhole } = await readBody(response, maxBytes)
  if (!isWhole) throw malformed(`it is larger than ${maxBytes} bytes`)
  switch (declared ?? kindOf(headers, bytes)) {
    case 'none':
      return null
    case 'bytes':
      return bytesToBase64(bytes)
    case 'text':
      return decoded(bytes, headers)
    case 'json':
      try {
        return JSON.parse(decoded(bytes, headers))
      } catch (error) {
        throw malformed('it is no JSON', error)
      }
  }
}

/** Returns the kind of a response that the document does not declare, by its content type. */
function kindOf(headers: Headers, { length }: Uint8Array): ApiAnswerKind {
  const type = mediaType(headers.get('content-type'))
  if (length === 0) return 'none'
  if (isJsonType(type)) return 'json'
  return type === '' || type.startsWith('text/') ? 'text' : 'bytes'
}

/** Decodes by the `charset` of a response; as UTF-8 if it has none, or an unknown one. */
function decoded(bytes: Uint8Array, headers: Headers): string {
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers.get('content-type') ?? '')?.[1]
  try {
    return new TextDecoder(charset).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function malformed(why: string, cause?: unknown): ToolFailure {
  return new ToolFailure(`The answer of the API cannot be read: ${why}.`, { reason: 'malformed_result', cause })
}

/** Reads a body up to a number of bytes. */
async function readBody(
  { body }: Response,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the rest.
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.length
    if (size > maxBytes) return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: false }
  }
  return { bytes: Buffer.concat(chunks), isWhole: true }
}

/** Maximum number of characters of an API's text that a model receives. */
const MAX_TEXT = 1_000

/**
 * Returns the failure of a call by the status of its response. If the API refuses the arguments, the model receives the API's
 * text: only the API knows what is allowed. For everything else the model receives a fixed sentence.
 */
function failureOf(error: OpenApiCallError): OpenApiCallError | ToolFailure {
  const { reason, action } = classify(error, 0)
  const isPage = mediaType(error.headers.get('content-type')) === 'text/html'
  const text = isPage ? '' : shorten(compactJson(error.body.trim()), MAX_TEXT)
  if (reason !== 'domain_rejection' || text === '') return error
  return new ToolFailure(text, {
    cause: error,
    ...((action === 'replan' || action === 'correct_call') && { action }),
  })
}

/** Returns JSON without spaces; any other text, or cut JSON, as it is. */
function compactJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}
