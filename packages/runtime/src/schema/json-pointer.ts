/** One step of a path into a JSON value: a field name or an item index. */
export type Segment = string | number

/** Escapes one segment of a JSON Pointer: `~` becomes `~0`, `/` becomes `~1`. */
export function pointerSegment(segment: Segment): string {
  if (typeof segment === 'number') return String(segment)
  return segment.includes('~') || segment.includes('/') ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment
}

/** Returns a segment as it appears in a JSON Pointer, with the slash before it. */
export function pointerToken(segment: Segment): string {
  return `/${pointerSegment(segment)}`
}

/** Returns a path as a JSON Pointer. The pointer of the root is `''`. */
export function pointerOf(path: readonly Segment[]): string {
  let pointer = ''
  for (const segment of path) pointer += pointerToken(segment)
  return pointer
}

/** Returns the segments of a JSON Pointer; `undefined` if `pointer` is not a JSON Pointer. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}
