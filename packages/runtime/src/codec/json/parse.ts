import type { JsonText } from '../../contract/json.js'
import { type TextFault, textFault } from './text-fault.js'

/** What parsing yields: the value, or where the text is faulty. */
export type Parsed = { readonly ok: true; readonly value: unknown } | ({ readonly ok: false } & TextFault)

/**
 * Parses JSON text. Of keys that occur twice the last one counts; whole numbers beyond 2^53 are rounded to the next
 * double, as everywhere in JavaScript. The message never holds text of the engine.
 */
export function parseJson(text: JsonText): Parsed {
  if (typeof text !== 'string') return { ok: false, message: 'This is not JSON text.' }
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    // The engine's own error differs by engine and may quote the input: the fault is looked for again.
    return { ok: false, ...textFault(text) }
  }
}
