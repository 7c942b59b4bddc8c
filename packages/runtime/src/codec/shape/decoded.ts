import { ArrayTrace, ObjectTrace, ScalarTrace, type Trace } from '../evaluate/trace.js'
import { isKnownField } from '../evaluate/undeclared.js'
import { type Fields, isFields } from '../json/kind.js'
import { setOwn } from '../json/own.js'
import { TypedPart } from '../json/unwritable.js'
import { typedFromText } from '../typed/js-type.js'
import type { Defaults } from './defaults.js'

/** How a decoded value is completed. */
export interface Completion {
  readonly defaults: Defaults
  readonly keepsUnknown: boolean
}

/**
 * Makes the decoded value of a valid one: declared fields in declared order with their defaults, then the others;
 * undeclared fields left out, unless they are kept; texts whose type a schema names as that type. Parts without a trace
 * stay as they are.
 */
export function decodedValue(value: unknown, trace: Trace | undefined, completion: Completion): unknown {
  if (trace instanceof ObjectTrace && isFields(value)) return decodedFields(value, trace, completion)
  if (trace instanceof ArrayTrace && Array.isArray(value) && trace.children !== undefined) {
    return value.map((item, index) => decodedValue(item, trace.children?.get(index), completion))
  }
  return trace instanceof ScalarTrace ? typedValue(value, trace) : value
}

function typedValue(value: unknown, { type }: ScalarTrace): unknown {
  const text = value instanceof TypedPart ? value.text : value
  return type === undefined || typeof text !== 'string' ? value : typedFromText(type, text)
}

function decodedFields(given: Fields, trace: ObjectTrace, completion: Completion): unknown {
  const decoded: Record<string, unknown> = {}
  for (const table of trace.tables) {
    const hasDefaults = trace.hasDefaults(table)
    for (const { name, fallback } of table.fields) {
      if (Object.hasOwn(decoded, name)) continue
      if (Object.hasOwn(given, name)) {
        setOwn(decoded, name, decodedValue(given[name], trace.children?.get(name), completion))
      } else if (hasDefaults && fallback !== undefined) {
        const computed = completion.defaults.of(fallback, (part, learnt) => decodedValue(part, learnt, completion))
        if (computed === undefined) continue
        setOwn(decoded, name, computed.value)
        // What is written afterwards is to know the types within the default.
        if (computed.trace !== undefined) trace.adopt(name, computed.trace)
      }
    }
  }
  for (const key of Object.keys(given)) {
    if (Object.hasOwn(decoded, key) || !(completion.keepsUnknown || isKnownField(trace, key))) continue
    setOwn(decoded, key, decodedValue(given[key], trace.children?.get(key), completion))
  }
  return decoded
}
