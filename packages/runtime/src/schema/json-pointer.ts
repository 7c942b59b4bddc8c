export type Segment = string | number

export function pointerSegment(segment: Segment): string {
  if (typeof segment === 'number') return String(segment)
  return segment.includes('~') || segment.includes('/') ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment
}

export function pointerToken(segment: Segment): string {
  return `/${pointerSegment(segment)}`
}

/** Converts a path to a JSON Pointer. The pointer of an empty path is `''`. */
export function pointerOf(path: readonly Segment[]): string {
  let pointer = ''
  for (const segment of path) pointer += pointerToken(segment)
  return pointer
}

/** Parses a JSON Pointer to its segments. Returns `undefined` if `pointer` is not a JSON Pointer. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}
