import { byCodePoint } from '../../text/by-code-point.js'
import { isObject } from '../json/json.js'
import type { Json, Schema } from '../json/json-schema.js'
import { refName } from '../json/pointer.js'

/** The definitions that a schema needs, also through others, sorted. */
export function definitionsUsed(schema: Schema, defs: Readonly<Record<string, Schema>>): readonly string[] {
  const found = new Set<string>()
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isObject(value)) return
    const name = refName(value.$ref)
    if (name !== undefined && Object.hasOwn(defs, name) && !found.has(name)) {
      found.add(name)
      visit(defs[name] ?? true)
    }
    Object.values(value).forEach(visit)
  }
  visit(schema)
  return [...found].sort(byCodePoint)
}
