import { contentHash } from '../output/files.js'
import { printable } from '../text.js'
import type { Block, Inline, Item, Line, Section } from './page.js'
import { printHtml } from './print-html.js'

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

/** Returns the state of a file: written by toolgen, edited since, or foreign. */
export function pageState(text: string): 'own' | 'edited' | 'foreign' {
  const lines = text.replaceAll('\r\n', '\n')
  const [head, , hash] = mark.exec(lines) ?? []
  if (head === undefined) return 'foreign'
  return bodyHash(lines.slice(head.length)) === hash ? 'own' : 'edited'
}

function bodyHash(body: string): string {
  return contentHash(body).slice(0, 16)
}

/** Text within a line of Markdown, so that it is read as it stands: no mark-up, no HTML, no entity. */
function markdownText(text: string): string {
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
function markdownLine(text: string): string {
  const indent = /^[ \t]*/.exec(text)?.[0] ?? ''
  const rest = markdownText(text.slice(indent.length).trimEnd())
    .replace(/^(?:[#>+=-]|::)/, '\\$&')
    .replace(/^(\d+)([.)])/, '$1\\$2')
  return `${'&nbsp;'.repeat(indent.replaceAll('\t', '  ').length)}${rest}`
}

/** Code within a line. In a table a bar would end the cell, also within code. */
function markdownCode(text: string, { inTable }: { readonly inTable: boolean }): string {
  const shown = printable(text).replaceAll('\n', '⏎').replaceAll('\t', ' ')
  const fence = '`'.repeat(longestRun(shown) + 1)
  const padding = /^`|`$|^ .* $|^$/.test(shown) ? ' ' : ''
  const span = `${fence}${padding}${shown}${padding}${fence}`
  return inTable ? span.replaceAll('|', '\\|') : span
}

/** A block of code behind a fence that nothing in it can end. */
function markdownFence(language: string, text: string): string {
  const fence = '`'.repeat(Math.max(longestRun(text) + 1, 3))
  return `${fence}${language}\n${printable(text)}\n${fence}`
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}

/** A page as Markdown (CommonMark with the tables of GitHub); ends with a line break. */
function printMarkdown(page: Section): string {
  return `${sectionBlocks(page, 1).join('\n\n')}\n`
}

function sectionBlocks({ anchor, heading, blocks, sections }: Section, level: number): readonly string[] {
  return [
    // Anchors that are made of headings differ between sites.
    ...(anchor === undefined ? [] : [`<a id="${anchor}"></a>`]),
    `${'#'.repeat(Math.min(level, 6))} ${lineText(heading)}`,
    ...blocks.map(blockText),
    ...sections.flatMap((section) => sectionBlocks(section, level + 1)),
  ]
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'line':
      return lineText(block.line)
    case 'prose':
      return proseText(block.text)
    case 'quote':
      return proseText(block.text).replace(/^/gm, '> ').replace(/ +$/gm, '')
    case 'list':
      return itemLines(block.items, '').join('\n')
    case 'table':
      return [block.heads, block.heads.map(() => '---'), ...block.rows.map((row) => row.map(cellText))]
        .map((cells) => `| ${cells.join(' | ')} |`)
        .join('\n')
    case 'code':
      return markdownFence(block.language, block.text)
    case 'folded':
      return `<details>\n<summary>${markdownText(block.summary)}</summary>\n\n${blockText(block.block)}\n\n</details>`
  }
}

function itemLines(items: readonly Item[], indent: string): readonly string[] {
  return items.flatMap(({ line, items: below }) => [
    `${indent}- ${lineText(line)}`,
    ...(below === undefined ? [] : itemLines(below, `${indent}  `)),
  ])
}

/** Paragraphs stay paragraphs and lines lines. */
function proseText(text: string): string {
  const paragraphs = text
    .replace(/\r\n?/g, '\n')
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/^\n+|\s+$/g, ''))
  return paragraphs
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => paragraph.split('\n').map(markdownLine).join('\\\n'))
    .join('\n\n')
}

function lineText(line: Line): string {
  return line.map((inline) => inlineText(inline, { inTable: false })).join('')
}

function cellText(line: Line): string {
  return line.map((inline) => inlineText(inline, { inTable: true })).join('')
}

function inlineText(inline: Inline, location: { readonly inTable: boolean }): string {
  if (typeof inline === 'string') return markdownText(inline.replace(/\r\n?/g, '\n')).replace(/\s*\n\s*/g, '<br>')
  switch (inline.kind) {
    case 'code':
      return markdownCode(inline.text, location)
    case 'strong':
      return `**${inlineText(inline.text, location)}**`
    case 'link':
      return `[${inlineText(inline.label, location)}](#${inline.to})`
  }
}
