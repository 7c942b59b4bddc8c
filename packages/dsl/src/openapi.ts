import { array, boolean, type Check, invalid, name, object, oneOf, quoted, record, schema } from './checks.js'
import type { SchemaValue } from './tool.js'

/** HTTP API of a toolset: base URL, authentication, and the operation of each tool. */
export interface OpenApiSource<Tool extends string = string> {
  /** Base URL of the API. Without it, the application must set the option `baseUrl` when it registers the agent. */
  readonly server?: string
  /** Scheme name → authentication scheme. Operations refer to these names. Default: none. */
  readonly security?: Readonly<Record<string, OpenApiSecurity>>
  /** Tool name → API operation that the tool calls. Every tool needs an operation. */
  readonly operations: { readonly [Name in Tool]: OpenApiOperation }
}

/** Authentication scheme: how a request sends the credential. For OAuth 2 and OpenID Connect, use `bearer`. */
export type OpenApiSecurity =
  | { readonly type: 'apiKey'; readonly in: 'query' | 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'bearer' }
  | { readonly type: 'basic' }

/** Operation of an HTTP API: its method and path, and the part of the request in which each payload field is sent. */
export interface OpenApiOperation {
  /** HTTP method in upper case, such as `GET`. */
  readonly method: string
  /** Path with `{name}` for each path parameter. */
  readonly path: string
  /** Base URL of this operation, if it differs from the `server` of the toolset. */
  readonly server?: string
  /** Parameters of the request. Default: none. */
  readonly parameters?: readonly OpenApiParameter[]
  /** Body of the request. Default: none. */
  readonly body?: OpenApiBody
  /**
   * HTTP status (`200`, `2XX` or `default`) → format in which the response body is read. Default: derived from the `Content-Type` of the
   * response.
   */
  readonly responses?: Readonly<Record<string, 'json' | 'text' | 'bytes' | 'none'>>
  /**
   * Error status (`404`, `4XX` or `default`) → schema of the response body. The errors of the generated client get their types from these
   * schemas. Default: none.
   */
  readonly errors?: Readonly<Record<string, SchemaValue>>
  /** `operationId` of the OpenAPI document. `issues/create` becomes the method `issues.create` of the generated client. Default: none. */
  readonly id?: string
  /**
   * Alternatives for authentication. Each alternative is an array with the names of all schemes that one request uses together. Default:
   * none.
   */
  readonly security?: readonly (readonly string[])[]
}

type OpenApiStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

/** Parameter of a request. The payload field `field` supplies its value. */
interface OpenApiParameter {
  /** Name of the payload field. */
  readonly field: string
  /** Name of the parameter in the API. Default: the name of the payload field. */
  readonly name?: string
  /** Part of the request in which the parameter is sent. */
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Serialization style of the parameter. Default: `form` in query and cookie, `simple` in path and header. */
  readonly style?: OpenApiStyle
  /**
   * True to send each array item and object field as a separate parameter, such as `id=1&id=2`. Default: true for the style `form`,
   * otherwise false.
   */
  readonly explode?: boolean
  /** True to send reserved URL characters, such as `/` and `?`, without percent-encoding. Default: false. */
  readonly reserved?: true
  /** True to send the value as JSON. Default: false. */
  readonly json?: true
}

interface OpenApiBody {
  /** Media type of the body, such as `application/json`. */
  readonly type: string
  /** Format in which the body is sent. */
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** Payload field whose value is sent as the whole body. Default: none; the body then consists of the payload fields in `fields`. */
  readonly field?: string
  /** Payload fields whose values are sent as fields of the body. Default: none. */
  readonly fields?: readonly string[]
  /** Payload field → name of the field in the body, if the names differ. */
  readonly names?: Readonly<Record<string, string>>
  /** Name of a form field in the body → its serialization. Default: the serialization that OpenAPI prescribes. */
  readonly parts?: Readonly<Record<string, OpenApiPart>>
  /** True to send a body even if the payload has none of its fields. Default: false. */
  readonly required?: true
}

interface OpenApiPart {
  /** Media type of this part of a multipart body, or of a form field that is sent as JSON. Default: derived from the value. */
  readonly type?: string
  /** Serialization style of the form field. Default: `form`. */
  readonly style?: OpenApiStyle
  /** True to send array items and object fields separately. Default: true in a multipart body and for the style `form`, otherwise false. */
  readonly explode?: boolean
  /** True to decode the base64 string in the payload and send its bytes. Default: false. */
  readonly bytes?: true
}

const style = oneOf(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject'])

/**
 * Returns a check that adds a condition to the check `fields`: if `in` is `header` or `cookie`, `name` (default: `field`) must be a valid
 * name of a header or cookie.
 */
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

/** Validates schemas by error status. */
const errorBodies: Check = (value, at) => {
  const checked = record(schema)(value, at)
  const wrong = Object.keys(Object(checked)).find((key) => !/^(?:[345](?:\d\d|XX)|default)$/.test(key))
  if (wrong === undefined) return checked
  throw invalid(at, `${quoted(wrong)} is not an error status`, 'Use a status such as 404 or 4XX, or "default"')
}

const operation = object(
  { method: name, path: name },
  {
    server: name,
    parameters: array(parameter),
    body,
    responses: record(oneOf(['json', 'text', 'bytes', 'none'])),
    security: array(array(name)),
    errors: errorBodies,
    id: name,
  },
)

const security = record(
  sent(object({ type: oneOf(['apiKey', 'bearer', 'basic']) }, { in: oneOf(['query', 'header', 'cookie']), name })),
)

/** Validates the `openapi` of a toolset. */
export const openApiSource: Check<OpenApiSource> = object({ operations: record(operation) }, { server: name, security })

/** Throws an error if a tool has no operation, or an operation has no tool. */
export function checkOperations({ operations }: OpenApiSource, tools: readonly string[], at: string): void {
  const known = Object.keys(operations)
  const missing = tools.find((tool) => !known.includes(tool))
  if (missing !== undefined) {
    throw invalid(
      `${at}.operations`,
      `has no operation for the tool ${quoted(missing)}`,
      'Add an operation: { method, path }',
    )
  }
  const unknown = known.find((tool) => !tools.includes(tool))
  if (unknown !== undefined) {
    throw invalid(`${at}.operations`, `${quoted(unknown)} is not a tool of the toolset`, 'Remove it')
  }
}
