/** Reads a property of anything, also of what throws when it is read. */
export function peek(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  try {
    return Reflect.get(value, key)
  } catch {
    // A hostile getter or a revoked proxy tells nothing.
    return undefined
  }
}

/** The first property of those named that is not absent. */
export function peekFirst(value: unknown, ...paths: readonly string[]): unknown {
  for (const path of paths) {
    const found = path.split('.').reduce(peek, value)
    if (found !== undefined && found !== null) return found
  }
  return undefined
}
