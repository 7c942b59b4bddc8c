import { printable } from '../../text/printable.js'

/** Text within a line of Markdown, so that it is read as it stands: no mark-up, no HTML, no entity. */
export function markdownText(text: string): string {
  return (
    printable(text)
      .replace(/[\\`*[\]<&~|$]/g, '\\$&')
      // Within a word an underscore means nothing, and names are full of them.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
  )
}

/**
 * A whole line of text: beside what {@link markdownText} does, nothing at its beginning makes a list, heading or quote of
 * it, nor a command of GitHub Actions, where the page is printed into its log.
 */
export function markdownLine(text: string): string {
  const indent = /^[ \t]*/.exec(text)?.[0] ?? ''
  const rest = markdownText(text.slice(indent.length).trimEnd())
    .replace(/^(?:[#>+=-]|::)/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2')
  return `${'&nbsp;'.repeat(indent.replaceAll('\t', '  ').length)}${rest}`
}

/** Code within a line. In a table a bar would end the cell, also within code. */
export function markdownCode(text: string, { inTable }: { readonly inTable: boolean }): string {
  const shown = printable(text).replaceAll('\n', '⏎').replaceAll('\t', ' ')
  const fence = '`'.repeat(longestRun(shown) + 1)
  const padding = /^`|`$|^ .* $|^$/.test(shown) ? ' ' : ''
  const span = `${fence}${padding}${shown}${padding}${fence}`
  return inTable ? span.replaceAll('|', '\\|') : span
}

/** A block of code behind a fence that nothing in it can end. */
export function markdownFence(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(longestRun(text) + 1, 3))
  return `${fence}${language}\n${printable(text)}\n${fence}`
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}
