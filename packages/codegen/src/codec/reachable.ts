import { identifiersIn } from './identifiers.js'

/** The declarations that texts name, of texts that were read before: many expressions need the same declarations. */
export type KnownNames = Map<string, readonly string[]>

/** The declarations that some expressions need, directly or through others. */
export function reachable(
  expressions: readonly string[],
  declarations: ReadonlyMap<string, string>,
  known: KnownNames = new Map(),
): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [...expressions]
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    const names = known.get(text) ?? [...identifiersIn(text)].filter((name) => declarations.has(name))
    known.set(text, names)
    for (const name of names) {
      if (found.has(name)) continue
      found.add(name)
      waiting.push(declarations.get(name) ?? '')
    }
  }
  return found
}
