import type { Schema } from '../json/json-schema.js'
import type { SchemaFault } from '../json/schema-fault.js'
import { targetsIn } from './inline-definitions.js'
import type { SchemaDocument } from './normalise.js'

/** Values in which more definitions than these stand within each other are refused: whatever walks over them runs out of stack. */
const deepest = 1000

/**
 * Definitions that are reached over too many others, each from the one before: a fault for each at which that begins.
 *
 * @param keysOf the keys that lead to a definition in the source
 */
export function definitionDepth(
  { root, defs }: SchemaDocument,
  keysOf: (name: string) => readonly string[],
): readonly SchemaFault[] {
  // Most schemas have fewer in all.
  if (defs.size <= deepest) return []
  const met = new Set<string>()
  let level: readonly Schema[] = [root]
  for (let depth = 0; level.length > 0; depth += 1) {
    const names = new Set(level.flatMap((schema) => [...targetsIn(schema)]).filter((name) => !met.has(name)))
    if (depth > deepest) return [...names].map((name) => tooDeep(name, keysOf(name)))
    for (const name of names) met.add(name)
    level = [...names].map((name) => defs.get(name) ?? true)
  }
  return []
}

function tooDeep(name: string, trail: readonly string[]): SchemaFault {
  return {
    code: 'TG3014',
    severity: 'error',
    message: `The definition \`${name}\` stands within more than ${deepest} others.`,
    next: 'Leave it out, or let it be any JSON: values that deep nobody sends.',
    trail,
  }
}
