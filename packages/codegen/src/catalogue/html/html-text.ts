import { printable } from '../../text/printable.js'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text for HTML, between tags and in quoted attributes. */
export function htmlText(text: string): string {
  return printable(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}
