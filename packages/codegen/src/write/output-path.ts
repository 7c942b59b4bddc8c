/**
 * Whether a path names a file inside the output folder on every system: relative, with `/`, without `.`, `..`, empty
 * segments, drive letters or control characters. Paths of a lock file pass here before anything is read or removed.
 */
export function isOutputPath(path: string): boolean {
  if (path === '' || path.includes('\\') || path.includes(':') || hasControlCharacter(path)) return false
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

function hasControlCharacter(path: string): boolean {
  return [...path].some((character) => character < ' ' || character === '\u007f')
}

/** The folders that contain a path, outermost first: `a/b/c.ts` → `a`, `a/b`. */
export function foldersOf(path: string): readonly string[] {
  const segments = path.split('/')
  return segments.slice(0, -1).map((_, index) => segments.slice(0, index + 1).join('/'))
}
