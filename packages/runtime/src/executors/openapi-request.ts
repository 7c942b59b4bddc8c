import { ToolFailure } from '../call/tool-failure.js'
import { isFields } from '../schema/json-values.js'
import type { JsonObject, JsonValue } from '../types/json.js'
import { base64ToBytes } from './conversions.js'
import type {
  ApiBody,
  ApiCall,
  ApiCredential,
  ApiOperation,
  ApiParameter,
  ApiPart,
  ApiSecurity,
  ParameterStyle,
  PerCall,
} from './openapi-api.js'

/** Credential at its location in a request. */
interface PlacedCredential {
  readonly in: 'query' | 'header' | 'cookie'
  readonly name: string
  readonly value: string
}

/** The parts of a request that come from the application. */
interface RequestContext {
  /** The base URL. */
  readonly base: string
  readonly headers: Readonly<Record<string, string>>
  readonly credentials: readonly PlacedCredential[]
}

/** A request before it is sent. */
export interface ApiRequest {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: string | FormData | Uint8Array<ArrayBuffer> | undefined
}

/**
 * Builds the request of an operation.
 *
 * @throws {ToolFailure} `invalid_arguments` for a value that the request cannot hold
 * @throws {TypeError} for a header of the application that no request can hold; the message does not quote it
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
    // A name may have a slash.
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

/** Expands `{name}`. A URL is read with `..` and empty parts: a value must stay within its own part of the path. */
function expandedSegment(segment: string, inPath: ReadonlyMap<string, WrittenParameter>): string {
  let last: string | undefined
  const expanded = segment.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const written = inPath.get(name)
    if (written === undefined) throw refusedArgument(name, 'is a part of the address and must have a value')
    last = written.field
    if (written.text === '') throw refusedArgument(last, 'is a part of the address and must not be empty')
    return written.text
  })
  if (last !== undefined && /^(?:\.|%2e){1,2}$/i.test(expanded)) {
    throw refusedArgument(last, 'is a part of the address and must not be "." or ".."')
  }
  return expanded
}

/** Returns the headers. Parameters come first, so that no model can replace a header or cookie of the application. */
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

/** Returns `true` for a text that `Headers` accepts: its error quotes any other. */
function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7E\x80-\xFF]*$/.test(text)
}

const NOT_HEADER_TEXT = 'is sent as a header, which has neither line breaks nor letters beyond Latin-1'

/**
 * Returns the assignments of a query or of cookies without those to some names. The application's value of a name must be the
 * only one: each server decides by itself which of two counts.
 *
 * @param texts such as `a=1` or `a=1&b=2`, encoded
 */
function assignmentsExcept(names: readonly string[], texts: readonly string[]): readonly string[] {
  if (names.length === 0) return texts
  return texts
    .map((text) => text.split('&').filter((assignment) => !names.includes(assignedName(assignment))))
    .filter((others) => others.length > 0)
    .map((others) => others.join('&'))
}

/** Returns the name in an assignment, as a server reads it. */
function assignedName(assignment: string): string {
  const [name = ''] = assignment.split('=', 1)
  try {
    return decodeURIComponent(name.trim().replaceAll('+', ' '))
  } catch {
    // A base URL may have a `%` that encodes nothing.
    return name
  }
}

/** Returns the credentials of the first alternative for which all are present; none if there is no such alternative. */
export async function credentialsFor(
  alternatives: readonly (readonly string[])[],
  schemes: Readonly<Record<string, ApiSecurity>>,
  auth: Readonly<Record<string, PerCall<ApiCredential>>>,
  call: ApiCall,
): Promise<readonly PlacedCredential[]> {
  for (const names of alternatives) {
    const placed: PlacedCredential[] = []
    for (const name of names) {
      const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined
      const credential = Object.hasOwn(auth, name) ? await perCall(auth[name], call) : undefined
      if (scheme === undefined || credential === undefined) break
      placed.push(placedCredential(name, scheme, credential))
    }
    if (placed.length === names.length && names.length > 0) return placed
  }
  return []
}

/** Returns the value of an option for one call. */
export async function perCall<Value extends object | string | undefined>(
  option: PerCall<Value>,
  call: ApiCall,
): Promise<Value> {
  return typeof option === 'function' ? option(call) : option
}

function placedCredential(name: string, scheme: ApiSecurity, credential: NonNullable<ApiCredential>): PlacedCredential {
  if (scheme.type === 'basic') {
    if (typeof credential === 'string') throw new TypeError(`auth.${name} must be { username, password }`)
    const encoded = Buffer.from(`${credential.username}:${credential.password}`).toString('base64')
    return { in: 'header', name: 'authorization', value: `Basic ${encoded}` }
  }
  if (typeof credential !== 'string') throw new TypeError(`auth.${name} must be a text`)
  const placed: PlacedCredential =
    scheme.type === 'bearer'
      ? { in: 'header', name: 'authorization', value: `Bearer ${credential}` }
      : { in: scheme.in, name: scheme.name, value: credential }
  if (placed.in === 'header' && !isHeaderText(credential)) throw new TypeError(`auth.${name} ${NOT_HEADER_TEXT}`)
  return placed
}

/** A parameter that the payload has. */
interface WrittenParameter {
  /** The field of the payload. */
  readonly field: string
  /** Its name in the API. */
  readonly name: string
  /** In query and cookie and in the style `matrix` with its name. */
  readonly text: string
}

/**
 * Writes the parameters of one location that the payload has, in their order.
 *
 * @throws {ToolFailure} for a value that its style cannot write
 */
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
    // No header is percent-encoded.
    const encode = location === 'header' ? (text: string) => text : encodeInUrl
    const text = styledValue(name, value, { style, explode, encode })
    return text === undefined ? [] : [{ field, name, text }]
  })
}

/** Serialization of one value. */
interface ValueStyle {
  readonly style: ParameterStyle
  readonly explode: boolean
  /** Encodes a name or a part of a value for its location. */
  readonly encode: (text: string) => string
}

/**
 * Writes a value in a style of OpenAPI, by its table of styles and RFC 6570: with its name if the style has one
 * (`color=blue`, `;color=blue`), without in `simple` and `label`. Parts of parts are JSON, which OpenAPI leaves open.
 *
 * @returns `undefined` for null, and for an array or an object without parts
 */
export function styledValue(name: string, value: unknown, { style, explode, encode }: ValueStyle): string | undefined {
  if (value === undefined || value === null) return undefined
  const key = encode(name)
  const isObject = isFields(value)
  const entries: readonly (readonly [string, unknown])[] = isObject
    ? Object.entries(value).map(([field, part]) => [encode(field), part])
    : [value].flat().map((part) => [key, part])
  const pairs = entries
    .filter(([, part]) => part !== null)
    .map(([field, part]) => [field, encode(textOf(part))] as const)
  if (pairs.length === 0) return undefined
  const assigned = (delimiter: string): string => pairs.map(([field, part]) => `${field}=${part}`).join(delimiter)
  const joined = (delimiter: string): string =>
    pairs.flatMap(([field, part]) => (isObject ? [field, part] : part)).join(delimiter)
  const exploded = (delimiter: string): string => (isObject ? assigned(delimiter) : joined(delimiter))
  switch (style) {
    case 'simple':
      return explode ? exploded(',') : joined(',')
    case 'label':
      return `.${explode ? exploded('.') : joined(',')}`
    case 'matrix':
      // RFC 6570: without `=` where there is no value.
      return `;${explode ? assigned(';') : `${key}=${joined(',')}`}`.replace(/=(?=;|$)/g, '')
    case 'form':
      return explode ? assigned('&') : `${key}=${joined(',')}`
    case 'spaceDelimited':
      return explode ? assigned('&') : `${key}=${joined(encode(' '))}`
    case 'pipeDelimited':
      return explode ? assigned('&') : `${key}=${joined(encode('|'))}`
    case 'deepObject':
      return isObject ? deepAssignments(name, value, encode).join('&') : assigned('&')
  }
}

/** OpenAPI defines one level; deeper levels continue in the same way, arrays by repetition. */
function deepAssignments(name: string, value: unknown, encode: ValueStyle['encode']): readonly string[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => deepAssignments(name, item, encode))
  if (!isFields(value)) return [`${encode(name)}=${encode(textOf(value))}`]
  return Object.entries(value).flatMap(([field, part]) => deepAssignments(`${name}[${field}]`, part, encode))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Percent-encodes everything except unreserved characters (RFC 3986). Unpaired surrogates become U+FFFD. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** The same, but reserved characters stay, except those that would end the value or begin another one. */
export function reservedKept(text: string): string {
  return percentEncoded(text).replace(/%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|3D)/g, decodeURIComponent)
}

/** Encodes for a form: a space is `+`. */
export function formEncoded(text: string): string {
  return percentEncoded(text).replaceAll('%20', '+')
}

/** OpenAPI cannot write a part that contains the delimiter of its style: a reader would see two parts. */
function requireWritable(field: string, value: unknown, style: ParameterStyle, explode: boolean): void {
  if (explode || (style !== 'spaceDelimited' && style !== 'pipeDelimited')) return
  const [delimiter, description] = style === 'spaceDelimited' ? [' ', 'spaces'] : ['|', '"|"']
  const parts = isFields(value) ? Object.entries(value).flat() : value
  if (!Array.isArray(parts) || !parts.some((part) => textOf(part).includes(delimiter))) return
  throw refusedArgument(field, `is sent with ${description} between its parts, so that none of these may have any`)
}

/** Returns the failure of an argument that its schema accepts and no request can hold. */
function refusedArgument(field: string, why: string): ToolFailure {
  return new ToolFailure(`${JSON.stringify(field)} ${why}.`, { reason: 'invalid_arguments', noExample: true })
}

/** A body with its media type; a multipart body has none, since it names its own boundary. */
interface RequestBody {
  readonly body: NonNullable<ApiRequest['body']>
  readonly type?: string
}

type BodyFields = readonly (readonly [name: string, value: JsonValue])[]
type BodyParts = NonNullable<ApiBody['parts']>

function requestBody(body: ApiBody, payload: JsonObject): RequestBody | undefined {
  const { type, as, field = 'body', parts = {} } = body
  const value = bodyValue(body, payload)
  // JSON alone has a text for null.
  if (value === undefined || (value === null && as !== 'json')) return undefined
  switch (as) {
    case 'json':
      return { body: JSON.stringify(value), type }
    case 'text':
      return { body: textOf(value), type }
    case 'bytes':
      return { body: bytesOf(field, value), type }
    case 'form':
      return { body: formText(fieldsOf(value), parts), type }
    case 'multipart':
      return { body: formData(fieldsOf(value), parts) }
  }
}

function bodyValue({ field, fields = [], names = {}, required }: ApiBody, payload: JsonObject): JsonValue | undefined {
  if (field !== undefined) return Object.hasOwn(payload, field) ? payload[field] : undefined
  const present = fields
    .filter((name) => Object.hasOwn(payload, name) && payload[name] !== undefined)
    .map((name) => [Object.hasOwn(names, name) ? names[name] : name, payload[name]])
  return present.length > 0 || required === true ? Object.fromEntries(present) : undefined
}

function fieldsOf(value: JsonValue): BodyFields {
  if (!isFields(value)) throw refusedArgument('body', 'is sent as a form and must be an object')
  return Object.entries(value)
}

function partOf(parts: BodyParts, name: string): ApiPart {
  return (Object.hasOwn(parts, name) ? parts[name] : undefined) ?? {}
}

/** OpenAPI: parts of a field are values of their own, and a part with parts is JSON. */
function formText(fields: BodyFields, parts: BodyParts): string {
  const assignments = fields.map(([name, value]) => {
    const part = partOf(parts, name)
    const { style = 'form', explode = style === 'form' } = part
    const isJson =
      part.type === undefined ? isFields(value) && part.style === undefined : isJsonType(mediaType(part.type))
    const plain = isJson ? JSON.stringify(value) : value
    requireWritable(name, plain, style, explode)
    return styledValue(name, plain, { style, explode, encode: formEncoded })
  })
  return assignments.filter((assignment) => assignment !== undefined).join('&')
}

function formData(fields: BodyFields, parts: BodyParts): FormData {
  const form = new FormData()
  for (const [name, value] of fields) {
    const part = partOf(parts, name)
    requireWritable(name, value, part.style ?? 'form', part.explode ?? true)
    for (const item of partItems(value, part)) {
      // Without a media type a part is a field. A part with one is a `Blob`, to which `FormData` adds a file name.
      if (part.bytes === true) {
        form.append(name, new Blob([bytesOf(name, item)], { type: part.type ?? 'application/octet-stream' }), name)
      } else if (part.type === undefined) form.append(name, textOf(item))
      else form.append(name, new Blob([textOf(item)], { type: part.type }))
    }
  }
  return form
}

/** Returns the parts of the body for a value: each item of an array, unless these are written as one text. */
function partItems(value: JsonValue, { style, explode }: ApiPart): readonly JsonValue[] {
  const items = [value].flat().filter((item) => item !== null)
  if (!Array.isArray(value) || explode !== false || items.length === 0) return items
  const delimiters: Partial<Record<ParameterStyle, string>> = { spaceDelimited: ' ', pipeDelimited: '|' }
  return [items.map(textOf).join(delimiters[style ?? 'form'] ?? ',')]
}

function bytesOf(field: string, value: JsonValue): Uint8Array<ArrayBuffer> {
  try {
    if (typeof value === 'string') return base64ToBytes(value)
  } catch {
    // The model receives the failure below.
  }
  throw refusedArgument(field, 'must be bytes as base64')
}

/** Returns a media type in lower case, without parameters; empty for none. */
export function mediaType(text: string | null): string {
  return text?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Returns `true` for the media type of JSON, such as `application/problem+json`. */
export function isJsonType(type: string): boolean {
  return /^(?:application|text)\/(?:json|.+\+json)$/.test(type)
}
