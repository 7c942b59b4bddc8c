/** One step of a path: a field's name or an item's index. */
export type Segment = string | number

/** Writes one segment as JSON Pointer escapes it. */
export function pointerSegment(segment: Segment): string {
  return typeof segment === 'number' ? String(segment) : segment.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Writes a path as a JSON Pointer; `''` is the root. */
export function pointerOf(path: readonly Segment[]): string {
  let text = ''
  for (const segment of path) text += `/${pointerSegment(segment)}`
  return text
}

/** Reads a JSON Pointer; `undefined` where the text is none. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}
