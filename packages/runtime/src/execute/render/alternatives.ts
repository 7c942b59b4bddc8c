/** Names of which one may be meant: `"a", "b" or "c"`. */
export function alternatives(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name))
  const last = quoted.at(-1) ?? ''
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`
}
