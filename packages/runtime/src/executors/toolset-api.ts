import type { ToolsetDescriptor } from '../types/tool.js'

/** How the tools of a toolset are operations of an HTTP API, as generated code describes it. */
export interface ToolsetApi {
  readonly toolset: ToolsetDescriptor
  /** The base URL that the document names; absent where it names none that stands alone. */
  readonly server?: string
  /** The ways in which callers may prove who they are, by name. */
  readonly security?: Readonly<Record<string, ApiSecurity>>
  /** By tool name of the toolset. */
  readonly operations: Readonly<Record<string, ApiOperation>>
}

/** How a credential is sent. OAuth 2 and OpenID Connect send a bearer token. */
export type ApiSecurity =
  | { readonly type: 'apiKey'; readonly in: 'query' | 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'bearer' }
  | { readonly type: 'basic' }

/** One operation of an API, and where the fields of its tool's payload go. */
export interface ApiOperation {
  /** In capitals. */
  readonly method: string
  /** With `{name}` for each parameter in it. */
  readonly path: string
  /** The base URL where it is another one than that of the toolset. */
  readonly server?: string
  readonly parameters?: readonly ApiParameter[]
  readonly body?: ApiBody
  /** What is answered, by status: `200`, `2XX` or `default`. A status that is missing here: what the answer says of itself. */
  readonly answers?: Readonly<Record<string, ApiAnswerKind>>
  /** Alternatives, each the names of what must be sent together. */
  readonly security?: readonly (readonly string[])[]
}

/** How a value with parts is written as a parameter. */
export type ParameterStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

/** A field of the payload that is a parameter. */
export interface ApiParameter {
  /** The field of the payload. */
  readonly field: string
  /** What the API calls it. Default: as the field. */
  readonly name?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Default: `form` in query and cookie, `simple` in path and header. */
  readonly style?: ParameterStyle
  /** Whether each part is written as a value of its own. Default: true for `form` alone. */
  readonly explode?: boolean
  /** Whether characters that mean something in a URL stay as they are. */
  readonly reserved?: true
  /** Whether it is written as JSON whatever its value. */
  readonly json?: true
}

/** What a request carries beside its parameters. */
export interface ApiBody {
  /** The media type. */
  readonly type: string
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** The field of the payload that is the body. Absent: {@link ApiBody.fields} are. */
  readonly field?: string
  /** The fields of the payload that are fields of the body. */
  readonly fields?: readonly string[]
  /** Payload field → what the body calls it, where that differs. */
  readonly names?: Readonly<Record<string, string>>
  /** How fields of a form are written where that is not the usual way, by the body's name of them. */
  readonly parts?: Readonly<Record<string, ApiPart>>
  /** Whether a body is sent where the payload has none of its fields. */
  readonly required?: true
}

/** How one field of a form is written. */
export interface ApiPart {
  /** The media type of a part of a multipart body; that of JSON of a field of a form. Default: what the value is. */
  readonly type?: string
  readonly style?: ParameterStyle
  readonly explode?: boolean
  /** Whether the payload has it as base64, and the part is the bytes. */
  readonly bytes?: true
}

/** What an answer's body is: `bytes` become base64; `none` is not read, and the result is null. */
export type ApiAnswerKind = 'json' | 'text' | 'bytes' | 'none'
