import { notesIn, type Said } from '../../live/described-changes.js'
import { definitionsUsed } from '../../schema/canonical/definitions-used.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { pointerStep } from '../../schema/json/pointer.js'
import { byCodePoint } from '../../text/by-code-point.js'
import type { Defs } from '../inclusion/spot.js'

/** What is said otherwise, beside the rules, in a schema and in the definitions that it needs before and now. */
export type NoteChanges = (was: Schema, is: Schema) => readonly Said[]

/** Compares what is said in definitions, each once. */
export function noteChangesOf(was: Defs, is: Defs): NoteChanges {
  const changed = Object.keys(was)
    .filter((name) => Object.hasOwn(is, name))
    .map((name) => ({ name, said: notesIn(was[name], is[name], `/$defs${pointerStep(name)}`) }))
    .filter(({ said }) => said.length > 0)
    .sort((a, b) => byCodePoint(a.name, b.name))
  const [usedBefore, usedNow] = [usedIn(was), usedIn(is)]
  return (from, to) => {
    const found = notesIn(from, to, '')
    if (changed.length === 0) return found
    const [before, now] = [usedBefore(from), usedNow(to)]
    const inBoth = changed.filter(({ name }) => before.has(name) && now.has(name))
    return [...found, ...inBoth.flatMap(({ said }) => said)]
  }
}

/** Finds the definitions that a schema needs, also through others; each definition is read once. */
function usedIn(defs: Defs): (schema: Schema) => ReadonlySet<string> {
  // Without what is in them only those are found that the schema itself names.
  const names: Defs = Object.fromEntries(Object.keys(defs).map((name) => [name, true]))
  const named = new Map<string, readonly string[]>()
  const namedBy = (name: string): readonly string[] => {
    const found = named.get(name) ?? definitionsUsed(defs[name] ?? true, names)
    named.set(name, found)
    return found
  }
  return (schema) => {
    const used = new Set(definitionsUsed(schema, names))
    for (const name of used) for (const inner of namedBy(name)) used.add(inner)
    return used
  }
}
