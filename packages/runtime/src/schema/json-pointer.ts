/** One step of a path into a JSON value: a field name or an item index. */
export type Segment = string | number

const special = /[~/]/

/** Maximum number of segments of a path that is written by concatenation. */
const shortest = 8

/** Escapes one segment of a JSON Pointer: `~` becomes `~0`, `/` becomes `~1`. */
export function pointerSegment(segment: Segment): string {
  if (typeof segment === 'number') return String(segment)
  return special.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment
}

/** Returns a path as a JSON Pointer. The pointer of the root is `''`. */
export function pointerOf(path: readonly Segment[]): string {
  // Engines keep all intermediate strings of a concatenation, which takes much memory for long paths.
  if (path.length > shortest) return `/${path.map(pointerSegment).join('/')}`
  let text = ''
  for (const segment of path) text += `/${pointerSegment(segment)}`
  return text
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
