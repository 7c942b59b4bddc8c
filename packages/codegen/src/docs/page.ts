import { createHash } from 'node:crypto'
import { templateFile } from '../files.js'
import { printable } from '../text.js'

/** Text with `to` is a link to this anchor. The printing functions escape all text. */
export type Inline = string | { readonly text: string; readonly style?: 'code' | 'strong'; readonly to?: string }

export type Line = readonly Inline[]

export type Block =
  | { readonly kind: 'line'; readonly line: Line }
  | { readonly kind: 'prose' | 'quote'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly { readonly line: Line; readonly nested?: readonly Line[] }[] }
  | { readonly kind: 'table'; readonly heads: readonly string[]; readonly rows: readonly (readonly Line[])[] }
  | { readonly kind: 'code'; readonly language: 'ts' | 'json'; readonly text: string; readonly summary?: string }

export interface Section {
  /** Unique in the page. Absent if no link needs the anchor. */
  readonly anchor?: string
  readonly heading: Line
  readonly blocks: readonly Block[]
  readonly sections?: readonly Section[]
}

/** The anchor is valid in HTML and URLs, and different for each name. */
export function anchorOf(kind: 'agent' | 'toolset' | 'tool' | 'type', name: string): string {
  return `${kind}-${name.replace(/[^\w.-]/g, (unit) => `~${unit.charCodeAt(0).toString(16)}~`)}`
}

export function code(text: string): Inline {
  return { text, style: 'code' }
}

export function jsonCode(value: unknown): Inline {
  return code(JSON.stringify(value))
}

export function link(kind: 'agent' | 'toolset' | 'tool', name: string, text: string = name): Inline {
  return { text, style: 'code', to: anchorOf(kind, name) }
}

export function joined(lines: readonly Line[], separator: string): Line {
  return lines.flatMap((line, index) => (index === 0 ? line : [separator, ...line]))
}

export function table(heads: readonly string[], rows: readonly (readonly Line[])[]): readonly Block[] {
  if (rows.length === 0) return []
  const isUsed = heads.map((_, column) => rows.some((row) => (row[column]?.length ?? 0) > 0))
  const used = <T>(cells: readonly T[]): readonly T[] => cells.filter((_, column) => isUsed[column])
  return [{ kind: 'table', heads: used(heads), rows: rows.map(used) }]
}

function paragraphsOf(text: string): readonly string[] {
  const paragraphs = text.replace(/\r\n?/g, '\n').split(/\n\s*\n/)
  return paragraphs.map((paragraph) => paragraph.replace(/^\n+|\s+$/g, '')).filter((paragraph) => paragraph !== '')
}

function styledText(inline: Inline): Exclude<Inline, string> {
  return typeof inline === 'string' ? { text: inline } : inline
}

export function markdownPage(page: Section): string {
  return `${markdownSection(page, 1).join('\n\n')}\n`
}

function markdownSection({ anchor, heading, blocks, sections = [] }: Section, level: number): readonly string[] {
  return [
    // The anchor is written explicitly, because each site derives anchors from headings in its own way.
    ...(anchor === undefined ? [] : [`<a id="${anchor}"></a>`]),
    `${'#'.repeat(level)} ${markdownLine(heading)}`,
    ...blocks.map(markdownBlock),
    ...sections.flatMap((section) => markdownSection(section, level + 1)),
  ]
}

function markdownBlock(block: Block): string {
  switch (block.kind) {
    case 'line':
      return markdownLine(block.line)
    case 'prose':
      return markdownProse(block.text)
    case 'quote':
      return markdownProse(block.text).replace(/^/gm, '> ').replace(/ +$/gm, '')
    case 'list':
      return block.items
        .flatMap(({ line, nested = [] }) => [line, ...nested].map((each, index) => [index > 0, each] as const))
        .map(([isNested, line]) => `${isNested ? '  ' : ''}- ${markdownLine(line)}`)
        .join('\n')
    case 'table': {
      const rows = block.rows.map((row) => row.map((cell) => markdownLine(cell, true)))
      return [block.heads, block.heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
    }
    case 'code': {
      const fence = '`'.repeat(Math.max(longestFence(block.text) + 1, 3))
      const fenced = `${fence}${block.language}\n${printable(block.text)}\n${fence}`
      if (block.summary === undefined) return fenced
      return `<details>\n<summary>${markdownText(block.summary)}</summary>\n\n${fenced}\n\n</details>`
    }
  }
}

function markdownProse(text: string): string {
  const lineOf = (line: string): string => {
    const indent = /^[ \t]*/.exec(line)?.[0] ?? ''
    const rest = markdownText(line.slice(indent.length).trimEnd())
      .replace(/^(?:[#>+=-]|::)/, '\\$&')
      .replace(/^(\d+)([.)])/, '$1\\$2')
    return `${'&nbsp;'.repeat(indent.replaceAll('\t', '  ').length)}${rest}`
  }
  return paragraphsOf(text)
    .map((paragraph) => paragraph.split('\n').map(lineOf).join('\\\n'))
    .join('\n\n')
}

function markdownLine(line: Line, inTable = false): string {
  return line
    .map((inline) => {
      const { text, style, to } = styledText(inline)
      const plain = style === 'code' ? markdownCode(text, inTable) : markdownText(text.replace(/\r\n?/g, '\n'))
      const styled = style === 'strong' ? `**${plain}**` : plain
      const shown = style === 'code' ? styled : styled.replace(/\s*\n\s*/g, '<br>')
      return to === undefined ? shown : `[${shown}](#${to})`
    })
    .join('')
}

function markdownText(text: string): string {
  return (
    printable(text)
      .replace(/[\\`*[\]<&~|$]/g, '\\$&')
      // An underscore within a word has no meaning in Markdown; names contain many.
      .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\_')
  )
}

function markdownCode(text: string, inTable: boolean): string {
  const shown = printable(text).replaceAll('\n', '⏎').replaceAll('\t', ' ')
  const fence = '`'.repeat(longestFence(shown) + 1)
  const padding = /^`|`$|^ .* $|^$/.test(shown) ? ' ' : ''
  const span = `${fence}${padding}${shown}${padding}${fence}`
  return inTable ? span.replaceAll('|', '\\|') : span
}

function longestFence(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}

export function htmlPage(page: Section): string {
  const [style, script] = ['catalogue.css', 'catalogue.js'].map((name) => {
    const text = templateFile(name)
    return { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` }
  })
  const parts: Readonly<Record<string, string | undefined>> = {
    policy: `default-src 'none'; style-src '${style?.hash}'; script-src '${script?.hash}'; base-uri 'none'; form-action 'none'`,
    heading: htmlLine(page.heading),
    style: style?.text,
    script: script?.text,
    contents: page.blocks.map(htmlBlock).join('\n'),
    sections: (page.sections ?? []).map((section) => htmlSection(section, 2)).join('\n'),
  }
  return templateFile('catalogue-page.txt').replace(/\{\{(\w+)\}\}/g, (_, name: string) => parts[name] ?? '')
}

function htmlSection({ anchor, heading, blocks, sections = [] }: Section, level: number): string {
  const id = anchor === undefined ? '' : ` id="${anchor}"`
  const self =
    anchor === undefined ? '' : ` <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`
  return [
    `<section${id}${anchor?.startsWith('tool-') ? ' class="tool"' : ''}>`,
    `<h${level}>${htmlLine(heading)}${self}</h${level}>`,
    ...blocks.map(htmlBlock),
    ...sections.map((section) => htmlSection(section, level + 1)),
    '</section>',
  ].join('\n')
}

function htmlBlock(block: Block): string {
  switch (block.kind) {
    case 'line':
      return `<p>${htmlLine(block.line)}</p>`
    case 'prose':
      return htmlProse(block.text)
    case 'quote':
      return `<blockquote>${htmlProse(block.text)}</blockquote>`
    case 'list':
      return htmlList(
        block.items.map(({ line, nested }) => {
          const inner = nested?.map((each) => htmlLine(each))
          return inner === undefined ? htmlLine(line) : `${htmlLine(line)}\n${htmlList(inner)}\n`
        }),
      )
    case 'table': {
      const heads = block.heads.map((head) => `<th scope="col">${htmlText(head)}</th>`).join('')
      const rows = block.rows.map((row) => `<tr>${row.map((cell) => `<td>${htmlLine(cell)}</td>`).join('')}</tr>`)
      return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table>\n<thead><tr>${heads}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table></div>`
    }
    case 'code': {
      const text = `<pre tabindex="0"><code>${htmlText(block.text)}</code></pre>`
      if (block.summary === undefined) return text
      return `<details>\n<summary>${htmlText(block.summary)}</summary>\n${text}\n</details>`
    }
  }
}

function htmlList(items: readonly string[]): string {
  return `<ul>\n${items.map((item) => `<li>${item}</li>`).join('\n')}\n</ul>`
}

function htmlProse(text: string): string {
  return paragraphsOf(text)
    .map((paragraph) => `<p>${htmlText(paragraph).replace(/[ \t]*\n/g, '<br>')}</p>`)
    .join('\n')
}

function htmlLine(line: Line): string {
  return line
    .map((inline) => {
      const { text, style, to } = styledText(inline)
      const broken = htmlText(text.replace(/\r\n?/g, '\n')).replace(/[ \t]*\n/g, '<br>')
      const styled = style === 'code' ? `<code>${htmlText(text)}</code>` : broken
      const shown = style === 'strong' ? `<strong>${styled}</strong>` : styled
      return to === undefined ? shown : `<a href="#${to}">${shown}</a>`
    })
    .join('')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Also escapes lines that look like commands of GitHub Actions, because a job may print the page to its log. */
function htmlText(text: string): string {
  return printable(text)
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
    .replace(/^([ \t]*):(?=:)/gm, '$1&#58;')
}
