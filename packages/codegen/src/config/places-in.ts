import type { SourcePlace } from '../diagnostics/diagnostic.js'

/** Where a field's name first stands in front of a colon or comma; the file's beginning when it is nowhere. */
export function placesIn(text: string, file: string): (key: string) => SourcePlace {
  const lines = text.split('\n')
  return (key) => {
    const written = new RegExp(`(?<![\\w$.])(['"]?)${key.replace(/[^\w]/g, '\\$&')}\\1\\s*[:,}]`)
    const index = lines.findIndex((line) => written.test(line))
    const column = index === -1 ? 0 : (lines[index]?.search(written) ?? 0)
    return index === -1
      ? { file, line: 1, column: 1 }
      : { file, line: index + 1, column: column + 1, length: key.length }
  }
}
