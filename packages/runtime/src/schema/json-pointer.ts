/** Field name or item index in a path. */
export type Segment = string | number

const special = /[~/]/

/** Length up to which a path is written by concatenation. */
const shortest = 8

/** Escapes one segment for a JSON Pointer. */
export function pointerSegment(segment: Segment): string {
  if (typeof segment === 'number') return String(segment)
  return special.test(segment) ? segment.replaceAll('~', '~0').replaceAll('/', '~1') : segment
}

/** Writes a path as a JSON Pointer; `''` is the root. */
export function pointerOf(path: readonly Segment[]): string {
  // Engines keep all intermediate strings of a concatenation, which takes much memory for long paths.
  if (path.length > shortest) return `/${path.map(pointerSegment).join('/')}`
  let text = ''
  for (const segment of path) text += `/${pointerSegment(segment)}`
  return text
}

/** Parses a JSON Pointer; `undefined` if the string is not one. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  return pointer
    .slice(1)
    .split('/')
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
}
