import { isFields } from '../schema/json-values.js'
import type { JsonObject } from '../types/json.js'
import { refusedArgument } from './openapi-api.js'
import type { ApiParameter, ParameterStyle } from './toolset-api.js'

/** How a value is written. */
export interface ValueStyle {
  readonly style: ParameterStyle
  readonly explode: boolean
  readonly encode: Encode
}

type Pair = readonly [name: string, value: string]

/**
 * Writes a value in a style of OpenAPI, as its table of styles and RFC 6570 say: with its name where the style has one
 * (`color=blue`, `;color=blue`), without in `simple` and `label`.
 *
 * @returns `undefined` where there is nothing to write: for null, and for a list or an object without parts
 */
export function styledValue(name: string, value: unknown, { style, explode, encode }: ValueStyle): string | undefined {
  if (value === undefined || value === null) return undefined
  const key = encode(name)
  const parts = Array.isArray(value)
    ? value.filter((item) => item !== null).map((item) => encode(primitive(item)))
    : undefined
  const pairs = isFields(value)
    ? Object.entries(value)
        .filter(([, item]) => item !== null)
        .map(([field, item]): Pair => [encode(field), encode(primitive(item))])
    : undefined
  if ((parts ?? pairs)?.length === 0) return undefined
  const joined = (mark: string): string => (parts ?? pairs?.flat() ?? [encode(primitive(value))]).join(mark)
  const assigned = (mark: string): string =>
    (pairs ?? parts?.map((part): Pair => [key, part]) ?? [[key, joined('')] as const])
      .map(([field, part]) => `${field}=${part}`)
      .join(mark)
  const assignments = (mark: string): string | undefined => pairs?.map(([field, part]) => `${field}=${part}`).join(mark)

  switch (style) {
    case 'simple':
      return (explode ? assignments(',') : undefined) ?? joined(',')
    case 'label':
      return `.${explode ? (assignments('.') ?? joined('.')) : joined(',')}`
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
      return isFields(value) ? deep(name, value, encode).join('&') : assigned('&')
  }
}

/** OpenAPI says how one level is written; what lies deeper goes on in the same way, lists by repetition. */
function deep(name: string, value: unknown, encode: Encode): readonly string[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => deep(name, item, encode))
  if (!isFields(value)) return [`${encode(name)}=${encode(primitive(value))}`]
  return Object.entries(value).flatMap(([field, item]) => deep(`${name}[${field}]`, item, encode))
}

/** OpenAPI leaves open how parts of parts are written: they are JSON. */
function primitive(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A parameter with what is sent of it. */
export interface WrittenParameter {
  readonly parameter: ApiParameter
  /** What the API calls it. */
  readonly name: string
  /** In query and cookie and in the style `matrix` with its name. */
  readonly text: string
}

/**
 * Writes the parameters of one place that the payload has, in their order.
 *
 * @throws {ToolFailure} for a value that its style cannot write
 */
export function writtenParameters(
  parameters: readonly ApiParameter[],
  place: ApiParameter['in'],
  payload: JsonObject,
): readonly WrittenParameter[] {
  return parameters.flatMap((parameter) => {
    if (parameter.in !== place || !Object.hasOwn(payload, parameter.field)) return []
    const name = parameter.name ?? parameter.field
    const text = parameterText(parameter, name, payload[parameter.field])
    return text === undefined ? [] : [{ parameter, name, text }]
  })
}

function parameterText(
  { field, in: place, style: said, explode, reserved, json }: ApiParameter,
  name: string,
  value: unknown,
): string | undefined {
  const isNamed = place === 'query' || place === 'cookie'
  const style = said ?? (isNamed ? 'form' : 'simple')
  // No header is percent-encoded.
  const encode = place === 'header' ? verbatim : reserved === true ? reservedKept : percentEncoded
  const written = json === true && value !== undefined ? JSON.stringify(value) : value
  const used = { style, explode: explode ?? style === 'form', encode }
  const why = delimiterFault(written, used)
  if (why !== undefined) throw refusedArgument(field, why)
  return styledValue(name, written, used)
}

function verbatim(text: string): string {
  return text
}

/** Writes a text so that it can stand in a URL as a value. */
type Encode = (text: string) => string

/** Percent-encodes all but what RFC 3986 calls unreserved. Halves of characters become the replacement character. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(/[!'()*]/g, escaped)
}

/** The same, but characters that mean something in a URL stay; not those that would end the value or begin another one. */
export function reservedKept(text: string): string {
  return percentEncoded(text).replace(/%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|3D)/g, decodeURIComponent)
}

/** As forms are written: a space is `+`. */
export function formEncoded(text: string): string {
  return percentEncoded(text).replaceAll('%20', '+')
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}

/**
 * Why a value cannot be written with a mark between its parts: in words that end a sentence about it. OpenAPI has no way to write
 * a part that has the mark itself: whoever reads it would see two.
 */
export function delimiterFault(
  value: unknown,
  { style, explode }: Pick<ValueStyle, 'style' | 'explode'>,
): string | undefined {
  if (explode || (style !== 'spaceDelimited' && style !== 'pipeDelimited')) return undefined
  const [mark, name] = style === 'spaceDelimited' ? [' ', 'spaces'] : ['|', '"|"']
  const parts = Array.isArray(value) ? value : isFields(value) ? Object.entries(value).flat() : []
  const hasMark = parts.some((part) => (typeof part === 'string' ? part : JSON.stringify(part)).includes(mark))
  return hasMark ? `is sent with ${name} between its parts, so that none of these may have any` : undefined
}
