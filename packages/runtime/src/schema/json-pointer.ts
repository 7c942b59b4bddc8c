/** One step of a path: a field's name or an item's index. */
export type Segment = string | number

const special = /[~/]/

/** Longer paths are written at once. */
const shortest = 8

/** Writes one segment as JSON Pointer escapes it. */
export function pointerSegment(segment: Segment): string {
  if (typeof segment === 'number') return String(segment)
  return special.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment
}

/** Writes a path as a JSON Pointer; `''` is the root. */
export function pointerOf(path: readonly Segment[]): string {
  // An engine keeps what a text was put together from, which is many times as much where a path is long.
  if (path.length > shortest) return `/${path.map(pointerSegment).join('/')}`
  let text = ''
  for (const segment of path) text += `/${pointerSegment(segment)}`
  return text
}

/** Parses a JSON Pointer; `undefined` for any other text. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}
