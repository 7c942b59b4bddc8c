/** How the tools of a toolset are operations of an HTTP API. */
export interface OpenApiSource<Tool extends string = string> {
  /** The base URL of the API. Default: none; then the application gives one. */
  readonly server?: string
  /** The ways in which callers may prove who they are, by name. Default: none. */
  readonly security?: Readonly<Record<string, OpenApiSecurity>>
  /** Tool → its operation; every tool has one. */
  readonly operations: { readonly [Name in Tool]: OpenApiOperation }
}

/** How a credential is sent; OAuth 2 and OpenID Connect send a bearer token. */
export type OpenApiSecurity =
  | { readonly type: 'apiKey'; readonly in: 'query' | 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'bearer' }
  | { readonly type: 'basic' }

/** One operation of an API, and where the fields of the tool's payload go. */
export interface OpenApiOperation {
  /** In capitals, e.g. `GET`. */
  readonly method: string
  /** With `{name}` for each parameter in it. */
  readonly path: string
  /** The base URL where it is another one than that of the toolset. */
  readonly server?: string
  /** The fields that are parameters. Default: none. */
  readonly parameters?: readonly OpenApiParameter[]
  /** What the request carries beside its parameters. Default: nothing. */
  readonly body?: OpenApiBody
  /** What is answered, by status: `200`, `2XX` or `default`. Default: what the answer says of itself. */
  readonly answers?: Readonly<Record<string, 'json' | 'text' | 'bytes' | 'none'>>
  /** Alternatives, each the names of what must be sent together. Default: nothing is sent. */
  readonly security?: readonly (readonly string[])[]
}

/** How a value with parts is written, as OpenAPI names it. */
export type OpenApiStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

/** A field of the payload that is a parameter. */
export interface OpenApiParameter {
  readonly field: string
  /** What the API calls it. Default: as the field. */
  readonly name?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Default: `form` in query and cookie, `simple` in path and header. */
  readonly style?: OpenApiStyle
  /** Default: true for `form` alone. */
  readonly explode?: boolean
  /** Whether characters that mean something in a URL stay as they are. Default: no. */
  readonly reserved?: true
  /** Whether it is written as JSON. Default: no. */
  readonly json?: true
}

/** The body of a request. */
export interface OpenApiBody {
  /** The media type. */
  readonly type: string
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** The field of the payload that is the body. Default: `fields` are its fields. */
  readonly field?: string
  /** The fields of the payload that are fields of the body. Default: none. */
  readonly fields?: readonly string[]
  /** Payload field → what the body calls it, where that differs. */
  readonly names?: Readonly<Record<string, string>>
  /** How fields of a form are written, by the body's names of them. Default: the usual way. */
  readonly parts?: Readonly<Record<string, OpenApiPart>>
  /** Whether a body is sent where the payload has none of its fields. Default: no. */
  readonly required?: true
}

/** How one field of a form is written. */
export interface OpenApiPart {
  /** The media type of a part of a multipart body; that of JSON of a field of a form. Default: what the value is. */
  readonly type?: string
  readonly style?: OpenApiStyle
  readonly explode?: boolean
  /** Whether the payload has it as base64, and the part is the bytes. Default: no. */
  readonly bytes?: true
}
