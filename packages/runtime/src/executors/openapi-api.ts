import type { AgentToolSpec, ToolCallMeta, ToolsetDescriptor } from '../types/tool.js'

/** Toolset whose tools are operations of an HTTP API, as generated code describes it. */
export interface ToolsetApi {
  readonly toolset: ToolsetDescriptor
  /** The base URL in the document; absent where it names none, or a relative one. */
  readonly server?: string
  /** The authentication schemes by name. */
  readonly security?: Readonly<Record<string, ApiSecurity>>
  /** By tool name of the toolset. */
  readonly operations: Readonly<Record<string, ApiOperation>>
}

/** Location of a credential in a request. OAuth 2 and OpenID Connect send a bearer token. */
export type ApiSecurity =
  | { readonly type: 'apiKey'; readonly in: 'query' | 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'bearer' }
  | { readonly type: 'basic' }

/** One operation of an API, with the location of each field of its tool's payload. */
export interface ApiOperation {
  /** In capitals. */
  readonly method: string
  /** With `{name}` for each parameter in it. */
  readonly path: string
  /** The base URL, if it differs from that of the toolset. */
  readonly server?: string
  readonly parameters?: readonly ApiParameter[]
  readonly body?: ApiBody
  /** Kinds of response bodies by status: `200`, `2XX` or `default`. For other statuses the content type of the response counts. */
  readonly responses?: Readonly<Record<string, ApiResponseKind>>
  /** Alternatives, each with the names of the schemes that are sent together. */
  readonly security?: readonly (readonly string[])[]
}

/** Serialization style of a parameter in OpenAPI. */
export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

/** A field of the payload that is a parameter. */
export interface ApiParameter {
  /** The field of the payload. */
  readonly field: string
  /** Name of the parameter in the API. Default: that of the field. */
  readonly name?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Default: `form` in query and cookie, `simple` in path and header. */
  readonly style?: ParameterStyle
  /** `true` to write each part as a value of its own. Default: `true` for `form` alone. */
  readonly explode?: boolean
  /** Keeps reserved characters of URLs as they are. */
  readonly reserved?: true
  /** Writes any value as JSON. */
  readonly json?: true
}

/** Body of a request. */
export interface ApiBody {
  /** The media type. */
  readonly type: string
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** The field of the payload that is the body. Default: the body consists of {@link ApiBody.fields}. */
  readonly field?: string
  /** The fields of the payload that are fields of the body. */
  readonly fields?: readonly string[]
  /** Names of fields in the body by names in the payload, where they differ. */
  readonly names?: Readonly<Record<string, string>>
  /** Serialization of fields of a form, by their names in the body. Default: that of OpenAPI. */
  readonly parts?: Readonly<Record<string, ApiPart>>
  /** Sends an empty object if the payload has none of the fields. */
  readonly required?: true
}

/** Serialization of one field of a form. */
export interface ApiPart {
  /** The media type of a part of a multipart body, or of a form field that is JSON. Default: by the value. */
  readonly type?: string
  readonly style?: ParameterStyle
  readonly explode?: boolean
  /** Sends the bytes of a base64 string. */
  readonly bytes?: true
}

/** Kind of a response body: `bytes` become base64; `none` is not read, and the result is null. */
export type ApiResponseKind = 'json' | 'text' | 'bytes' | 'none'

/**
 * A response of an HTTP API other than a result. The runtime classifies it by its status and headers; its message is for
 * the application's log, no model receives it.
 */
export class OpenApiCallError extends Error {
  override readonly name = 'OpenApiCallError'
  /** E.g. `GET /orders/{id}`. */
  readonly operation: string
  readonly status: number
  readonly headers: Headers
  /** The body as text, or the beginning of a long one. */
  readonly body: string

  constructor(operation: string, { status, headers }: Pick<Response, 'status' | 'headers'>, body: string) {
    super(`${operation} was answered with status ${status}`)
    this.operation = operation
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** Call for which an option of the executor is computed. */
export interface ApiCall {
  readonly tool: AgentToolSpec
  readonly meta: ToolCallMeta
}

/** A user's name with a password. */
export interface BasicCredential {
  readonly username: string
  readonly password: string
}

/** A key, a token, or a name with a password; `undefined` if the caller has none. */
export type ApiCredential = string | BasicCredential | undefined

/** A value for all calls, or a function that returns it for one. */
export type PerCall<Value> = Value | ((call: ApiCall) => Value | Promise<Value>)

/** Options for the requests of an executor. No model receives any of it. */
export interface OpenApiExecutorOptions {
  /** The base URL in place of every server in the document. Default: those of the document. */
  readonly baseUrl?: PerCall<string>
  /**
   * The credentials by scheme name in the document. An operation uses the first of its alternatives for which all credentials
   * are present; if there is none, the request is sent without credentials.
   */
  readonly auth?: Readonly<Record<string, PerCall<ApiCredential>>>
  /** Sent with every request; they replace parameters that are headers of the same name. */
  readonly headers?: PerCall<Readonly<Record<string, string>>>
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Maximum size of a response, in bytes. Default 8 MiB. */
  readonly maxResponseBytes?: number
}
