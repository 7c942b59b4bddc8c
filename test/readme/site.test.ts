import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linksOf } from './links.js'
import { root } from './snippet-project.js'

/** Output of `npm run docs -- --json`, which needs no installation. */
interface Site {
  readonly pages: readonly { readonly path: string; readonly source: string; readonly text: string }[]
  readonly sidebar: readonly {
    readonly text: string
    readonly items: readonly { readonly text: string; readonly link: string }[]
  }[]
}

// The report has more than 1 MiB, the default limit.
const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 } as const
const { stdout, stderr } = spawnSync(process.execPath, ['scripts/docs.mjs', '--json'], options)
if (!stdout.startsWith('{')) throw new Error(`npm run docs: ${stderr}`)
const site: Site = JSON.parse(stdout)
const readme = readFileSync(join(root, 'README.md'), 'utf8')

describe('the documentation site', () => {
  it('has every page of docs in its sidebar, once', () => {
    const links = site.sidebar.flatMap(({ items }) => items.map(({ link }) => link))
    expect(new Set(links).size).toBe(links.length)
    const guides = readdirSync(join(root, 'docs')).filter((name) => name.endsWith('.md'))
    expect(links).toEqual(expect.arrayContaining(guides.map((name) => `/${name}`)))
    const paths = new Set(site.pages.map(({ path }) => `/${path}`))
    expect(links.filter((link) => !paths.has(link))).toEqual([])
  })

  it('takes the groups of its sidebar from the list of the README', () => {
    const [, section = ''] = /^## Documentation\n([\s\S]*?)^## /m.exec(readme) ?? []
    const titles = [...section.matchAll(/^- ([^:\n]+): /gm)].map(([, title = '']) => title)
    expect(titles.length).toBeGreaterThan(3)
    expect(site.sidebar.map(({ text }) => text)).toEqual(titles)
    for (const { text, items } of site.sidebar) {
      expect(text).toMatch(/^\p{Lu}/u)
      for (const item of items) if (!item.link.startsWith('/packages/')) expect(item.text).toMatch(/^\p{Lu}/u)
    }
  })

  it('links only to its own pages', () => {
    const paths = new Set(site.pages.map(({ path }) => path))
    const broken = site.pages.flatMap(({ path, text }) =>
      linksOf(path, text).filter((link) => link.path !== '' && !paths.has(posix.join(posix.dirname(path), link.path))),
    )
    expect(broken).toEqual([])
  })

  it('keeps the text of the guides', () => {
    const withoutLinks = (text: string): string => text.replaceAll(/\]\([^)\s]+\)/g, ']')
    const guides = site.pages.filter(({ source }) => dirname(source) === 'docs')
    expect(guides.length).toBeGreaterThan(30)
    for (const { source, text } of guides) {
      const original = readFileSync(join(root, source), 'utf8')
      expect(withoutLinks(text).replace(/^---\n[\s\S]*?\n---\n\n/, '')).toBe(withoutLinks(original))
    }
  })

  it('has a page for every example, with its sources', () => {
    const page = site.pages.find(({ path }) => path === 'examples/orders.md')
    const design = readFileSync(join(root, 'examples/orders/design/orders.ts'), 'utf8')
    expect(page?.text).toContain(`## design/orders.ts\n\n\`\`\`\`\`ts\n${design.trimEnd()}\n`)
  })

  it('begins with the first paragraph of the README', () => {
    const start = site.pages.find(({ path }) => path === 'index.md')?.text ?? ''
    const [, paragraph = ''] = /^# .*\n\n([\s\S]*?)\n\n/.exec(readme) ?? []
    for (const sentence of paragraph.replaceAll('\n', ' ').split(/(?<=\.) /)) expect(start).toContain(sentence)
    for (const [heading] of readme.matchAll(/^## .*$/gm)) expect(start).toContain(heading)
  })

  it('is built by packages that the repository does not install', () => {
    const workspace = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8')
    expect(workspace).not.toMatch(/scripts\/(?:site|\*)/)
    expect(existsSync(join(root, 'node_modules/vitepress'))).toBe(false)
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'scripts/site/package.json'), 'utf8'))
    for (const version of Object.values(devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  })
})
