import { printable } from '../../text/printable.js'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Text for HTML, between tags and in quoted attributes. No line of it is a command of GitHub Actions, where the page is
 * printed into its log.
 */
export function htmlText(text: string): string {
  return printable(text)
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
    .replace(/^([ \t]*):(?=:)/gm, '$1&#58;')
}
