import type { ObjectTrace } from '../evaluate/trace.js'
import { isKnownField } from '../evaluate/undeclared.js'
import type { Fields } from '../json/kind.js'

/** The fields of an object in canonical order: declared ones in declared order, then the others as they were inserted. */
export function canonicalKeys(value: Fields, trace: ObjectTrace, keepsUnknown: boolean): readonly string[] {
  const keys = new Set<string>()
  for (const { fields } of trace.tables) {
    for (const { name } of fields) if (Object.hasOwn(value, name)) keys.add(name)
  }
  for (const key of Object.keys(value)) if (keepsUnknown || isKnownField(trace, key)) keys.add(key)
  return [...keys]
}
