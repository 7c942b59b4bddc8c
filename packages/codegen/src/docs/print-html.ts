import { createHash } from 'node:crypto'
import { printable } from '../text.js'
import type { Block, Inline, Item, Line, Section } from './page.js'

/** Adds a box above the contents that leaves only the tools whose texts hold all words that are written in it. */
export const filterScript = `
(() => {
  const nav = document.querySelector('nav')
  const tools = [...document.querySelectorAll('section.tool')]
  if (nav === null || tools.length < 2) return
  const label = document.createElement('label')
  const box = document.createElement('input')
  const told = document.createElement('output')
  label.className = 'filter'
  label.textContent = 'Find tools '
  box.type = 'search'
  label.append(box, told)
  nav.prepend(label)
  const entries = new Map([...nav.querySelectorAll('a')].map((link) => [link.getAttribute('href'), link.closest('li')]))
  const texts = tools.map((tool) => tool.textContent.toLowerCase())
  box.addEventListener('input', () => {
    const words = box.value.toLowerCase().split(/\\s+/).filter((word) => word !== '')
    let found = 0
    tools.forEach((tool, index) => {
      const fits = words.every((word) => texts[index].includes(word))
      tool.hidden = !fits
      const entry = entries.get('#' + tool.id)
      if (entry) entry.hidden = !fits
      if (fits) found += 1
    })
    told.textContent = words.length === 0 ? '' : found + ' of ' + tools.length + ' tools'
  })
})()
`

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
function htmlText(text: string): string {
  return printable(text)
    .replace(/[&<>"']/g, (character) => entities[character] ?? character)
    .replace(/^([ \t]*):(?=:)/gm, '$1&#58;')
}

/** The style of a page: light and dark, narrow and wide, on paper. */
export const pageStyle = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --back: #fff; --panel: #f6f8fa; --link: #0756b3; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9aa5b1; --line: #3a424c; --back: #0f1318; --panel: #181e25; --link: #7cb7ff; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0 auto; padding: 1.5rem; max-width: 90rem; color: var(--text); background: var(--back); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
h1, h2, h3, h4 { line-height: 1.25; }
h2 { margin-top: 3rem; padding-top: 1rem; border-top: 2px solid var(--line); }
h3 { margin-top: 2.5rem; }
h4 { margin: 1.5rem 0 .5rem; }
.anchor { visibility: hidden; text-decoration: none; }
:is(h2, h3, h4):hover .anchor, .anchor:focus-visible { visibility: visible; }
code, pre { font: .9em/1.5 ui-monospace, monospace; }
code { padding: .1em .3em; border-radius: 4px; background: var(--panel); }
pre { padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); overflow-x: auto; overflow-wrap: normal; }
pre code { padding: 0; background: none; }
blockquote { margin: 0; padding: .1rem 1rem; border-left: 4px solid var(--line); color: var(--soft); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; min-width: 40rem; }
th, td { padding: .4rem .7rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th { background: var(--panel); }
td:first-child code { overflow-wrap: normal; }
summary { cursor: pointer; color: var(--link); }
nav ul { padding-left: 1.2rem; }
.filter { display: block; margin: 1rem 0; }
.filter input { font: inherit; width: 100%; max-width: 30rem; padding: .4rem .6rem; color: inherit; background: var(--back); border: 1px solid var(--line); border-radius: 6px; }
[hidden] { display: none !important; }
@media (min-width: 70rem) {
  body { display: grid; grid-template-columns: 20rem minmax(0, 1fr); column-gap: 3rem; }
  header { grid-column: 1 / -1; }
  nav { position: sticky; top: 1rem; align-self: start; max-height: calc(100vh - 2rem); overflow-y: auto; font-size: .9rem; }
  main > section:first-child > h2 { margin-top: 0; border-top: 0; padding-top: 0; }
}
@media print {
  :root { --text: #000; --soft: #333; --line: #999; --back: #fff; --panel: #fff; --link: #000; }
  body { display: block; max-width: none; padding: 0; font-size: 10pt; }
  .anchor, .filter, details { display: none; }
  .wide { overflow: visible; }
  table { min-width: 0; width: 100%; }
  pre { white-space: pre-wrap; }
  h2, h3, h4 { break-after: avoid; }
  tr, pre { break-inside: avoid; }
}
`

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
