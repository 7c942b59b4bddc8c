import { array, boolean, type Check, invalid, name, object, oneOf, quoted, record, schema } from './checks.js'
import type { SchemaValue } from './tool.js'

/** HTTP API of a toolset: base URL, authentication, and the operation of each tool. */
export interface OpenApiSource<Tool extends string = string> {
  /** Base URL of the API. If omitted, the application must set the option `baseUrl` at the registration of the agent. */
  readonly server?: string
  /** Authentication schemes by name. Operations refer to these names. Default: no schemes. */
  readonly security?: Readonly<Record<string, OpenApiSecurity>>
  /** API operation that each tool calls, by tool name. Every tool needs an operation. */
  readonly operations: { readonly [Name in Tool]: OpenApiOperation }
}

/** Authentication scheme of an HTTP API, such as an API key in a header. For OAuth 2 and OpenID Connect, use `bearer`. */
export type OpenApiSecurity =
  | { readonly type: 'apiKey'; readonly in: 'query' | 'header' | 'cookie'; readonly name: string }
  | { readonly type: 'bearer' }
  | { readonly type: 'basic' }

export interface OpenApiOperation {
  /** HTTP method in upper case, such as `GET`. */
  readonly method: string
  /** Path with `{name}` for each path parameter, such as `/orders/{orderId}`. */
  readonly path: string
  /** Base URL of this operation. Default: the `server` of the toolset. */
  readonly server?: string
  readonly parameters?: readonly OpenApiParameter[]
  readonly body?: OpenApiBody
  /**
   * Format of the response body, by HTTP status (`200`, `2XX` or `default`). Default: derived from the `Content-Type` of the response.
   */
  readonly responses?: Readonly<Record<string, 'json' | 'text' | 'bytes' | 'none'>>
  /**
   * Schema of the response body, by error status (`404`, `4XX` or `default`). The generator derives the error types of the generated client
   * from these schemas. Default: no schemas.
   */
  readonly errors?: Readonly<Record<string, SchemaValue>>
  /** `operationId` in the OpenAPI document. `issues/create` becomes the method `issues.create` of the generated client. Default: no id. */
  readonly id?: string
  /**
   * Alternative ways of authentication. Each alternative lists the scheme names that one request uses together. Default: no authentication.
   */
  readonly security?: readonly (readonly string[])[]
}

type OpenApiStyle = 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject'

interface OpenApiParameter {
  readonly field: string
  /** Name of the parameter in the API. Default: the name of the payload field. */
  readonly name?: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Serialization style of the parameter. Default: `form` in query and cookie, `simple` in path and header. */
  readonly style?: OpenApiStyle
  /**
   * `true` sends each array item and object field as a separate parameter, such as `id=1&id=2`. Default: `true` for the style `form`, `false`
   * for other styles.
   */
  readonly explode?: boolean
  /** `true` sends reserved URL characters, such as `/` and `?`, without percent-encoding. Default: `false`. */
  readonly reserved?: true
  readonly json?: true
}

interface OpenApiBody {
  readonly type: string
  readonly as: 'json' | 'form' | 'multipart' | 'text' | 'bytes'
  /** Payload field whose value is the whole body. If omitted, the body consists of the payload fields in `fields`. */
  readonly field?: string
  readonly fields?: readonly string[]
  /** Payload field → name of the field in the request body. Default: the same name. */
  readonly names?: Readonly<Record<string, string>>
  /** Name of a form field in the body → serialization of its value. Default: the serialization that OpenAPI prescribes. */
  readonly parts?: Readonly<Record<string, OpenApiPart>>
  /** `true` sends a body even if the payload contains no field of the body. Default: `false`. */
  readonly required?: true
}

interface OpenApiPart {
  /** Media type of this part of a multipart body, or of a form field in JSON format. Default: derived from the value. */
  readonly type?: string
  /** Serialization style of the form field. Default: `form`. */
  readonly style?: OpenApiStyle
  /**
   * `true` sends array items and object fields separately. Default: `true` in multipart bodies and for the style `form`, `false` for all other
   * styles.
   */
  readonly explode?: boolean
  /** `true` decodes the base64 string in the payload and sends the bytes. Default: `false`. */
  readonly bytes?: true
}

const style = oneOf(['simple', 'label', 'matrix', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject'])

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

export const openApiSource: Check<OpenApiSource> = object({ operations: record(operation) }, { server: name, security })

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
