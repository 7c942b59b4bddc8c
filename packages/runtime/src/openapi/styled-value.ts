import { isFields } from '../codec/json/kind.js'
import type { Encode } from './percent-encoding.js'
import type { ParameterStyle } from './toolset-api.js'

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
