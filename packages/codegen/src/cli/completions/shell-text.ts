/** A text as one word of a POSIX shell, in single quotes. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** A text as one word of fish, in single quotes. */
export function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
