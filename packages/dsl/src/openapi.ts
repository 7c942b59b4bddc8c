import { array, boolean, type Check, invalid, name, object, oneOf, quoted, record } from './checks.js'

/** Maps the tools of a toolset to the operations of an HTTP API. */
export interface OpenApiSource<Tool extends string = string> {
  /** Base URL of the API. Default: none; then the application gives one. */
  readonly server?: string
  /** The ways to send credentials, by name. Default: none. */
  readonly security?: Readonly<Record<string, OpenApiSecurity>>
  /** Tool → its operation; every tool has one. */
  readonly operations: { readonly [Name in Tool]: OpenApiOperation }
}

/** A way to send a credential; OAuth 2 and OpenID Connect send a bearer token. */
export type OpenApiSecurity =
  | { readonly type: 'apiKey'; readonly in: 'query' | 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'bearer' }
  | { readonly type: 'basic' }

/** An operation of an API, with the parts of the request that the fields of the tool's payload fill. */
export interface OpenApiOperation {
  /** In capitals, e.g. `GET`. */
  readonly method: string
  /** With `{name}` for each parameter in it. */
  readonly path: string
  /** The base URL, if it differs from the toolset's. */
  readonly server?: string
  /** The fields that are parameters. Default: none. */
  readonly parameters?: readonly OpenApiParameter[]
  /** The body of the request. Default: none. */
  readonly body?: OpenApiBody
  /** Kind of the response by status: `200`, `2XX` or `default`. Default: as its `content-type` says. */
  readonly responses?: Readonly<Record<string, 'json' | 'text' | 'bytes' | 'none'>>
  /** Alternatives, each the names of the credentials to send together. Default: nothing is sent. */
  readonly security?: readonly (readonly string[])[]
}

/** A serialization style of OpenAPI. */
type OpenApiStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

/** A field of the payload that is a parameter. */
interface OpenApiParameter {
  readonly field: string
  /** The API's name of it. Default: as the field. */
  readonly name?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Default: `form` in query and cookie, `simple` in path and header. */
  readonly style?: OpenApiStyle
  /** Default: true for `form` alone. */
  readonly explode?: boolean
  /** Reserved characters of URLs stay as they are. Default: false. */
  readonly reserved?: true
  /** The value is written as JSON. Default: false. */
  readonly json?: true
}

/** The body of a request. */
interface OpenApiBody {
  /** The media type. */
  readonly type: string
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** The field of the payload that is the body. Default: `fields` are its fields. */
  readonly field?: string
  /** The fields of the payload that are fields of the body. Default: none. */
  readonly fields?: readonly string[]
  /** Payload field → the body's name of it, if it differs. */
  readonly names?: Readonly<Record<string, string>>
  /** Serialization of single fields of a form, by the body's names of them. Default: the usual one. */
  readonly parts?: Readonly<Record<string, OpenApiPart>>
  /** A body is sent even if the payload has none of its fields. Default: false. */
  readonly required?: true
}

/** The serialization of one field of a form. */
interface OpenApiPart {
  /** The media type of a part of a multipart body; for a field of a form, a JSON type. Default: by the value. */
  readonly type?: string
  readonly style?: OpenApiStyle
  readonly explode?: boolean
  /** The payload has it as base64, and the part is the bytes. Default: false. */
  readonly bytes?: true
}

const style = oneOf(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject'])

/** Adds to a check that the `name` (default: the `field`) is valid where the value is `in` a header or cookie. */
function sent(fields: Check<Readonly<Record<string, unknown>>>): Check {
  return (value, at) => {
    const checked = fields(value, at)
    const { in: location, field, name = field } = checked
    if (location !== 'header' && location !== 'cookie') return checked
    if (typeof name !== 'string' || /^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return checked
    throw invalid(`${at}.name`, `${quoted(name)} is not a valid name of a ${location}`, 'Use letters, digits and "-"')
  }
}

const parameter = sent(
  object(
    { field: name, in: oneOf(['path', 'query', 'header', 'cookie']) },
    { name, style, explode: boolean, reserved: boolean, json: boolean },
  ),
)

const body = object(
  { type: name, as: oneOf(['json', 'form', 'multipart', 'text', 'bytes']) },
  {
    field: name,
    fields: array(name),
    names: record(name),
    parts: record(object({}, { type: name, style, explode: boolean, bytes: boolean })),
    required: boolean,
  },
)

const operation = object(
  { method: name, path: name },
  {
    server: name,
    parameters: array(parameter),
    body,
    responses: record(oneOf(['json', 'text', 'bytes', 'none'])),
    security: array(array(name)),
  },
)

const security = record(
  sent(object({ type: oneOf(['apiKey', 'bearer', 'basic']) }, { in: oneOf(['query', 'header', 'cookie']), name })),
)

/** Checks the `openapi` of a toolset. */
export const openApiSource: Check<OpenApiSource> = object({ operations: record(operation) }, { server: name, security })

/** Throws unless every tool has an operation, and every operation is one of a tool. */
export function checkOperations({ operations }: OpenApiSource, tools: readonly string[], at: string): void {
  const known = Object.keys(operations)
  const missing = tools.find((tool) => !known.includes(tool))
  if (missing !== undefined) {
    throw invalid(`${at}.operations`, `has no operation for ${quoted(missing)}`, 'Add one: { method, path }')
  }
  const unknown = known.find((tool) => !tools.includes(tool))
  if (unknown !== undefined) {
    throw invalid(`${at}.operations`, `names ${quoted(unknown)}, which is no tool of the toolset`, 'Remove it')
  }
}
