import { identifiersIn } from './identifiers.js'

/** The declarations that some expressions need, directly or through others. */
export function reachable(
  expressions: readonly string[],
  declarations: ReadonlyMap<string, string>,
): ReadonlySet<string> {
  const found = new Set<string>()
  const waiting = [...expressions]
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    for (const name of identifiersIn(text)) {
      const declaration = declarations.get(name)
      if (declaration === undefined || found.has(name)) continue
      found.add(name)
      waiting.push(declaration)
    }
  }
  return found
}
