import { isFields } from '../schema/json-values.js'
import type { JsonObject, JsonValue } from '../types/json.js'
import { base64ToBytes } from './conversions.js'
import {
  type ApiCall,
  type ApiCredential,
  isJsonType,
  type PerCall,
  plainType,
  refusedArgument,
} from './openapi-api.js'
import {
  delimiterFault,
  formEncoded,
  percentEncoded,
  styledValue,
  type ValueStyle,
  type WrittenParameter,
  writtenParameters,
} from './openapi-parameters.js'
import type { ApiBody, ApiOperation, ApiParameter, ApiPart, ApiSecurity } from './toolset-api.js'

/**
 * The address of a request.
 *
 * @param base the base URL, without a query
 * @param credentials parameters of the query by name, in place of all others of these names
 * @throws {ToolFailure} `invalid_arguments` for a value that would lead to another path
 */
export function requestUrl(
  { path, parameters = [] }: Pick<ApiOperation, 'path' | 'parameters'>,
  payload: JsonObject,
  base: string,
  credentials: readonly (readonly [string, string])[],
): URL {
  const inPath = new Map(writtenParameters(parameters, 'path', payload).map((written) => [written.name, written]))
  const expanded = path
    // A name may have a slash.
    .split(/\/(?![^{}]*\})/)
    .map((segment) => expandedSegment(segment, inPath))
    .join('/')
  const [server = '', ofServer] = base.split('?', 2)
  const [place = '', ofPath] = expanded.split('?', 2)
  const given = [ofServer, ofPath, ...writtenParameters(parameters, 'query', payload).map(({ text }) => text)]
  const named = credentials.map(([name]) => name)
  const search = [
    ...otherAssignments(
      given.filter((part): part is string => part !== undefined && part !== ''),
      named,
    ),
    ...credentials.map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`),
  ].join('&')
  return new URL(`${server.replace(/\/+$/, '')}${place}${search === '' ? '' : `?${search}`}`)
}

/** A URL is read with `..` and empty parts: a value must stay within its own part of the path. */
function expandedSegment(segment: string, inPath: ReadonlyMap<string, WrittenParameter>): string {
  let last: string | undefined
  const expanded = segment.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const written = inPath.get(name)
    if (written === undefined) throw refusedArgument(name, 'is a part of the address and must have a value')
    last = written.parameter.field
    if (written.text === '') throw refusedArgument(last, 'is a part of the address and must not be empty')
    return written.text
  })
  if (last !== undefined && /^(?:\.|%2e){1,2}$/i.test(expanded)) {
    throw refusedArgument(last, 'is a part of the address and must not be "." or ".."')
  }
  return expanded
}

/** What is sent beside what the model gave: later ones win. */
interface GivenHeaders {
  /** By name. */
  readonly headers: readonly (readonly [string, string])[]
  /** By name. */
  readonly cookies: readonly (readonly [string, string])[]
}

/**
 * The headers of a request: first those that are parameters, so that no model can replace what the application gives.
 *
 * @throws {ToolFailure} `invalid_arguments` for a value that no header can have
 * @throws {TypeError} for such a value that the application gives, which it does not quote
 */
export function requestHeaders(
  parameters: readonly ApiParameter[],
  payload: JsonObject,
  { headers: given, cookies }: GivenHeaders,
): Headers {
  const headers = new Headers()
  for (const { name, text, parameter } of writtenParameters(parameters, 'header', payload)) {
    // What `Headers` would throw for, told as the argument's fault.
    if (!isHeaderText(text)) throw refusedArgument(parameter.field, noHeaderText)
    headers.set(name, text)
  }
  for (const [name, value] of given) {
    if (!isHeaderText(value)) throw new TypeError(`headers[${JSON.stringify(name)}] ${noHeaderText}`)
    headers.set(name, value)
  }
  const ofHeader = cookiesIn(headers)
  const credentials = cookies.map(([name]) => name)
  const pairs = [
    ...otherAssignments(
      writtenParameters(parameters, 'cookie', payload).map(({ text }) => text),
      [...credentials, ...ofHeader.map(assignedName)],
    ),
    ...cookies.map(([name, value]) => `${name}=${percentEncoded(value)}`),
    ...ofHeader.filter((pair) => !credentials.includes(assignedName(pair))),
  ]
  if (pairs.length > 0) headers.set('cookie', pairs.join('; '))
  return headers
}

/** Those that the application gives as one header. */
function cookiesIn(headers: Headers): readonly string[] {
  const cookie = headers.get('cookie')
  return cookie === null ? [] : cookie.split(/;\s*/).filter((pair) => pair !== '')
}

/** Where credentials go in a request. */
interface PlacedCredentials {
  readonly query: readonly (readonly [string, string])[]
  readonly headers: readonly (readonly [string, string])[]
  readonly cookies: readonly (readonly [string, string])[]
}

const none: PlacedCredentials = { query: [], headers: [], cookies: [] }

/** What of an API is needed to place credentials. */
interface CredentialScene {
  readonly schemes: Readonly<Record<string, ApiSecurity>>
  readonly auth: Readonly<Record<string, PerCall<ApiCredential>>>
}

/** The credentials of the first alternative of which all are given; none where there is no such alternative. */
export async function placedCredentials(
  alternatives: readonly (readonly string[])[],
  { schemes, auth }: CredentialScene,
  call: ApiCall,
): Promise<PlacedCredentials> {
  for (const names of alternatives) {
    const placed: PlacedCredentials[] = []
    for (const name of names) {
      const scheme = Object.hasOwn(schemes, name) ? schemes[name] : undefined
      const credential = Object.hasOwn(auth, name) ? await perCall(auth[name], call) : undefined
      if (scheme === undefined || credential === undefined) break
      placed.push(placedBy(scheme, name, credential))
    }
    if (placed.length === names.length && names.length > 0) return joined(placed)
  }
  return none
}

/** A value for one call, made where it is to be made. */
export async function perCall<Value>(given: PerCall<Value>, call: ApiCall): Promise<Value> {
  return isMade(given) ? given(call) : given
}

function isMade<Value>(given: PerCall<Value>): given is (call: ApiCall) => Value | Promise<Value> {
  return typeof given === 'function'
}

function placedBy(scheme: ApiSecurity, name: string, credential: NonNullable<ApiCredential>): PlacedCredentials {
  if (scheme.type === 'basic') return header('authorization', `Basic ${basic(name, credential)}`)
  const text = credentialText(name, credential)
  const isHeader = scheme.type === 'bearer' || scheme.in === 'header'
  if (isHeader && !isHeaderText(text)) throw new TypeError(`auth.${name} ${noHeaderText}`)
  if (scheme.type !== 'apiKey') return header('authorization', `Bearer ${text}`)
  const pair = [[scheme.name, text] as const]
  switch (scheme.in) {
    case 'query':
      return { ...none, query: pair }
    case 'header':
      return { ...none, headers: pair }
    case 'cookie':
      return { ...none, cookies: pair }
  }
}

function header(name: string, value: string): PlacedCredentials {
  return { ...none, headers: [[name, value]] }
}

/** A name and a password in the form of RFC 7617, in UTF-8. */
function basic(scheme: string, credential: NonNullable<ApiCredential>): string {
  if (typeof credential === 'string') throw wrongCredential(scheme, '{ username, password }')
  const bytes = new TextEncoder().encode(`${credential.username}:${credential.password}`)
  return btoa(String.fromCharCode(...bytes))
}

function credentialText(scheme: string, credential: NonNullable<ApiCredential>): string {
  if (typeof credential !== 'string') throw wrongCredential(scheme, 'a text')
  return credential
}

function wrongCredential(scheme: string, expected: string): TypeError {
  return new TypeError(`auth.${scheme} must be ${expected}`)
}

function joined(all: readonly PlacedCredentials[]): PlacedCredentials {
  return {
    query: all.flatMap(({ query }) => query),
    headers: all.flatMap(({ headers }) => headers),
    cookies: all.flatMap(({ cookies }) => cookies),
  }
}

/** Whether a header can have a value: `Headers` throws an error that quotes any other. */
function isHeaderText(text: string): boolean {
  return /^[\t\x20-\x7E\x80-\xFF]*$/.test(text)
}

/** What is said of one that it cannot. */
const noHeaderText = 'is sent as a header, which has neither line breaks nor letters beyond Latin-1'

/**
 * The assignments of queries or cookies, each by itself, without those to some names: what an application gives under a name is
 * the only one of it, since which of two counts is for each server to decide.
 *
 * @param texts such as `a=1` or `a=1&b=2`, encoded
 */
function otherAssignments(texts: readonly string[], names: readonly string[]): readonly string[] {
  if (names.length === 0) return texts
  return texts.flatMap((text) => {
    const others = text.split('&').filter((assignment) => !names.includes(assignedName(assignment)))
    return others.length === 0 ? [] : [others.join('&')]
  })
}

/** The name to which something is assigned, as a server reads it. */
function assignedName(assignment: string): string {
  const [name = ''] = assignment.split('=', 1)
  try {
    return decodeURIComponent(name.trim().replaceAll('+', ' '))
  } catch {
    // A base URL may have a `%` that encodes nothing.
    return name
  }
}

/** A body as it is sent. */
export interface RequestBody {
  readonly body: string | FormData | Uint8Array<ArrayBuffer>
  /** Absent for a multipart body, which names its own boundary. */
  readonly type?: string
}

/**
 * The body of a request; `undefined` where there is none.
 *
 * @throws {ToolFailure} for a text that should be base64 and is none, and for a value that its style cannot write
 */
export function requestBody(body: ApiBody, payload: JsonObject): RequestBody | undefined {
  const { type, as, parts = {}, required } = body
  const given = bodyValue(body, payload)
  const value = given === undefined && required === true && body.field === undefined ? {} : given
  // JSON alone has a text for null.
  if (value === undefined || (value === null && as !== 'json')) return undefined
  switch (as) {
    case 'json':
      return { body: JSON.stringify(value), type }
    case 'text':
      return { body: partText(value), type }
    case 'bytes':
      return { body: bytesOf(body.field ?? 'body', value), type }
    case 'form':
      return { body: formText(fieldsOf(value), parts), type }
    case 'multipart':
      return { body: formData(fieldsOf(value), parts) }
  }
}

function bodyValue({ field, fields = [], names = {} }: ApiBody, payload: JsonObject): JsonValue | undefined {
  if (field !== undefined) return Object.hasOwn(payload, field) ? payload[field] : undefined
  const present = fields.flatMap((name): readonly (readonly [string, JsonValue])[] => {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined
    return value === undefined ? [] : [[Object.hasOwn(names, name) ? (names[name] ?? name) : name, value]]
  })
  return present.length === 0 ? undefined : Object.fromEntries(present)
}

function fieldsOf(value: JsonValue): readonly (readonly [string, JsonValue])[] {
  if (!isFields(value)) throw refusedArgument('body', 'is sent as a form and must be an object')
  return Object.entries(value)
}

/** OpenAPI: parts of a field are values of their own, and what has parts itself is JSON. */
function formText(fields: readonly (readonly [string, JsonValue])[], parts: Readonly<Record<string, ApiPart>>): string {
  return fields
    .flatMap(([name, value]) => {
      const { type, style, explode } = partOf(parts, name)
      const isJson = type === undefined ? isFields(value) && style === undefined : isJsonType(plainType(type))
      const plain = isJson ? JSON.stringify(value) : value
      const used = { style: style ?? 'form', explode: explode ?? (style ?? 'form') === 'form', encode: formEncoded }
      requireWritable(name, plain, used)
      return styledValue(name, plain, used) ?? []
    })
    .join('&')
}

function formData(
  fields: readonly (readonly [string, JsonValue])[],
  parts: Readonly<Record<string, ApiPart>>,
): FormData {
  const form = new FormData()
  for (const [name, value] of fields) {
    const part = partOf(parts, name)
    requireWritable(name, value, { style: part.style ?? 'form', explode: part.explode ?? true })
    for (const item of partItems(value, part)) {
      if (item === null) continue
      const content = partContent(name, item, part)
      if (typeof content === 'string') form.append(name, content)
      else form.append(name, content, ...(part.bytes === true ? [name] : []))
    }
  }
  return form
}

function requireWritable(name: string, value: unknown, style: Pick<ValueStyle, 'style' | 'explode'>): void {
  const why = delimiterFault(value, style)
  if (why !== undefined) throw refusedArgument(name, why)
}

/** Each part of a list is a part of the body, unless they are written as one text. */
function partItems(value: JsonValue, { style, explode }: ApiPart): readonly JsonValue[] {
  if (!Array.isArray(value)) return [value]
  if (explode !== false) return value
  const mark = style === 'spaceDelimited' ? ' ' : style === 'pipeDelimited' ? '|' : ','
  const texts = value.filter((item) => item !== null).map(partText)
  return texts.length === 0 ? [] : [texts.join(mark)]
}

/**
 * A text where no media type is to be said: without one a part is a field. What has a type is a `Blob`, to which `FormData` adds
 * a name of a file.
 */
function partContent(name: string, item: JsonValue, { type, bytes }: ApiPart): string | Blob {
  if (bytes === true) return new Blob([bytesOf(name, item)], { type: type ?? 'application/octet-stream' })
  return type === undefined ? partText(item) : new Blob([partText(item)], { type })
}

function partOf(parts: Readonly<Record<string, ApiPart>>, name: string): ApiPart {
  return Object.hasOwn(parts, name) ? (parts[name] ?? {}) : {}
}

function bytesOf(field: string, value: JsonValue): Uint8Array<ArrayBuffer> {
  if (typeof value !== 'string') throw refusedArgument(field, 'must be bytes as base64')
  try {
    return base64ToBytes(value)
  } catch {
    throw refusedArgument(field, 'must be bytes as base64')
  }
}

function partText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
