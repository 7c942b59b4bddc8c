/** True when an expression of generated code reads a variable; a property of the same name is none. */
export function readsName(text: string, name: string): boolean {
  const code = text.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"/g, "''")
  return new RegExp(`(?:^|\\.\\.\\.|[^.\\w$])${name}(?![\\w$:])`).test(code)
}
