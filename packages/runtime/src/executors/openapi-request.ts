import type { JsonObject } from '../types/json.js'
import type { ApiOperation, ApiParameter } from './openapi-api.js'
import { type RequestBody, requestBody } from './openapi-body.js'
import { isHeaderText, NOT_HEADER_TEXT, type PlacedCredential } from './openapi-credentials.js'
import { percentEncoded, refusedArgument, requireWritable, reservedKept, styledValue } from './styled-value.js'

interface RequestContext {
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: readonly PlacedCredential[]
}

export interface ApiRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: RequestBody['body'] | undefined
}

/**
 * @throws {ToolFailure} `invalid_arguments` if the request cannot represent a value of the payload
 * @throws {TypeError} if a header of the application is invalid; the message does not quote the header's value
 */
export function buildRequest(operation: ApiOperation, payload: JsonObject, context: RequestContext): ApiRequest {
  const body = operation.body && requestBody(operation.body, payload)
  return {
    method: operation.method,
    url: requestUrl(operation, payload, context),
    headers: requestHeaders(operation.parameters ?? [], payload, body?.type, context),
    body: body?.body,
  }
}

function requestUrl(
  { path, parameters = [] }: ApiOperation,
  payload: JsonObject,
  { base, credentials }: RequestContext,
): URL {
  const inPath = new Map(writtenParameters(parameters, 'path', payload).map((written) => [written.name, written]))
  const expanded = path
    // Names of parameters can contain a slash.
    .split(/\/(?![^{}]*\})/)
    .map((segment) => expandedSegment(segment, inPath))
    .join('/')
  const [server = '', serverQuery = ''] = base.split('?', 2)
  const [pathname = '', pathQuery = ''] = expanded.split('?', 2)
  const inQuery = writtenParameters(parameters, 'query', payload).map(({ text }) => text)
  const secrets = credentials.filter((credential) => credential.in === 'query')
  const names = secrets.map(({ name }) => name)
  const assignments = [serverQuery, pathQuery, ...inQuery].filter((text) => text !== '')
  const search = [
    ...assignmentsExcept(names, assignments),
    ...secrets.map(({ name, value }) => `${percentEncoded(name)}=${percentEncoded(value)}`),
  ].join('&')
  return new URL(`${server.replace(/\/+$/, '')}${pathname}${search === '' ? '' : `?${search}`}`)
}

/** Rejects values that would change the path of the URL, such as `..`. */
function expandedSegment(segment: string, inPath: ReadonlyMap<string, WrittenParameter>): string {
  let last: string | undefined
  const expanded = segment.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const written = inPath.get(name)
    if (written === undefined) throw refusedArgument(name, 'is part of the URL and must have a value')
    last = written.field
    if (written.text === '') throw refusedArgument(last, 'is part of the URL and must not be empty')
    return written.text
  })
  if (last !== undefined && /^(?:\.|%2e){1,2}$/i.test(expanded)) {
    throw refusedArgument(last, 'is part of the URL and must not be "." or ".."')
  }
  return expanded
}

function requestHeaders(
  parameters: readonly ApiParameter[],
  payload: JsonObject,
  contentType: string | undefined,
  context: RequestContext,
): Headers {
  const headers = new Headers()
  for (const { name, text, field } of writtenParameters(parameters, 'header', payload)) {
    if (!isHeaderText(text)) throw refusedArgument(field, NOT_HEADER_TEXT)
    headers.set(name, text)
  }
  const secretHeaders = context.credentials.filter((credential) => credential.in === 'header')
  const accepted = { accept: 'application/json, */*;q=0.5', ...(contentType && { 'content-type': contentType }) }
  const ofApplication = [...Object.entries(accepted), ...Object.entries(context.headers)]
  for (const [name, value] of [...ofApplication, ...secretHeaders.map((each) => [each.name, each.value] as const)]) {
    if (!isHeaderText(value)) throw new TypeError(`headers[${JSON.stringify(name)}] ${NOT_HEADER_TEXT}`)
    headers.set(name, value)
  }
  const secrets = context.credentials.filter((credential) => credential.in === 'cookie')
  const names = secrets.map(({ name }) => name)
  const ofHeader = (headers.get('cookie') ?? '').split(/;\s*/).filter((pair) => pair !== '')
  const ofPayload = writtenParameters(parameters, 'cookie', payload).map(({ text }) => text)
  const cookies = [
    ...assignmentsExcept([...names, ...ofHeader.map(assignedName)], ofPayload),
    ...secrets.map(({ name, value }) => `${name}=${percentEncoded(value)}`),
    ...ofHeader.filter((pair) => !names.includes(assignedName(pair))),
  ]
  if (cookies.length > 0) headers.set('cookie', cookies.join('; '))
  return headers
}

/**
 * The request must contain only one value for a credential, because with two values, some servers use the first value and other servers use the last
 * value.
 */
function assignmentsExcept(names: readonly string[], texts: readonly string[]): readonly string[] {
  if (names.length === 0) return texts
  return texts
    .map((text) => text.split('&').filter((assignment) => !names.includes(assignedName(assignment))))
    .filter((others) => others.length > 0)
    .map((others) => others.join('&'))
}

function assignedName(assignment: string): string {
  const [name = ''] = assignment.split('=', 1)
  try {
    return decodeURIComponent(name.trim().replaceAll('+', ' '))
  } catch {
    // A base URL can contain a `%` that is not an escape.
    return name
  }
}

interface WrittenParameter {
  readonly field: string
  readonly name: string
  /** In queries, in cookies, and with the style `matrix`, the text also contains the name of the parameter. */
  readonly text: string
}

function writtenParameters(
  parameters: readonly ApiParameter[],
  location: ApiParameter['in'],
  payload: JsonObject,
): readonly WrittenParameter[] {
  const isAssigned = location === 'query' || location === 'cookie'
  return parameters.flatMap((parameter) => {
    const { field, name = field, style = isAssigned ? 'form' : 'simple', explode = style === 'form' } = parameter
    if (parameter.in !== location || !Object.hasOwn(payload, field)) return []
    const value = parameter.json === true ? JSON.stringify(payload[field]) : payload[field]
    requireWritable(field, value, style, explode)
    const encodeInUrl = parameter.reserved === true ? reservedKept : percentEncoded
    // Headers are not percent-encoded.
    const encode = location === 'header' ? (text: string) => text : encodeInUrl
    const text = styledValue(name, value, { style, explode, encode })
    return text === undefined ? [] : [{ field, name, text }]
  })
}
