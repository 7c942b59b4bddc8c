import type { AgentToolSpec, ToolCallMeta, ToolsetDescriptor } from '../types/tool.js'

/** Toolset of operations of an HTTP API. Generated code contains this object. */
export interface ToolsetApi {
  readonly toolset: ToolsetDescriptor
  /** Base URL in the OpenAPI document. Absent if the document has no base URL or only a relative URL. */
  readonly server?: string
  /** Authentication schemes in the OpenAPI document, by name. */
  readonly security?: Readonly<Record<string, ApiSecurity>>
  /** HTTP operations, by tool name. */
  readonly operations: Readonly<Record<string, ApiOperation>>
}

/** Location of a credential in a request. OAuth 2 and OpenID Connect use the location `bearer`. */
export type ApiSecurity =
  | { readonly type: 'apiKey'; readonly in: 'query' | 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'bearer' }
  | { readonly type: 'basic' }

/** Operation of an HTTP API. Describes how the payload fields of a tool are sent in the request. */
export interface ApiOperation {
  /** HTTP method in upper case, such as `GET`. */
  readonly method: string
  /** Path of the operation. Contains `{name}` for each path parameter. */
  readonly path: string
  /** Base URL of the operation. Absent if the operation uses the base URL of the toolset. */
  readonly server?: string
  readonly parameters?: readonly ApiParameter[]
  readonly body?: ApiBody
  /** Kinds of response bodies by HTTP status: `200`, `2XX` or `default`. For other statuses, the `Content-Type` determines the kind. */
  readonly responses?: Readonly<Record<string, ApiResponseKind>>
  /**
   * Accepted combinations of credentials. Each combination lists the names of authentication schemes that are used together. Absent if the
   * operation needs no credentials.
   */
  readonly security?: readonly (readonly string[])[]
}

/** Serialization style of a parameter in OpenAPI. */
export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

/** Parameter of a request, and the payload field that contains its value. */
export interface ApiParameter {
  /** Payload field with the value of the parameter. */
  readonly field: string
  /** Name of the parameter in the API. Default: `field`. */
  readonly name?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Serialization style. Default: `form` for query and cookie parameters, `simple` for path and header parameters. */
  readonly style?: ParameterStyle
  /** If `true`, each array item or object property is sent as a separate value. Default: `true` for the style `form`, `false` for other styles. */
  readonly explode?: boolean
  /** If set, reserved URL characters such as `/` are not percent-encoded. Default: they are encoded. */
  readonly reserved?: true
  /** If set, the value is serialized as JSON. Default: `style` is used. */
  readonly json?: true
}

/** Describes how the payload is converted to the body of a request. */
export interface ApiBody {
  /** Media type of the body, such as `application/json`. */
  readonly type: string
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** Payload field that contains the whole body. Default: the body is an object with the fields {@link ApiBody.fields}. */
  readonly field?: string
  /** Payload fields that are sent as fields of the body. */
  readonly fields?: readonly string[]
  /** Names of body fields by payload field. Contains only fields with different names in body and payload. */
  readonly names?: Readonly<Record<string, string>>
  /** Serializations of form fields, by name in the body. Default: the serialization that OpenAPI defines. */
  readonly parts?: Readonly<Record<string, ApiPart>>
  /** If set, the body is an empty object if the payload contains no body field. Default: no body in this case. */
  readonly required?: true
}

/** Serialization of one field of a form. */
export interface ApiPart {
  /** Media type of a part in a multipart body, or of a form field with JSON. Default: derived from the value. */
  readonly type?: string
  readonly style?: ParameterStyle
  readonly explode?: boolean
  /** If set, the value is a base64 string, and the decoded bytes are sent. Default: the value itself is sent. */
  readonly bytes?: true
}

/** Kind of a response body. For `bytes`, the result is a base64 string. For `none`, the result is `null`, and the body is not read. */
export type ApiResponseKind = 'json' | 'text' | 'bytes' | 'none'

/**
 * Error of an HTTP API: a response with an error status, or a redirect that the client cannot follow. Use this class in logs and to classify
 * errors. Models do not receive the error.
 */
export class OpenApiCallError extends Error {
  override readonly name = 'OpenApiCallError'
  /** HTTP method and path of the operation, such as `GET /orders/{id}`. */
  readonly operation: string
  readonly status: number
  readonly headers: Headers
  /** First 64 KiB of the response body, as text. */
  readonly body: string

  constructor(operation: string, { status, headers }: Pick<Response, 'status' | 'headers'>, body: string) {
    super(`${operation} returned status ${status}`)
    this.operation = operation
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** Argument of functions in {@link OpenApiExecutorOptions}: the tool call for which the function returns a value. */
export interface ApiCall {
  readonly tool: AgentToolSpec
  readonly meta: ToolCallMeta
}

/** User name and password for HTTP basic authentication. */
export interface BasicCredential {
  readonly username: string
  readonly password: string
}

/** API key, token, or user name with password. `undefined` if the call has no credential. */
export type ApiCredential = string | BasicCredential | undefined

/** Value of an option for all calls, or a function that returns the value for each call. */
export type PerCall<Value> = Value | ((call: ApiCall) => Value | Promise<Value>)

/** Options for the requests of an OpenAPI executor. Models do not receive these values. */
export interface OpenApiExecutorOptions {
  /** Base URL that replaces every server URL in the document. Default: the server URLs in the document. */
  readonly baseUrl?: PerCall<string>
  /**
   * Credentials by name of the authentication scheme in the OpenAPI document. If an operation accepts several combinations of credentials, the
   * first complete combination is used. If no combination is complete, the request is sent without credentials.
   */
  readonly auth?: Readonly<Record<string, PerCall<ApiCredential>>>
  /**
   * Headers of every request. A header replaces a header parameter with the same name. Default: no additional headers.
   */
  readonly headers?: PerCall<Readonly<Record<string, string>>>
  /** Function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Maximum size of a response body in bytes. Default: 8 MiB. */
  readonly maxResponseBytes?: number
}
