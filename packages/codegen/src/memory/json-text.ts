const texts = new WeakMap<object, string>()

/**
 * The JSON text of something that never changes, made once: what a run shares with the one before need not be written out
 * again to be told apart.
 *
 * @example
 * const key = `${JSON.stringify(options)}${jsonText(toolset)}`
 */
export function jsonText(value: object): string {
  const known = texts.get(value)
  if (known !== undefined) return known
  const text = JSON.stringify(value)
  texts.set(value, text)
  return text
}
