import type { JsonValue } from '@toolgen/runtime'

/**
 * Serializes a value like Python's `json.dumps`: a space after each comma and colon, and only ASCII. Whole floats such as `5.0` are written as
 * integers, because JavaScript does not distinguish them.
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

/** `Array.isArray` does not narrow to readonly arrays. */
const isList = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value)
