import type { Attributes, AttributeValue, SpanKind } from '@opentelemetry/api'
import type { JsonValue } from '../types/json.js'
import type { TraceContext } from '../types/run.js'

export interface SpanStart {
  readonly name: string
  readonly kind?: SpanKind
  /** Trace context that another process, for example an MCP client, sent with its request. */
  readonly parent?: TraceContext
  readonly attributes: Attributes
}

export interface SpanEnd {
  readonly attributes: Attributes
  readonly failure?: { readonly reason: string; readonly message?: string }
}

/** In characters. `name` applies to names of tools and models, and to version numbers. */
export const MAX_LENGTH = { name: 128, description: 1_024, issue: 256, text: 8_192 }

const MAX_ITEMS = 128

/** Exporters handle attributes with the value `undefined` in different ways. */
export function present(attributes: Attributes): Attributes {
  for (const [name, value] of Object.entries(attributes)) if (value === undefined) delete attributes[name]
  return attributes
}

export function bounded(text: string, limit: number = MAX_LENGTH.text): string {
  if (text.length <= limit) return text
  // Half of a surrogate pair cannot be exported.
  return `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

export function attributeValue(value: JsonValue | undefined): AttributeValue | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return bounded(value)
  if (typeof value !== 'object') return value
  if (Array.isArray(value) && value.length <= MAX_ITEMS) {
    const items: readonly unknown[] = value
    if (items.every((item) => typeof item === 'string')) return items.map((item) => bounded(item))
    if (items.every((item) => typeof item === 'number')) return [...items]
    if (items.every((item) => typeof item === 'boolean')) return [...items]
  }
  try {
    return bounded(JSON.stringify(value))
  } catch {
    // Not JSON: the attribute is left out.
    return undefined
  }
}
