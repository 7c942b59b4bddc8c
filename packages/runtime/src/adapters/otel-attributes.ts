import type { Attributes, AttributeValue, SpanKind } from '@opentelemetry/api'
import type { JsonValue } from '../types/json.js'
import type { TraceContext } from '../types/run.js'

/** Name, kind and attributes with which a span starts. */
export interface SpanStart {
  readonly name: string
  /** Kind of the span. Default: `INTERNAL`. */
  readonly kind?: SpanKind
  /** Trace context of the process that sent the request. Absent if the span belongs to the active span. */
  readonly parent?: TraceContext
  readonly attributes: Attributes
}

/** Attributes and failure with which a span ends. */
export interface SpanEnd {
  readonly attributes: Attributes
  readonly failure?: { readonly reason: string; readonly message?: string }
}

/** Maximum lengths of attribute values, in characters. `name` applies to tool names that a model has sent. */
export const MAX_LENGTH = { name: 128, description: 1_024, issue: 256, text: 8_192 }

const MAX_ITEMS = 128

/** Removes attributes that are `undefined`, because exporters handle them in different ways. */
export function present(attributes: Attributes): Attributes {
  for (const [name, value] of Object.entries(attributes)) if (value === undefined) delete attributes[name]
  return attributes
}

/** Shortens a text to `limit` characters. */
export function bounded(text: string, limit: number = MAX_LENGTH.text): string {
  if (text.length <= limit) return text
  // Half of a surrogate pair cannot be exported.
  return `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Converts a JSON value to the value of an attribute; `undefined` if this is impossible. */
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
