/** The last part of a JSON Pointer for one more key. */
export function pointerStep(key: string | number): string {
  if (typeof key === 'number' || !/[~/]/.test(key)) return `/${key}`
  return `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** A JSON Pointer from its keys; no keys are the root, `''`. */
export function pointerOf(keys: readonly (string | number)[]): string {
  return keys.map(pointerStep).join('')
}

/** The keys of a JSON Pointer, or `undefined` when it is none. */
export function keysOf(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The reference to a definition; its name has no character that a reference must escape, see `canonical/normalise.ts`. */
export function refTo(name: string): string {
  return `#/$defs/${name}`
}

/** The definition to which a normalised `$ref` points; `undefined` for any other value. */
export function refName(ref: unknown): string | undefined {
  if (typeof ref !== 'string' || !ref.startsWith('#/$defs/')) return undefined
  // Most names have nothing that is escaped.
  if (!/[%~]|^#\/\$defs\/.*\//s.test(ref)) return ref.slice('#/$defs/'.length)
  const [, name, ...deeper] = keysOf(decodeFragment(ref) ?? '') ?? []
  return deeper.length === 0 ? name : undefined
}

/** The JSON Pointer in a reference's fragment, percent-decoded; `undefined` where it is malformed. */
export function decodeFragment(ref: string): string | undefined {
  try {
    return decodeURIComponent(ref.slice(ref.indexOf('#') + 1))
  } catch {
    return undefined
  }
}
