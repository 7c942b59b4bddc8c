import { defineConfig } from 'vitepress'
import { anchorOf, sitePages, siteTitle } from '../pages.mjs'

const { sidebar } = sitePages()
const { title, description } = siteTitle()

export default defineConfig({
  title,
  description,
  lang: 'en',
  srcDir: '.pages',
  outDir: '../../site',
  cacheDir: 'node_modules/.cache/vitepress',
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: `${process.env.TOOLGEN_DOCS_BASE ?? '/'}logo.svg` }]],
  base: process.env.TOOLGEN_DOCS_BASE ?? '/',
  // Links to headings have the same form as on GitHub.
  markdown: { anchor: { slugify: anchorOf }, config: escapeBraces },
  // A high limit, because the runtime reference and the search index are large.
  vite: { build: { chunkSizeWarningLimit: 4000 } },
  themeConfig: {
    logo: '/logo.svg',
    nav: sidebar.map(navItem),
    sidebar,
    outline: [2, 3],
    search: { provider: 'local' },
    footer: { message: 'Released under the MIT licence.' },
  },
})

/** Returns an item that links to the first page of a group and is active on all its pages. */
function navItem({ text, items }) {
  const paths = items.map(({ link }) => link.replace(/\.md$/, ''))
  return { text, link: items[0].link, activeMatch: `^(?:${paths.join('|')})(?:\\.html)?$` }
}

/** Escapes the braces of hint templates, which Vue would evaluate. */
function escapeBraces({ renderer }) {
  const render = renderer.render.bind(renderer)
  renderer.render = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
}
