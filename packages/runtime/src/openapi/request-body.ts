import { isFields } from '../codec/json/kind.js'
import type { JsonObject, JsonValue } from '../contract/json.js'
import { base64ToBytes } from '../execute/service/bytes.js'
import { delimiterFault } from './delimiter-fault.js'
import { isJsonType, plainType } from './media-type.js'
import { formEncoded } from './percent-encoding.js'
import { refusedArgument } from './refused-argument.js'
import { styledValue, type ValueStyle } from './styled-value.js'
import type { ApiBody, ApiPart } from './toolset-api.js'

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
      return { body: textOf(value), type }
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
  const texts = value.filter((item) => item !== null).map(textOf)
  return texts.length === 0 ? [] : [texts.join(mark)]
}

/**
 * A text where no media type is to be said: without one a part is a field. What has a type is a `Blob`, to which `FormData` adds
 * a name of a file.
 */
function partContent(name: string, item: JsonValue, { type, bytes }: ApiPart): string | Blob {
  if (bytes === true) return new Blob([bytesOf(name, item)], { type: type ?? 'application/octet-stream' })
  return type === undefined ? textOf(item) : new Blob([textOf(item)], { type })
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

function textOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
