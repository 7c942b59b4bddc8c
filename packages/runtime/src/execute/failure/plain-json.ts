import { copyJson } from '../../codec/json/copy.js'
import type { JsonValue } from '../../contract/json.js'

/** A copy of what anyone gave, as JSON; `undefined` where JSON cannot carry all of it. */
export function plainJson(given: unknown): JsonValue | undefined {
  const { value, faulty } = copyJson(given)
  return isJson(value, faulty) ? value : undefined
}

/** `copyJson` says whether every part of its copy is JSON. */
function isJson(_copy: unknown, faulty: boolean): _copy is JsonValue {
  return !faulty
}
