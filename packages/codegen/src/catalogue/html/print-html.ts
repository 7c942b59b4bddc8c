import { createHash } from 'node:crypto'
import type { Block, Inline, Item, Line, Section } from '../page/page.js'
import { filterScript } from './filter-script.js'
import { htmlText } from './html-text.js'
import { pageStyle } from './page-style.js'

/**
 * A page as one HTML file that loads nothing: its style and its script, which only adds a box to look for tools, stand in it, and
 * a policy forbids all else.
 */
export function printHtml(page: Section): string {
  const policy = `default-src 'none'; style-src '${hashOf(pageStyle)}'; script-src '${hashOf(filterScript)}'; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<title>${plainText(page.heading)}</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>${lineText(page.heading)}</h1>
</header>
<nav aria-label="Contents">
${page.blocks.map(blockText).join('\n')}
</nav>
<main>
${page.sections.map((section) => sectionText(section, 2)).join('\n')}
</main>
<script>${filterScript}</script>
</body>
</html>
`
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function sectionText({ anchor, role, heading, blocks, sections }: Section, level: number): string {
  const tag = `h${Math.min(level, 6)}`
  const attributes = `${anchor === undefined ? '' : ` id="${anchor}"`}${role === undefined ? '' : ` class="${role}"`}`
  return [
    `<section${attributes}>`,
    `<${tag}>${lineText(heading)}${anchor === undefined ? '' : ` <a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`}</${tag}>`,
    ...blocks.map(blockText),
    ...sections.map((section) => sectionText(section, level + 1)),
    '</section>',
  ].join('\n')
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'line':
      return `<p>${lineText(block.line)}</p>`
    case 'prose':
      return proseText(block.text)
    case 'quote':
      return `<blockquote>${proseText(block.text)}</blockquote>`
    case 'list':
      return listText(block.items)
    case 'table': {
      const heads = block.heads.map((head) => `<th scope="col">${htmlText(head)}</th>`).join('')
      const rows = block.rows.map((row) => `<tr>${row.map((cell) => `<td>${lineText(cell)}</td>`).join('')}</tr>`)
      return `<div class="wide" tabindex="0" role="region" aria-label="Table"><table>\n<thead><tr>${heads}</tr></thead>\n<tbody>\n${rows.join('\n')}\n</tbody>\n</table></div>`
    }
    case 'code':
      return `<pre tabindex="0"><code>${htmlText(block.text)}</code></pre>`
    case 'folded':
      return `<details>\n<summary>${htmlText(block.summary)}</summary>\n${blockText(block.block)}\n</details>`
  }
}

function listText(items: readonly Item[]): string {
  const entries = items.map(
    ({ line, items: below }) => `<li>${lineText(line)}${below === undefined ? '' : `\n${listText(below)}\n`}</li>`,
  )
  return `<ul>\n${entries.join('\n')}\n</ul>`
}

function proseText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .split(/\n\s*\n/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map((paragraph) => `<p>${brokenText(paragraph.replace(/^\n+|\s+$/g, ''))}</p>`)
    .join('\n')
}

function brokenText(text: string): string {
  return htmlText(text).replace(/[ \t]*\n/g, '<br>')
}

function lineText(line: Line): string {
  return line.map(inlineText).join('')
}

function inlineText(inline: Inline): string {
  if (typeof inline === 'string') return brokenText(inline.replace(/\r\n?/g, '\n'))
  switch (inline.kind) {
    case 'code':
      return `<code>${htmlText(inline.text)}</code>`
    case 'strong':
      return `<strong>${brokenText(inline.text)}</strong>`
    case 'link':
      return `<a href="#${inline.to}">${inlineText(inline.label)}</a>`
  }
}

function plainText(line: Line): string {
  return line.map((inline) => (typeof inline === 'string' ? htmlText(inline) : '')).join('')
}
