import type { JsonText } from '../../contract/json.js'
import { ArrayTrace, ObjectTrace, ScalarTrace, type Trace } from '../evaluate/trace.js'
import { isFields } from '../json/kind.js'
import { TypedPart } from '../json/unwritable.js'
import { canonicalWireText, isTyped, typedText } from '../typed/js-type.js'
import { canonicalKeys } from './field-order.js'

/**
 * Writes a valid value as canonical JSON text: compact, declared fields in declared order, then the others; undeclared
 * fields left out, unless they are kept; typed values, and their wire forms, in the one form that is written. Parts
 * without a trace are written as they are.
 */
export function canonicalText(value: unknown, trace: Trace | undefined, keepsUnknown: boolean): JsonText {
  if (trace instanceof ObjectTrace && isFields(value)) {
    const fields = canonicalKeys(value, trace, keepsUnknown).map(
      (key) => `${JSON.stringify(key)}:${canonicalText(value[key], trace.children?.get(key), keepsUnknown)}`,
    )
    return `{${fields.join(',')}}`
  }
  if (trace instanceof ArrayTrace && Array.isArray(value) && trace.children !== undefined) {
    const items = value.map((item, index) => canonicalText(item, trace.children?.get(index), keepsUnknown))
    return `[${items.join(',')}]`
  }
  return JSON.stringify(trace instanceof ScalarTrace ? wireText(value, trace) : value)
}

function wireText(value: unknown, { type }: ScalarTrace): unknown {
  if (isTyped(value)) return typedText(value)
  const text = value instanceof TypedPart ? value.text : value
  return type === undefined || typeof text !== 'string' ? text : canonicalWireText(type, text)
}
