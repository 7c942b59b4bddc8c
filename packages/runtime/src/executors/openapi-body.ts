import { isFields } from '../schema/json-values.js'
import type { JsonObject, JsonValue } from '../types/json.js'
import { base64ToBytes } from './conversions.js'
import type { ApiBody, ApiPart, ParameterStyle } from './openapi-api.js'
import { formEncoded, refusedArgument, requireWritable, styledValue, textOf } from './styled-value.js'
/** For a multipart body, `type` is absent, because `fetch` sets the media type together with the boundary. */
export interface RequestBody {
  readonly body: string | FormData | Uint8Array<ArrayBuffer>
  readonly type?: string
}

type BodyFields = readonly (readonly [name: string, value: JsonValue])[]

type BodyParts = NonNullable<ApiBody['parts']>

export function requestBody(body: ApiBody, payload: JsonObject): RequestBody | undefined {
  const { type, as, field = 'body', parts = {} } = body
  const value = bodyValue(body, payload)
  // Only JSON can represent null.
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
  if (!isFields(value)) throw refusedArgument('body', 'must be an object, because it is sent as a form')
  return Object.entries(value)
}

function partOf(parts: BodyParts, name: string): ApiPart {
  return (Object.hasOwn(parts, name) ? parts[name] : undefined) ?? {}
}

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
      // A part with a media type is a `Blob`, for which `FormData` requires a file name.
      if (part.bytes === true) {
        form.append(name, new Blob([bytesOf(name, item)], { type: part.type ?? 'application/octet-stream' }), name)
      } else if (part.type === undefined) form.append(name, textOf(item))
      else form.append(name, new Blob([textOf(item)], { type: part.type }))
    }
  }
  return form
}

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
    // The failure below is thrown instead.
  }
  throw refusedArgument(field, 'must be a base64 string')
}

export function mediaType(text: string | null): string {
  return text?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

export function isJsonType(type: string): boolean {
  return /^(?:application|text)\/(?:json|.+\+json)$/.test(type)
}
