import { identifiersIn } from './identifiers.js'

/** The identifiers of texts that were read before: many expressions need the same declarations. */
export type KnownIdentifiers = Map<string, ReadonlySet<string>>

/** The declarations that some expressions need, directly or through others. */
export function reachable(
  expressions: readonly string[],
  declarations: ReadonlyMap<string, string>,
  known: KnownIdentifiers = new Map(),
): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [...expressions]
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    const names = known.get(text) ?? identifiersIn(text)
    known.set(text, names)
    for (const name of names) {
      const declaration = declarations.get(name)
      if (declaration === undefined || found.has(name)) continue
      found.add(name)
      waiting.push(declaration)
    }
  }
  return found
}
