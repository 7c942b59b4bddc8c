import type { JsonValue } from '@toolgen/runtime'

/**
 * A value as Python's `json.dumps` prints it: a space after each comma and colon, ASCII only. A whole float (`5.0`)
 * cannot be told from an integer in JavaScript; it is printed as an integer.
 *
 * @example
 * pythonJson({ seats: [1, 2] }) // {"seats": [1, 2]}
 */
export function pythonJson(value: JsonValue): string {
  if (isList(value)) return `[${value.map(pythonJson).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, field]) => `${pythonJson(key)}: ${pythonJson(field)}`)
    return `{${fields.join(', ')}}`
  }
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escaped)
}

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** `Array.isArray` does not know read-only lists. */
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)
