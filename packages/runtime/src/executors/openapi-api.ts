import type { AgentToolSpec, ToolCallMeta, ToolsetDescriptor } from '../types/tool.js'

/** Toolset whose tools are operations of an HTTP API. Written by the generator. */
export interface ToolsetApi {
  readonly toolset: ToolsetDescriptor
  /** Base URL in the document; absent if it has none or a relative one. */
  readonly server?: string
  /** Authentication schemes by name. */
  readonly security?: Readonly<Record<string, ApiSecurity>>
  /** Operations by tool name. */
  readonly operations: Readonly<Record<string, ApiOperation>>
}

/** Location of a credential in a request. OAuth 2 and OpenID Connect use `bearer`. */
export type ApiSecurity =
  | { readonly type: 'apiKey'; readonly in: 'query' | 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'bearer' }
  | { readonly type: 'basic' }

/** One operation of an API, with the location of each field of its tool's payload. */
export interface ApiOperation {
  /** HTTP method in upper case. */
  readonly method: string
  /** Path with `{name}` for each path parameter. */
  readonly path: string
  /** Base URL, if it differs from that of the toolset. */
  readonly server?: string
  readonly parameters?: readonly ApiParameter[]
  readonly body?: ApiBody
  /** Kinds of response bodies by status: `200`, `2XX` or `default`. For other statuses the `Content-Type` decides. */
  readonly responses?: Readonly<Record<string, ApiResponseKind>>
  /** Alternatives. Each lists the names of the schemes that are used together. */
  readonly security?: readonly (readonly string[])[]
}

/** Serialization style of a parameter in OpenAPI. */
export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

/** Parameter of a request. */
export interface ApiParameter {
  /** Payload field with the value. */
  readonly field: string
  /** Name of the parameter in the API. Default: `field`. */
  readonly name?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Default: `form` in query and cookie, `simple` in path and header. */
  readonly style?: ParameterStyle
  /** If true, each item or property is written as a separate value. Default: true for the style `form`, else false. */
  readonly explode?: boolean
  /** Does not percent-encode reserved URL characters. */
  readonly reserved?: true
  /** Serializes the value as JSON. */
  readonly json?: true
}

/** Body of a request. */
export interface ApiBody {
  /** Media type. */
  readonly type: string
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** Payload field that is the whole body. Default: the body consists of {@link ApiBody.fields}. */
  readonly field?: string
  /** Payload fields that are fields of the body. */
  readonly fields?: readonly string[]
  /** Names of body fields by payload field, if they differ. */
  readonly names?: Readonly<Record<string, string>>
  /** Serialization of form fields, by their names in the body. Default: that of OpenAPI. */
  readonly parts?: Readonly<Record<string, ApiPart>>
  /** Sends an empty object if the payload has none of the fields. */
  readonly required?: true
}

/** Serialization of one field of a form. */
export interface ApiPart {
  /** Media type of a multipart part, or of a form field that is JSON. Default: derived from the value. */
  readonly type?: string
  readonly style?: ParameterStyle
  readonly explode?: boolean
  /** Decodes a base64 string and sends its bytes. */
  readonly bytes?: true
}

/** Kind of a response body. `bytes` are returned as base64. With `none` the body is not read and the result is null. */
export type ApiResponseKind = 'json' | 'text' | 'bytes' | 'none'

/** Response of an HTTP API that is not a result, for the classification and for logs. Models do not receive it. */
export class OpenApiCallError extends Error {
  override readonly name = 'OpenApiCallError'
  /** Method and path, such as `GET /orders/{id}`. */
  readonly operation: string
  readonly status: number
  readonly headers: Headers
  /** Body as text; only the beginning of a long one. */
  readonly body: string

  constructor(operation: string, { status, headers }: Pick<Response, 'status' | 'headers'>, body: string) {
    super(`${operation} returned status ${status}`)
    this.operation = operation
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** Call for which an option function is called. */
export interface ApiCall {
  readonly tool: AgentToolSpec
  readonly meta: ToolCallMeta
}

/** User name and password. */
export interface BasicCredential {
  readonly username: string
  readonly password: string
}

/** Key, token, or user name with password; `undefined` if there is none for this call. */
export type ApiCredential = string | BasicCredential | undefined

/** Value for all calls, or a function that returns it for each call. */
export type PerCall<Value> = Value | ((call: ApiCall) => Value | Promise<Value>)

/** Options of the requests of an executor. Models receive none of these values. */
export interface OpenApiExecutorOptions {
  /** Base URL that replaces every server of the document. Default: the servers of the document. */
  readonly baseUrl?: PerCall<string>
  /**
   * Credentials by scheme name of the document. An operation uses its first alternative for which all credentials are
   * present. If there is none, the request is sent without credentials.
   */
  readonly auth?: Readonly<Record<string, PerCall<ApiCredential>>>
  /** Headers of every request. They replace header parameters of the same name. */
  readonly headers?: PerCall<Readonly<Record<string, string>>>
  /** Function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Maximum size of a response, in bytes. Default: 8 MiB. */
  readonly maxResponseBytes?: number
}
