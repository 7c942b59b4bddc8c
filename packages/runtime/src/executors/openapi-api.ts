import type { AgentToolSpec, ToolCallMeta, ToolsetDescriptor } from '../types/tool.js'

/** Toolset whose tools are operations of an HTTP API. Generated code contains an object of this type. */
export interface ToolsetApi {
  readonly toolset: ToolsetDescriptor
  /** Base URL in the OpenAPI document. Absent if the document contains no base URL, or only a relative URL. */
  readonly server?: string
  /** Authentication schemes in the OpenAPI document, by name. */
  readonly security?: Readonly<Record<string, ApiSecurity>>
  /** HTTP operations, by tool name. */
  readonly operations: Readonly<Record<string, ApiOperation>>
}

/** Kind and location of a credential in a request. OAuth 2 and OpenID Connect use the type `bearer`. */
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
  /**
   * Kinds of response bodies by HTTP status, with keys such as `200`, `2XX` and `default`. For a status that no key describes, the header
   * `Content-Type` determines the kind.
   */
  readonly responses?: Readonly<Record<string, ApiResponseKind>>
  /**
   * Accepted combinations of credentials. Each combination lists the names of authentication schemes that are used together. Absent if the
   * operation needs no credentials.
   */
  readonly security?: readonly (readonly string[])[]
}

export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

export interface ApiParameter {
  readonly field: string
  /** Name of the parameter in the API. Default: the value of the property `field`. */
  readonly name?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Serialization style. Default: `form` for query and cookie parameters, `simple` for path and header parameters. */
  readonly style?: ParameterStyle
  /**
   * If `true`, the request contains each array item or object property as a separate value. Default: `true` for the style `form`, `false` for
   * all other styles.
   */
  readonly explode?: boolean
  /** If set, the executor does not percent-encode reserved URL characters such as `/`. Default: the executor encodes these characters. */
  readonly reserved?: true
  /** If set, the executor serializes the value as JSON. Default: `style` determines the serialization. */
  readonly json?: true
}

export interface ApiBody {
  readonly type: string
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** Payload field that contains the whole body. Default: the body is an object with the fields {@link ApiBody.fields}. */
  readonly field?: string
  readonly fields?: readonly string[]
  /** Payload field → name of the field in the body. Contains only fields whose two names differ. */
  readonly names?: Readonly<Record<string, string>>
  /** Name of a form field in the body → serialization of this field. For other fields, the default serialization of OpenAPI applies. */
  readonly parts?: Readonly<Record<string, ApiPart>>
  /** If set, a request without body fields has an empty object as body. Default: such a request has no body. */
  readonly required?: true
}

export interface ApiPart {
  /** Media type of a part in a multipart body, or of a form field with JSON. Default: the value determines the media type. */
  readonly type?: string
  readonly style?: ParameterStyle
  readonly explode?: boolean
  /** If set, the value is a base64 string, and the request contains the decoded bytes. Default: the request contains the value itself. */
  readonly bytes?: true
}

/** Kind of a response body. For `bytes`, the result is a base64 string. For `none`, the executor does not read the body, and the result is `null`. */
export type ApiResponseKind = 'json' | 'text' | 'bytes' | 'none'

/**
 * Error of an HTTP API: a response with an error status, or a redirect that the client cannot follow. Use the error in logs, or in a function
 * that classifies errors. Models do not receive the text of the error.
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

export interface ApiCall {
  readonly tool: AgentToolSpec
  readonly meta: ToolCallMeta
}

/** User name and password for HTTP basic authentication. */
export interface BasicCredential {
  readonly username: string
  readonly password: string
}

/** Credential of a call: an API key, a token, or a user name with password. `undefined` if the call has no credential. */
export type ApiCredential = string | BasicCredential | undefined

/** Value of an option that is the same for all calls, or a function that returns the value for one call. */
export type PerCall<Value> = Value | ((call: ApiCall) => Value | Promise<Value>)

/** Options for the requests of an OpenAPI executor. Models do not receive these values. */
export interface OpenApiExecutorOptions {
  /** Base URL that replaces every server URL in the document. Default: the server URLs in the document. */
  readonly baseUrl?: PerCall<string>
  /**
   * Credentials by name of the authentication scheme in the OpenAPI document. If an operation accepts several combinations of credentials, the
   * request contains the first combination for which all credentials are set. If no combination is complete, the request contains no
   * credentials.
   */
  readonly auth?: Readonly<Record<string, PerCall<ApiCredential>>>
  /**
   * Additional headers of every request. A header replaces a header parameter of the operation with the same name. Default: no additional
   * headers.
   */
  readonly headers?: PerCall<Readonly<Record<string, string>>>
  /** Function that sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch
  /** Maximum size of a response body in bytes. Default: 8 MiB. */
  readonly maxResponseBytes?: number
}
