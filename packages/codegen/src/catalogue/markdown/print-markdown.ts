import type { Block, Inline, Item, Line, Section } from '../page/page.js'
import { markdownCode, markdownFence, markdownLine, markdownText } from './markdown-text.js'

/** A page as Markdown (CommonMark with the tables of GitHub); ends with a line break. */
export function printMarkdown(page: Section): string {
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

function inlineText(inline: Inline, place: { readonly inTable: boolean }): string {
  if (typeof inline === 'string') return markdownText(inline.replace(/\r\n?/g, '\n')).replace(/\s*\n\s*/g, '<br>')
  switch (inline.kind) {
    case 'code':
      return markdownCode(inline.text, place)
    case 'strong':
      return `**${inlineText(inline.text, place)}**`
    case 'link':
      return `[${inlineText(inline.label, place)}](#${inline.to})`
  }
}
