import { contentHash } from '../write/content-hash.js'
import { printHtml } from './html/print-html.js'
import { printMarkdown } from './markdown/print-markdown.js'
import type { Section } from './page/page.js'

/** As what a catalogue can be written. */
export type PageFormat = 'markdown' | 'html'

const doctype = '<!doctype html>\n'
const mark = /^(<!doctype html>\n)?<!-- Written by `toolgen docs`, ([0-9a-f]{16})\. [^\n]* -->\n/

/** The text of a page with a head that says what wrote it, and by which a change by hand is noticed. */
export function writtenPage(page: Section, format: PageFormat): string {
  const [start, rest] =
    format === 'html' ? [doctype, printHtml(page).slice(doctype.length)] : ['', `\n${printMarkdown(page)}`]
  const head = `<!-- Written by \`toolgen docs\`, ${bodyHash(rest)}. Do not edit; change the design and run it again. -->`
  return `${start}${head}\n${rest}`
}

/** What stands in a file: a page as toolgen wrote it, one that was changed since, or something else. */
export function pageState(text: string): 'own' | 'edited' | 'foreign' {
  const lines = text.replaceAll('\r\n', '\n')
  const [head, , hash] = mark.exec(lines) ?? []
  if (head === undefined) return 'foreign'
  return bodyHash(lines.slice(head.length)) === hash ? 'own' : 'edited'
}

function bodyHash(body: string): string {
  return contentHash(body).slice(0, 16)
}
