import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { anchorsOf, linksOf } from './links.js'
import { root } from './snippet-project.js'

const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const below = (folder: string): readonly string[] => readdirSync(join(root, folder)).map((name) => `${folder}/${name}`)

const docs = below('docs').filter((path) => path.endsWith('.md'))
const packages = below('packages').map((folder) => `${folder}/README.md`)

const roots = ['', 'packages/codegen/src', 'packages/runtime/src']

describe('the links of the documents', () => {
  it.each(['README.md', 'AGENTS.md', 'CONTRIBUTING.md', ...docs, ...packages])(
    '%s leads to files and headings that exist',
    (page) => {
      const broken = linksOf(page, read(page)).filter(({ path, anchor }) => {
        const target = path === '' ? page : normalize(join(dirname(page), path))
        if (!existsSync(join(root, target))) return true
        return anchor !== undefined && !anchorsOf(read(target)).has(anchor)
      })
      expect(broken).toEqual([])
    },
  )

  it.each(['docs/architecture.md', 'CONTRIBUTING.md'])('%s names source files that exist', (page) => {
    const sources = [...read(page).matchAll(/`([a-z/-]+\/[a-z0-9-]+\.ts)`/g)].map(([, file = '']) => file)
    const missing = sources.filter((file) => !roots.some((folder) => existsSync(join(root, folder, file))))
    expect(sources.length).toBeGreaterThan(3)
    expect(missing).toEqual([])
  })

  it('the README leads to every page and every package', () => {
    const targets = new Set(linksOf('README.md', read('README.md')).map(({ path }) => path))
    expect([...docs, ...packages].filter((page) => !targets.has(page))).toEqual([])
  })

  it.each(packages)('%s, which is also shown where the repository is not, leads nowhere else', (page) => {
    expect(linksOf(page, read(page)).filter(({ path }) => path !== '')).toEqual([])
  })

  it('finds links and headings as GitHub does', () => {
    const text =
      '# `a.b` & C\n\n[x](#ab--c), `[no](link)`, [y](../z.md#q-1)\n\n```ts\n// [no](link)\n# no\n```\n\n## q\n\n## q\n'
    expect(linksOf('p.md', text)).toEqual([
      { place: 'p.md:3', path: '', anchor: 'ab--c' },
      { place: 'p.md:3', path: '../z.md', anchor: 'q-1' },
    ])
    expect([...anchorsOf(text)]).toEqual(['ab--c', 'q', 'q-1'])
  })
})
