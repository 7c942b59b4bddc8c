// Creates the pages of the documentation site from README.md, docs/*.md and the files that they link to. Imports no packages.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join, posix } from 'node:path'
import { root } from '../lib/run.mjs'

const read = (path) => readFileSync(join(root, path), 'utf8')
const guides = () => readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))

/**
 * Returns the pages and images of the site by path, and the sidebar.
 *
 * @throws {Error} if the target of a link does not exist, or if a page of `docs` is not in the sidebar
 */
export function sitePages() {
  const groups = sidebarGroups()
  const sources = ['README.md', ...guides().map((name) => `docs/${name}`), ...linksOf(groups)]
  const pages = new Map()
  // `sources` grows during the loop: files that a page links to become pages too.
  for (const source of sources) {
    if (pages.has(source)) continue
    if (isImage(source)) {
      pages.set(source, { path: pagePath(source), source, text: '' })
      continue
    }
    const { text, targets } = withSiteLinks(source, markdownOf(source, groups))
    pages.set(source, { path: pagePath(source), source, text })
    sources.push(...targets)
  }
  const missing = guides().filter((name) => !linksOf(groups).includes(`docs/${name}`))
  if (missing.length > 0) {
    throw new Error(
      `The documentation list of README.md does not link to ${missing.join(', ')}. Add a link for each page.`,
    )
  }
  const sidebar = groups.map(({ title, links }) => ({
    text: title,
    items: links.map(({ text, target }) => ({ text, link: `/${pagePath(target)}` })),
  }))
  return { pages: [...pages.values()], sidebar }
}

/** Returns the title and the first sentence of README.md. */
export function siteTitle() {
  const { title, about } = leadOf(read('README.md'))
  return { title, description: firstSentence(about) }
}

/** Checks whether a file is copied to the site unchanged. */
export const isImage = (path) => /\.(?:png|svg|webp)$/.test(path)

/** Returns the path on the site of a source file. */
function pagePath(source) {
  if (source === 'README.md') return 'index.md'
  if (source.startsWith('docs/')) return source.slice('docs/'.length)
  if (source.endsWith('/README.md')) return `${posix.dirname(source)}.md`
  if (!source.endsWith('.md') && !isImage(source)) return `${source}.md`
  return source.includes('/') ? source : `project/${source.toLowerCase()}`
}

function markdownOf(source, groups) {
  if (source === 'README.md') return startPage(read(source), groups)
  if (statSync(join(root, source)).isDirectory()) return folderPage(source)
  if (extname(source) !== '.md') return `# ${source}\n\n${codeBlock(source)}\n`
  const text = read(source)
  const hasLongOutline = (text.match(/^### /gm) ?? []).length > 40
  return hasLongOutline ? `---\noutline: 2\n---\n\n${text}` : text
}

// Sidebar: one group for each item of the list in the section "Documentation", with the links of the item.

const groupItems = /^- ([^:\n]+): (.*\n(?: {2}.*\n)*)/gm

/** Returns the groups of the sidebar. */
function sidebarGroups() {
  const readme = read('README.md')
  const groups = [...sectionOf(readme, 'Documentation').matchAll(groupItems)].map(groupOf)
  if (groups.length === 0) throw new Error('README.md has no list in its section "Documentation".')
  return groups
}

function groupOf([, title, body]) {
  // Several links to headings of one page are one sidebar item.
  const links = markdownLinks(body.replaceAll(/\s+/g, ' '))
    .filter(({ target }) => !target.includes('#'))
    .map(({ text, target }) => ({ text: capital(text).replaceAll('`', ''), target }))
  return { title: capital(title), links }
}

const markdownLinks = (text) =>
  [...text.matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)].map(([, label, target]) => ({ text: label, target }))

const linksOf = (groups) => groups.flatMap(({ links }) => links.map(({ target }) => target))

// Start page: the lead of README.md, cards for the ways to start, then the other sections.

function startPage(readme, groups) {
  const { title, about, rest } = leadOf(readme)
  const headline = firstSentence(about)
  const starts = linksOf(groups).filter((path) => path.startsWith('docs/start-'))
  const code = rest.indexOf('```')
  const sections = readme.slice(readme.search(/^## /m))
  const documentation = sectionOf(readme, 'Documentation')
  const text = [
    `---\nlayout: page\nsidebar: false\naside: false\npageClass: start\ntitle: ${title}\ntitleTemplate: ${JSON.stringify(headline)}\n---`,
    `<div class="start-hero vp-doc">\n<div class="start-claim">`,
    `# ${title}`,
    `<div class="start-headline">\n\n${headline}\n\n</div>`,
    about.slice(headline.length).trim(),
    `<div class="start-actions">\n\n[${groups[0].links[0].text}](${groups[0].links[0].target}) [Documentation](#documentation)\n\n</div>`,
    rest.slice(0, code).trim(),
    '</div>\n<div class="start-code">',
    rest.slice(code),
    '</div>\n</div>',
    starts.length === 0 ? '' : cards('start-paths', starts.map(startCard)),
    '<div class="start-sections vp-doc">',
    sections.replace(documentation, () => `\n${documentationGrid(groups)}\n\n`),
    '</div>',
  ].join('\n\n')
  // The name of a file is the title of its code.
  return text.replaceAll(
    /^```(\w+)\n(?:\/\/|#) (\S+\.\w+)\n([\s\S]*?)^```$/gm,
    '::: code-group\n```$1 [$2]\n$3```\n:::',
  )
}

function startCard(path) {
  const text = read(path)
  const [, about = ''] = /^# .*\n+([^\n#`|][\s\S]*?)(?:\n\n|$)/.exec(text) ?? []
  return `### [${titleOf(text)}](${path})\n\n${about}`
}

const cards = (name, texts) =>
  [`<div class="start-cards ${name} vp-doc">`, ...texts.map((text) => `<div>\n\n${text}\n\n</div>`), '</div>'].join(
    '\n\n',
  )

const documentationGrid = (groups) =>
  cards(
    'start-groups',
    groups.map(
      ({ title, links }) => `### ${title}\n\n${links.map(({ text, target }) => `- [${text}](${target})`).join('\n')}`,
    ),
  )

// Pages for files and folders outside `docs`.

/** Returns the page of an example: its configuration, its design and its program. */
function folderPage(folder) {
  const files = readdirSync(join(root, folder), { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /^(?:toolgen\.config|(?:design|src)\/.*)\.ts$/.test(path))
    .sort()
  const intro = `The sources of \`${folder}\`. The repository also has its generated code in \`gen\` and its tests.`
  return [`# ${folder}`, intro, ...files.map((path) => `## ${path}\n\n${codeBlock(`${folder}/${path}`)}`)].join('\n\n')
}

const codeBlock = (path) => `\`\`\`\`\`${extname(path).slice(1)}\n${read(path).trimEnd()}\n\`\`\`\`\``

// Markdown

/** Replaces the links of a text by links to pages of the site. Returns the text and the source files of these pages. */
function withSiteLinks(source, text) {
  const targets = []
  const page = pagePath(source)
  const converted = text.replaceAll(/^(`{3,})[\s\S]*?^\1$|`[^`\n]*`|\]\(([^)\s]+)\)/gm, (found, _, link) => {
    if (link === undefined || link.startsWith('#') || /^[a-z]+:/.test(link)) return found
    const [path, anchor] = link.split('#')
    const target = posix.join(posix.dirname(source), path).replace(/\/$/, '')
    if (!existsSync(join(root, target))) throw new Error(`${source} links to ${link}, which does not exist.`)
    targets.push(target)
    const relative = posix.relative(posix.dirname(page), pagePath(target))
    return `](./${relative}${anchor === undefined ? '' : `#${anchor}`})`
  })
  return { text: converted, targets }
}

/** Returns the title, the first paragraph, and the rest of the text before the first section. */
function leadOf(readme) {
  const [, title, about, rest = ''] = /^# (.*)\n+([\s\S]*?)\n\n([\s\S]*?)(?=^## )/m.exec(readme) ?? []
  if (about === undefined) throw new Error('README.md must begin with a title and a paragraph.')
  return { title, about: about.replaceAll(/\s*\n/g, ' '), rest: rest.trim() }
}

/** Returns the text of a section, without its heading. */
function sectionOf(text, title) {
  const [, body] = new RegExp(`^## ${title}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(text) ?? []
  if (body === undefined) throw new Error(`README.md has no section "${title}".`)
  return body
}

const titleOf = (text) => (/^# (.*)$/m.exec(text)?.[1] ?? '').replaceAll('`', '')
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)
const firstSentence = (text) => /^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0] ?? text

/** Returns the anchor of a heading, as GitHub does. */
export const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-')
