import { ToolFailure } from '../call/tool-failure.js'
import { isFields } from '../schema/json-values.js'
import type { ParameterStyle } from './openapi-api.js'

interface ValueStyle {
  readonly style: ParameterStyle
  readonly explode: boolean
  readonly encode: (text: string) => string
}

/**
 * Returns `undefined` for null, an empty array or an empty object. OpenAPI does not define the serialization of nested values, so nested values
 * become JSON, except in the style `deepObject`.
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
      // RFC 6570 omits `=` if the value is empty.
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

/** OpenAPI does not define the serialization of deeper levels. This function adds a bracket for each level, as in `filter[color][dark]=blue`. */
function deepAssignments(name: string, value: unknown, encode: ValueStyle['encode']): readonly string[] {
  if (value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => deepAssignments(name, item, encode))
  if (!isFields(value)) return [`${encode(name)}=${encode(textOf(value))}`]
  return Object.entries(value).flatMap(([field, part]) => deepAssignments(`${name}[${field}]`, part, encode))
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** `encodeURIComponent` throws an error for unpaired surrogates, and does not encode the reserved characters `!'()*`. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Characters that can end a value, such as `&` and `#`, stay encoded. */
export function reservedKept(text: string): string {
  return percentEncoded(text).replace(/%(?:3A|2F|3F|5B|5D|40|21|24|27|28|29|2A|2C|3B|3D)/g, decodeURIComponent)
}

export function formEncoded(text: string): string {
  return percentEncoded(text).replaceAll('%20', '+')
}

/** The server would read an array item that contains the delimiter as two items. */
export function requireWritable(field: string, value: unknown, style: ParameterStyle, explode: boolean): void {
  if (explode || (style !== 'spaceDelimited' && style !== 'pipeDelimited')) return
  const [delimiter, description] = style === 'spaceDelimited' ? [' ', 'spaces'] : ['|', '"|"']
  const parts = isFields(value) ? Object.entries(value).flat() : value
  if (!Array.isArray(parts) || !parts.some((part) => textOf(part).includes(delimiter))) return
  throw refusedArgument(field, `must not have items that contain ${description}, which separate them in the request`)
}

export function refusedArgument(field: string, why: string): ToolFailure {
  return new ToolFailure(`${JSON.stringify(field)} ${why}.`, { reason: 'invalid_arguments', noExample: true })
}
