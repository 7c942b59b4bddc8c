import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pnpm, root } from '../lib/run.mjs'
import { isImage } from './pages.mjs'

export const siteFolder = join(root, 'scripts', 'site')
const pagesFolder = join(siteFolder, '.pages')
const stampFile = join(siteFolder, 'node_modules', '.installed')

/** Installs VitePress from its lock file. The workspace does not depend on it, because only this command needs its 100 MB. */
export async function installSite() {
  const lock = readFileSync(join(siteFolder, 'pnpm-lock.yaml'))
  const stamp = createHash('sha256').update(lock).digest('hex')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  console.error('Installing VitePress ...')
  const args = ['install', '--ignore-workspace', '--frozen-lockfile', '--ignore-scripts', '--reporter=append-only']
  const code = await pnpm(args, { cwd: siteFolder, stdio: ['ignore', 2, 2] })
  if (code !== 0) {
    console.error('VitePress could not be installed; see above. It needs the npm registry (or a mirror).')
    process.exit(1)
  }
  writeFileSync(stampFile, stamp)
}

/** Writes the pages to the folder that VitePress reads. Does not touch pages that have not changed. */
export function writePages(pages) {
  mkdirSync(pagesFolder, { recursive: true })
  cpSync(join(siteFolder, 'public'), join(pagesFolder, 'public'), { recursive: true })
  const paths = new Set(pages.map(({ path }) => path))
  for (const { path, source, text } of pages) {
    const file = join(pagesFolder, path)
    if (isImage(path)) {
      mkdirSync(dirname(file), { recursive: true })
      cpSync(join(root, source), file)
      continue
    }
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  for (const path of readdirSync(pagesFolder, { recursive: true })) {
    if (path.endsWith('.md') && !paths.has(path.replaceAll('\\', '/'))) rmSync(join(pagesFolder, path))
  }
}
