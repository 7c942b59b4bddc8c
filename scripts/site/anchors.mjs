import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

/** Returns the links of a built site to headings that do not exist. VitePress checks only whether pages exist. */
export function brokenAnchors(folder, base) {
  const pages = new Map(
    readdirSync(folder, { recursive: true })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.html'))
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )
  const anchors = new Map([...pages].map(([path, html]) => [path, new Set(values(html, 'id'))]))
  return [...pages].flatMap(([page, html]) =>
    values(html, 'href')
      .filter((link) => link.includes('#') && !/^[a-z]+:/.test(link))
      .filter((link) => {
        const [path, anchor] = link.split('#').map(decodeURIComponent)
        const local = path.startsWith(base) ? path.slice(base.length) : posix.join(posix.dirname(page), path)
        const target =
          path === '' ? page : local === '' || local.endsWith('/') ? posix.join(local, 'index.html') : local
        return !anchors.get(target)?.has(anchor)
      })
      .map((link) => ({ page, link })),
  )
}

const values = (html, name) => [...html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g'))].map(([, value]) => value)
