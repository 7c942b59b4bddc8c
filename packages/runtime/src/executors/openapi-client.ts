import { InvalidArgumentsError } from '../call/descriptors.js'
import { checkIssues } from '../call/payload.js'
import { isToolFailure } from '../call/tool-failure.js'
import { isCodecError, resultCodec } from '../codec/codecs.js'
import type { Issue } from '../types/codec.js'
import type { JsonSchema, StandardCheck } from '../types/json.js'
import type { AgentToolSpec, ToolDescriptor, ToolId } from '../types/tool.js'
import { declaredTools } from './declared-tools.js'
import { type ApiCall, OpenApiCallError, type OpenApiExecutorOptions, type ToolsetApi } from './openapi-api.js'
import { mediaType } from './openapi-body.js'
import { apiExchange, operationName, statusKey } from './openapi-exchange.js'

/** Status and headers of an HTTP response. */
export interface ApiResponse {
  readonly status: number
  readonly headers: Headers
}

/**
 * Error response of an HTTP API, or a response that does not match the OpenAPI document. `Status` and `Body` are the types of the status and the
 * body that the document declares for an error response.
 *
 * @example
 * const { data, error } = await pets.getPet({ id: 7 })
 * if (error?.status === 404) console.log(error.body.reason) // typed by the document
 * else if (error) throw error
 */
export class ApiError<Status extends number | undefined = number | undefined, Body = unknown> extends Error {
  override readonly name = 'ApiError'
  /** HTTP method and path of the operation, such as `GET /pets/{id}`. */
  readonly operation: string
  /** HTTP status. `undefined` if the body does not match the OpenAPI document. In this case, read the status in `response.status`. */
  readonly status: Status
  /** Body of the response: parsed JSON, or text if the body is not JSON. `null` if the response has no body. */
  readonly body: Body
  /** Reason why the body does not match the OpenAPI document. `undefined` if the body matches, or if the document does not describe this response. */
  readonly mismatch: string | undefined
  readonly response: ApiResponse

  constructor(operation: string, response: ApiResponse, body: Body, status: Status, mismatch?: string) {
    const about = mismatch === undefined ? '' : `; its body does not match the document: ${mismatch}`
    super(`${operation} returned status ${response.status}${about}`)
    this.operation = operation
    this.status = status
    this.body = body
    this.mismatch = mismatch
    this.response = response
  }
}

type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

type NumberOf<Text extends string> = Text extends `${infer Value extends number}` ? Value : never

type StatusClass<First extends string> = NumberOf<`${First}${Digit}${Digit}`>

type ErrorStatus = StatusClass<'3' | '4' | '5'>

type Single<Keys> = NumberOf<`${Keys & (string | number)}`>

type Classes<Keys> = Keys extends `${infer First}XX` ? StatusClass<First> : never

/** A single status takes precedence over a range such as `4XX`, and a range takes precedence over `default`. */
type StatusOf<Key, Keys> = Key extends 'default'
  ? OtherStatus<Keys>
  : Key extends `${string}XX`
    ? Exclude<Classes<Key>, Single<Keys>>
    : Single<Key>

type OtherStatus<Keys> = Exclude<ErrorStatus, Single<Keys> | Classes<Keys>>

/**
 * Errors of an operation: a union type with the discriminator `status`. `Bodies` contains the type of the body for each status in the document:
 * `404`, `4XX` or `default`. For a status that the document does not describe, the body has the type `unknown`. The last variant of the union
 * represents a response that does not match the document.
 */
export type ApiErrors<Bodies> =
  | { [Key in keyof Bodies]: ApiError<StatusOf<Key, keyof Bodies>, Bodies[Key]> }[keyof Bodies]
  | ('default' extends keyof Bodies ? never : ApiError<OtherStatus<keyof Bodies>, unknown>)
  | ApiError<undefined, unknown>

/**
 * Result of a client method: an object with `data` or with `error`. The object has the property `error` if the API responded with an error, or
 * with a body that does not match the OpenAPI document.
 */
export type ApiResult<Data, Failure = ApiErrors<unknown>> =
  | { readonly ok: true; readonly data: Data; readonly error?: undefined; readonly response: ApiResponse }
  | { readonly ok: false; readonly data?: undefined; readonly error: Failure; readonly response: ApiResponse }

/** Options of one client call. */
export interface ApiRequestOptions {
  /** Signal that aborts the request. The method then rejects with the reason of the signal. */
  readonly signal?: AbortSignal
  /**
   * Additional headers. A header replaces a header of the client with the same name. Default: no additional headers.
   */
  readonly headers?: Readonly<Record<string, string>>
}

/** Options of a generated client, in addition to `OpenApiExecutorOptions`. */
export interface ApiClientOptions {
  /**
   * Maximum time from the start of a request to the end of its response, in milliseconds. After this time, the method
   * rejects with a `TimeoutError`. Default: no maximum.
   */
  readonly timeoutMs?: number
  /** Schemas that validate payloads in addition to JSON Schema, by tool name. Use such a schema for rules that JSON Schema cannot express. */
  readonly checks?: Readonly<Record<string, StandardCheck>>
}

type ApiMethod = (
  args?: any, // `any`: generated code has the precise types
  options?: ApiRequestOptions,
) => Promise<any>

/**
 * Returns a function that creates the methods of a client. Called by generated clients. The argument `errors` of the returned function contains one
 * JSON Schema for each error status, which describes the response body.
 *
 * @throws {TypeError} if the base URL is unknown or an option is invalid.
 */
export function apiClient(
  api: ToolsetApi,
  options: OpenApiExecutorOptions & ApiClientOptions = {},
): (tool: string, errors?: Readonly<Record<string, JsonSchema>>) => ApiMethod {
  const { timeoutMs, checks = {} } = options
  if (timeoutMs !== undefined && !(Number.isSafeInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_TIMEOUT_MS))
    throw new TypeError(`timeoutMs must be an integer from 1 to ${MAX_TIMEOUT_MS}`)
  const exchange = apiExchange(api, options)
  const findTool = declaredTools(api.toolset, api.operations)
  return (name, errors = {}) =>
    async (args = {}, { signal, headers } = {}) => {
      const { descriptor, declared: operation, toArguments } = findTool(name)
      const { spec } = descriptor
      const limits = [
        ...(signal === undefined ? [] : [signal]),
        ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]),
      ]
      const call = clientCall(
        { ...spec, provider: 'service', qualifiedId: `service.${spec.id}` },
        AbortSignal.any(limits),
      )
      call.meta.signal.throwIfAborted()
      const where = operationName(operation)
      try {
        const payload = payloadOf(descriptor, args)
        const check = Object.hasOwn(checks, name) ? checks[name] : undefined
        const issues = check === undefined ? [] : await checkIssues(check, payload)
        if (issues.length > 0) throw new InvalidArgumentsError(spec.id, issues)
        const exchanged = await exchange(operation, toArguments(payload), call, headers)
        const response = { status: exchanged.status, headers: exchanged.headers }
        if ('problem' in exchanged) return failed(new ApiError(where, response, null, undefined, exchanged.problem))
        const result = descriptor.result.decodeValue(exchanged.value)
        if (result.ok) return { ok: true, data: result.value, response }
        return failed(new ApiError(where, response, exchanged.value, undefined, mismatchOf(result.issues)))
      } catch (error) {
        if (error instanceof OpenApiCallError) return failed(errorOf(error, errors))
        throw argumentsError(spec.id, error)
      }
    }
}

const MAX_TIMEOUT_MS = 2_147_483_647

/**
 * Returns the property `data` of a result. If the result has the property `error`, throws this error.
 *
 * @throws {ApiError} the error in the result
 *
 * @example
 * const pet = await unwrap(pets.getPet({ id: 7 }))
 */
export async function unwrap<Data>(result: ApiResult<Data, Error> | Promise<ApiResult<Data, Error>>): Promise<Data> {
  const { ok, data, error } = await result
  if (!ok) throw error
  return data
}

function clientCall(tool: AgentToolSpec, signal: AbortSignal): ApiCall {
  const toolCallId = crypto.randomUUID()
  return { tool, meta: { toolCallId, idempotencyKey: toolCallId, labels: {}, attempt: 1, signal } }
}

/** Callers of a client method also pass the server-owned fields, which the codec of the payload must not receive. */
function payloadOf({ spec, payload }: ToolDescriptor, args: object): object {
  const owned = new Set(spec.serverOwned.map(({ field }) => field))
  if (owned.size === 0) return decodedArguments(spec.id, payload.decodeValue(args))
  const [others, own] = [false, true].map((isOwned) =>
    Object.fromEntries(Object.entries(args).filter(([field]) => owned.has(field) === isOwned)),
  )
  return { ...decodedArguments(spec.id, payload.decodeValue(others)), ...own }
}

function decodedArguments(tool: ToolId, decoded: ReturnType<ToolDescriptor['payload']['decodeValue']>): object {
  if (!decoded.ok) throw new InvalidArgumentsError(tool, decoded.issues)
  return Object(decoded.value)
}

function argumentsError(tool: ToolId, error: unknown): unknown {
  if (isCodecError(error)) return new InvalidArgumentsError(tool, error.issues, { cause: error })
  if (!isToolFailure(error) || error.reason !== 'invalid_arguments') return error
  const issue: Issue = { constraint: 'check_failed', path: '', message: error.message }
  return new InvalidArgumentsError(tool, [issue], { cause: error })
}

function failed(error: ApiError): ApiResult<never, ApiError> {
  return { ok: false, error, response: error.response }
}

function errorOf(
  { operation, status, headers, body: text }: OpenApiCallError,
  errors: Readonly<Record<string, JsonSchema>>,
): ApiError {
  const response = { status, headers }
  const body = bodyOf(text)
  const key = statusKey(status, errors)
  const schema = key === undefined ? undefined : errors[key]
  if (schema === undefined) return new ApiError(operation, response, body, status)
  const codec = errorCodec(schema)
  const decoded = codec.decodeValue(body)
  if (decoded.ok) return new ApiError(operation, response, decoded.value, status)
  // A string such as `12` is also JSON.
  const plain = codec.decodeValue(text)
  if (plain.ok) return new ApiError(operation, response, plain.value, status)
  const mismatch = mediaType(headers.get('content-type')) === 'text/html' ? 'it is HTML' : mismatchOf(decoded.issues)
  return new ApiError(operation, response, body, undefined, mismatch)
}

/** Some servers send JSON with another media type. */
function bodyOf(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const codecs = new WeakMap<object, ReturnType<typeof newErrorCodec>>()

const newErrorCodec = (schema: JsonSchema) => resultCodec<unknown, unknown>({ schema, unknown: 'keep' })

function errorCodec(schema: JsonSchema): ReturnType<typeof newErrorCodec> {
  if (typeof schema === 'boolean') return newErrorCodec(schema)
  const codec = codecs.get(schema) ?? newErrorCodec(schema)
  codecs.set(schema, codec)
  return codec
}

/** Does not quote the invalid value, because the value can contain personal data. */
function mismatchOf(issues: readonly Issue[]): string {
  const [first] = issues
  const others = issues.length > 1 ? ` (and ${issues.length - 1} more)` : ''
  return `${first?.path || 'the body'}: ${(first?.message ?? 'invalid').replace(/ but got .*|\.$/s, '')}${others}`
}
