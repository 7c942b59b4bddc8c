import type { AgentToolSpec, ToolCallMeta, ToolsetDescriptor } from '../types/tool.js'

/** Toolset whose tools are operations of an HTTP API. The generator writes this object into the generated code. */
export interface ToolsetApi {
  readonly toolset: ToolsetDescriptor
  /** Base URL in the OpenAPI document. Absent if the document has no base URL or only a relative one. */
  readonly server?: string
  /** Scheme name → authentication scheme of the OpenAPI document. */
  readonly security?: Readonly<Record<string, ApiSecurity>>
  /** Tool name → HTTP operation. */
  readonly operations: Readonly<Record<string, ApiOperation>>
}

/** Location of a credential in a request. OAuth 2 and OpenID Connect use `bearer`. */
export type ApiSecurity =
  | { readonly type: 'apiKey'; readonly in: 'query' | 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'bearer' }
  | { readonly type: 'basic' }

/** Operation of an HTTP API. Describes where each payload field of the tool is sent in the request. */
export interface ApiOperation {
  /** HTTP method in upper case, such as `GET`. */
  readonly method: string
  /** Path of the operation, with `{name}` for each path parameter. */
  readonly path: string
  /** Base URL of the operation, if it differs from the base URL of the toolset. */
  readonly server?: string
  readonly parameters?: readonly ApiParameter[]
  readonly body?: ApiBody
  /** HTTP status (`200`, `2XX` or `default`) → kind of response body. For a status that is not listed, the `Content-Type` decides. */
  readonly responses?: Readonly<Record<string, ApiResponseKind>>
  /**
   * Accepted combinations of credentials. Each combination lists the names of the authentication schemes that are used together. Absent if
   * the operation needs no credentials.
   */
  readonly security?: readonly (readonly string[])[]
}

/** Serialization style of a parameter in OpenAPI. */
export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

/** Parameter of a request, and the payload field that contains its value. */
export interface ApiParameter {
  /** Payload field that contains the value of the parameter. */
  readonly field: string
  /** Name of the parameter in the API. Default: `field`. */
  readonly name?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Serialization style. Default: `form` for query and cookie parameters, `simple` for path and header parameters. */
  readonly style?: ParameterStyle
  /** If `true`, each array item or object property is sent as a separate value. Default: `true` only for the style `form`. */
  readonly explode?: boolean
  /** If set, reserved URL characters such as `/` are not percent-encoded. */
  readonly reserved?: true
  /** If set, the value is serialized as JSON. */
  readonly json?: true
}

/** Conversion of the payload to the body of a request. */
export interface ApiBody {
  /** Media type of the body, such as `application/json`. */
  readonly type: string
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** Payload field whose value is the whole body. Default: the body is an object with the fields {@link ApiBody.fields}. */
  readonly field?: string
  /** Payload fields that become fields of the body. */
  readonly fields?: readonly string[]
  /** Payload field → name of the body field. Contains only fields whose two names differ. */
  readonly names?: Readonly<Record<string, string>>
  /** Name of a form field in the body → its serialization. Default: as OpenAPI defines. */
  readonly parts?: Readonly<Record<string, ApiPart>>
  /** If set, an empty object is sent if the payload has none of the fields. Otherwise no body is sent. */
  readonly required?: true
}

/** Serialization of one field of a form. */
export interface ApiPart {
  /** Media type of a part of a multipart body, or of a form field that contains JSON. Default: derived from the value. */
  readonly type?: string
  readonly style?: ParameterStyle
  readonly explode?: boolean
  /** If set, the value is a base64 string, and its decoded bytes are sent. */
  readonly bytes?: true
}

/** Kind of a response body. For `bytes`, the result is a base64 string. For `none`, the body is not read and the result is `null`. */
export type ApiResponseKind = 'json' | 'text' | 'bytes' | 'none'

/**
 * Thrown if an HTTP API responds with an error status or with a redirect that cannot be followed. Use it to classify errors and in logs.
 * Models do not receive it.
 */
export class OpenApiCallError extends Error {
  override readonly name = 'OpenApiCallError'
  /** HTTP method and path of the operation, such as `GET /orders/{id}`. */
  readonly operation: string
  readonly status: number
  readonly headers: Headers
  /** Response body as text, at most its first 64 KiB. */
  readonly body: string

  constructor(operation: string, { status, headers }: Pick<Response, 'status' | 'headers'>, body: string) {
    super(`${operation} returned status ${status}`)
    this.operation = operation
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** Tool call for which a function in {@link OpenApiExecutorOptions} returns the value of an option. */
export interface ApiCall {
  readonly tool: AgentToolSpec
  readonly meta: ToolCallMeta
}

/** User name and password for HTTP basic authentication. */
export interface BasicCredential {
  readonly username: string
  readonly password: string
}

/** API key, token, or user name with password; `undefined` if the call has no credential. */
export type ApiCredential = string | BasicCredential | undefined

/** Value of an option for all calls, or a function that returns the value for each call. */
export type PerCall<Value> = Value | ((call: ApiCall) => Value | Promise<Value>)

/** Options for the requests that an OpenAPI executor sends. Models do not receive these values. */
export interface OpenApiExecutorOptions {
  /** Base URL that replaces every server of the document. Default: the servers of the document. */
  readonly baseUrl?: PerCall<string>
  /**
   * Name of an authentication scheme in the OpenAPI document → credential. An operation can accept several combinations of credentials. The
   * first combination for which all credentials are present is used. If there is no such combination, the request is sent without
   * credentials.
   */
  readonly auth?: Readonly<Record<string, PerCall<ApiCredential>>>
  /** Headers of every request. They replace header parameters with the same name. Default: none. */
  readonly headers?: PerCall<Readonly<Record<string, string>>>
  /** Function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Maximum size of a response body in bytes. Default: 8 MiB. */
  readonly maxResponseBytes?: number
}
