import {
  type BindingErrorDetails,
  isGiven,
  layeredBinding,
  missingToolParts,
  property,
  type Requirements,
  type ToolsetBinding,
  useName,
} from '../call/binding.js'
import { classify } from '../call/classify.js'
import { shorten } from '../call/render.js'
import { ToolFailure } from '../call/tool-failure.js'
import { toolsetRegistration } from '../layers/registration.js'
import { isFields } from '../schema/json-values.js'
import type {
  ExecutorRequest,
  RegistrationOptions,
  ToolExecutor,
  ToolsetRegistration,
  ToolsetUse,
} from '../types/registration.js'
import type { ToolDescriptor } from '../types/tool.js'
import { bytesToBase64 } from './conversions.js'
import {
  type ApiCall,
  isJsonType,
  mediaTypeOf,
  OpenApiCallError,
  type OpenApiCallErrorFacts,
  type OpenApiExecutorOptions,
} from './openapi-api.js'
import {
  perCall,
  placedCredentials,
  type RequestBody,
  requestBody,
  requestHeaders,
  requestUrl,
} from './openapi-request.js'
import { type SentArguments, sentArguments } from './sent-arguments.js'
import type { ApiAnswerKind, ApiOperation, ToolsetApi } from './toolset-api.js'

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
function lackingBaseUrl(
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

/**
 * How an application serves a toolset of an HTTP API: by saying where the API is and who asks, or by an executor of its
 * own. `Env` names what the layers that it adds need.
 *
 * @example
 * { auth: { api_key: process.env.PETS_KEY }, layers: (tools) => tools.layer(timeout(5_000)) }
 */
export type OpenApiBinding<
  Options extends RegistrationOptions = RegistrationOptions,
  ExecutorOptions extends OpenApiExecutorOptions = OpenApiExecutorOptions,
  Env = unknown,
> = Options & {
  /** Puts layers around the tools, all or single ones; gives back what `layer` and `tool` give. */
  readonly layers?: (tools: ToolsetRegistration) => ToolsetRegistration<Env>
} & (
    | (ExecutorOptions & { readonly executor?: never })
    | {
        readonly executor: ToolExecutor
        readonly baseUrl?: never
        readonly auth?: never
        /** A registration is no binding: its layers would be lost. */
        readonly wrap?: never
      }
  )

/**
 * Makes the registration of a toolset of an HTTP API from what the application gave. Never throws for what is missing:
 * `registerAgent` reports the errors of all toolsets together.
 *
 * @param binding what the application gave under `toolsets.<name>`
 * @param requirements what the tools cannot do without, by tool name
 */
export function bindOpenApiToolset(
  use: ToolsetUse,
  binding: OpenApiBinding<any, any, any>, // `any`: options and env are in the types of generated code
  api: ToolsetApi,
  requirements: Requirements = {},
): ToolsetBinding {
  const errors = openApiErrors(use, binding, api, requirements)
  if (errors.length > 0) return { use, errors }
  const executor = binding.executor ?? openApiExecutor(api, binding)
  return layeredBinding(use, toolsetRegistration(use, executor, binding), binding.layers)
}

function openApiErrors(
  use: ToolsetUse,
  binding: unknown,
  api: ToolsetApi,
  requirements: Requirements,
): readonly BindingErrorDetails[] {
  const toolset = useName(use)
  if (typeof binding !== 'object' || binding === null) {
    const message = `toolset '${toolset}' is missing: give toolsets.${toolset} = { auth } or { executor }`
    return [{ code: 'missing_toolset', toolset, message }]
  }
  if (property(binding, 'wrap') !== undefined) {
    const message = `toolsets.${toolset} is a registration: give { auth, layers: (tools) => tools.layer(...) }`
    return [{ code: 'invalid_registration', toolset, message }]
  }
  const lacking = isGiven(property(binding, 'executor')) ? undefined : lackingBaseUrl(api, binding)
  const missing: readonly BindingErrorDetails[] =
    lacking === undefined
      ? []
      : [{ code: 'missing_base_url', toolset, message: `${lacking} as toolsets.${toolset}.baseUrl` }]
  const fault = isGiven(property(binding, 'executor')) ? undefined : givenOptionFault(binding)
  const wrong: readonly BindingErrorDetails[] =
    fault === undefined ? [] : [{ code: 'invalid_registration', toolset, message: `toolsets.${toolset}.${fault}` }]
  return [...missing, ...wrong, ...missingToolParts(use, { ...binding, executor: true }, requirements)]
}

/**
 * Why an option is not what it can be: in words that begin with its name; `undefined` where all are. What functions give is
 * known at each call. Without the values, which may be secrets.
 */
function givenOptionFault(options: OpenApiExecutorOptions): string | undefined {
  const { baseUrl, auth, maxAnswerBytes } = options
  const why = baseUrl === undefined || typeof baseUrl === 'function' ? undefined : baseUrlFault(baseUrl)
  if (why !== undefined) return `baseUrl ${why}`
  if (maxAnswerBytes !== undefined && !(Number.isSafeInteger(maxAnswerBytes) && maxAnswerBytes > 0))
    return 'maxAnswerBytes must be a whole number above 0'
  const given: unknown = auth === undefined ? {} : auth
  if (!isFields(given)) return 'auth must be an object of credentials by their names'
  const wrong = Object.entries(given).find(([, credential]) => !isCredential(credential))
  return wrong && `auth.${wrong[0]} must be a text, { username, password }, or a function that gives one of them`
}

function isCredential(value: unknown): boolean {
  if (value === undefined || typeof value === 'string' || typeof value === 'function') return true
  return isFields(value) && typeof value['username'] === 'string' && typeof value['password'] === 'string'
}

/**
 * Why a text is no base URL: in words that end "baseUrl ..."; `undefined` where it is one. Without the text, which may hold a
 * secret.
 */
function baseUrlFault(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) {
    return 'must be a whole address that begins with http:// or https://'
  }
  const { username, password } = new URL(text)
  // `fetch` takes no such address, and would quote it.
  if (username !== '' || password !== '') return 'must have no name and no password in it: give them as auth'
  return text.includes('#') ? 'must have no "#": no path can stand after it' : undefined
}

/** A request before it is sent. */
interface ApiRequest {
  /** E.g. `GET /orders/{id}`, for messages. */
  readonly operation: string
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: RequestBody | undefined
  readonly signal: AbortSignal
}

const MOST_REDIRECTS = 5
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

/**
 * Sends a request. What is read may be elsewhere: another address is asked then, without headers and cookies where it is
 * another server's, since any of them may be a secret. What changes something is never repeated elsewhere.
 *
 * @throws {OpenApiCallError} for more redirects than five, or one of a request that is not repeated
 */
async function sendRequest(request: ApiRequest, send: typeof fetch): Promise<Response> {
  const { operation, method, headers, body, signal } = request
  const isReading = method === 'GET' || method === 'HEAD'
  let { url } = request
  let sent = headers
  for (let redirects = 0; ; redirects += 1) {
    const response = await send(url, {
      method,
      headers: sent,
      signal,
      redirect: 'manual',
      ...(body !== undefined && { body: body.body }),
    })
    const location = response.headers.get('location')
    if (!REDIRECTS.includes(response.status) || location === null) return response
    await response.body?.cancel()
    const next = isReading && redirects < MOST_REDIRECTS ? addressOf(location, url) : undefined
    if (next === undefined) {
      throw new OpenApiCallError({ operation, status: response.status, headers: response.headers, body: '' })
    }
    if (next.origin !== url.origin) sent = new Headers({ accept: headers.get('accept') ?? '*/*' })
    url = next
  }
}

function addressOf(location: string, base: URL): URL | undefined {
  if (!URL.canParse(location, base.href)) return undefined
  const address = new URL(location, base)
  // From a secret connection nobody leads to an open one.
  return address.protocol === base.protocol || address.protocol === 'https:' ? address : undefined
}

/** How much of the body of a failed request is read, in bytes. */
const LONGEST_REFUSAL = 64 * 1024

/**
 * The result that an answer holds: JSON parsed, text as it is, bytes as base64, null where there is no body.
 *
 * @param longest how large the body may be, in bytes
 * @throws {OpenApiCallError} for a status that is no success, unless the API refuses what was asked: then a `ToolFailure`
 * @throws {ToolFailure} `malformed_result` for a body that is too large, or not what it should be
 */
async function readAnswer(
  response: Response,
  { method, path, answers = {} }: ApiOperation,
  longest: number,
): Promise<unknown> {
  const { status, headers } = response
  if (!response.ok) {
    const { bytes } = await boundedBody(response, LONGEST_REFUSAL)
    throw answeredFailure({ operation: `${method} ${path}`, status, headers, body: new TextDecoder().decode(bytes) })
  }
  const kind = kindOf(answers, status)
  if (kind === 'none' || status === 204 || status === 205 || method === 'HEAD') {
    await response.body?.cancel()
    return null
  }
  const { bytes, isWhole } = await boundedBody(response, longest)
  if (!isWhole) throw malformed(`it is larger than ${longest} bytes`)
  return contentOf(bytes, kind ?? saidKind(headers, bytes), headers)
}

function kindOf(answers: Readonly<Record<string, ApiAnswerKind>>, status: number): ApiAnswerKind | undefined {
  const known = [String(status), `${String(status)[0]}XX`, 'default'].find((key) => Object.hasOwn(answers, key))
  return known === undefined ? undefined : answers[known]
}

/** What an answer that the document does not know says of itself. */
function saidKind(headers: Headers, { length }: Uint8Array): ApiAnswerKind {
  const type = mediaTypeOf(headers)
  if (length === 0) return 'none'
  if (isJsonType(type)) return 'json'
  return type === '' || type.startsWith('text/') ? 'text' : 'bytes'
}

function contentOf(bytes: Uint8Array<ArrayBuffer>, kind: ApiAnswerKind, headers: Headers): unknown {
  switch (kind) {
    case 'none':
      return null
    case 'bytes':
      return bytesToBase64(bytes)
    case 'text':
      return decoded(bytes, headers)
    case 'json':
      return parsed(decoded(bytes, headers))
  }
}

/** By the `charset` that an answer says; UTF-8 where it says none, or one that nobody knows. */
function decoded(bytes: Uint8Array<ArrayBuffer>, headers: Headers): string {
  const said = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(headers.get('content-type') ?? '')?.[1]
  try {
    return new TextDecoder(said).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw malformed('it is no JSON', error)
  }
}

function malformed(why: string, cause?: unknown): ToolFailure {
  return new ToolFailure(`The answer of the API cannot be read: ${why}.`, { reason: 'malformed_result', cause })
}

/** The body of an answer: all of it, or its beginning where it is longer than it may be. */
interface BoundedBody {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isWhole: boolean
}

/** Reads a body up to so many bytes and lets go of the rest. */
async function boundedBody({ body }: Response, longest: number): Promise<BoundedBody> {
  const reader = body?.getReader()
  const pieces: Uint8Array[] = []
  let size = 0
  for (;;) {
    const read = await reader?.read()
    if (read === undefined || read.done) return { bytes: joined(pieces, size), isWhole: true }
    pieces.push(read.value)
    size += read.value.length
    if (size > longest) {
      await reader?.cancel()
      return { bytes: joined(pieces, size).slice(0, longest), isWhole: false }
    }
  }
}

function joined(pieces: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** How many characters of what an API says a model is shown. */
const LONGEST_TEXT = 1_000

/**
 * The failure of a call by the status of its answer. Where the API refuses what was asked, a model is told what the API says
 * of it: it alone knows what else to ask for. Of everything else the model is told by a fixed sentence.
 */
function answeredFailure(facts: OpenApiCallErrorFacts): OpenApiCallError | ToolFailure {
  const error = new OpenApiCallError(facts)
  const { reason, action } = classify(error, 0)
  const said = saidIn(facts)
  if (reason !== 'domain_rejection' || said === '') return error
  return new ToolFailure(said, {
    cause: error,
    ...((action === 'replan' || action === 'correct_call') && { action }),
  })
}

/** JSON in compact form, or plain text; pages for people say nothing to a model. */
function saidIn({ headers, body }: OpenApiCallErrorFacts): string {
  const type = mediaTypeOf(headers)
  if (type === 'text/html') return ''
  return shorten(compact(body.trim()), LONGEST_TEXT)
}

function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    // It is no JSON, or was cut: then it is shown as it is.
    return text
  }
}
