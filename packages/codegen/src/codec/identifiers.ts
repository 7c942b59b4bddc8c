const literals = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/gsu
const identifiers = /[\p{ID_Continue}$]+/gu
const freeIdentifiers = /(?<![\p{ID_Continue}$.])[\p{ID_Continue}$]+/gu
/** A literal, or an identifier: the group. */
const words = /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|([\p{ID_Continue}$]+)/gsu

/** The identifiers in an expression, in whatever role; what stands in its literals is none. */
export function identifiersIn(text: string): ReadonlySet<string> {
  return new Set(text.replace(literals, "''").match(identifiers))
}

/** The identifiers in an expression that name no property of anything. */
export function freeIdentifiersIn(text: string): ReadonlySet<string> {
  return new Set(text.replace(literals, "''").match(freeIdentifiers))
}

/** The name under which a function takes its value: one that it does not read begins with an underscore. */
export function parameterName(name: string, body: string): string {
  // Most functions read their value at their beginning.
  for (const [, word] of body.matchAll(words)) if (word === name) return name
  return `_${name}`
}

/** The function that an expression calls with nothing but these arguments; `undefined` where it does anything else. */
export function calledWith(text: string, args: string): string | undefined {
  const name = text.endsWith(`(${args})`) ? text.slice(0, -args.length - 2) : ''
  return /^[\p{ID_Continue}$]+(?:\.[\p{ID_Continue}$]+)?$/u.test(name) ? name : undefined
}
