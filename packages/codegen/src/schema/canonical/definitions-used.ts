import { byCodePoint } from '../../text/by-code-point.js'
import { isObject } from '../json/json.js'
import type { Json, Schema } from '../json/json-schema.js'
import { refName } from '../json/pointer.js'

/** What parts of schemas refer to: whoever looks at a schema looks at what it leads to, each time. */
const known = new WeakMap<object, ReadonlySet<string>>()

/** The definitions that a schema needs, also through others, sorted. */
export function definitionsUsed(schema: Schema, defs: Readonly<Record<string, Schema>>): readonly string[] {
  const found = new Set<string>()
  // Not by recursion: definitions lead to each other in chains of any length.
  const pending: Schema[] = [schema]
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    for (const name of referencesIn(part)) {
      if (!Object.hasOwn(defs, name) || found.has(name)) continue
      found.add(name)
      pending.push(defs[name] ?? true)
    }
  }
  return [...found].sort(byCodePoint)
}

/** The names in the references of a schema. */
function referencesIn(schema: Schema): ReadonlySet<string> {
  if (!isObject(schema)) return none
  const references = known.get(schema) ?? readReferences(schema)
  known.set(schema, references)
  return references
}

const none: ReadonlySet<string> = new Set()

function readReferences(schema: Schema): ReadonlySet<string> {
  const references = new Set<string>()
  const visit = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(visit)
    if (!isObject(value)) return
    const name = refName(value.$ref)
    if (name !== undefined) references.add(name)
    Object.values(value).forEach(visit)
  }
  visit(schema)
  return references
}
