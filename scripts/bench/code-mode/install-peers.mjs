import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { npm, root } from '../../lib/run.mjs'
import { nodeOf } from '../../packages/nodes.mjs'

const source = join(root, 'scripts', 'bench', 'code-mode', 'peers')
const folder = join(root, 'node_modules', '.cache', 'toolgen-code-mode-peers')
const stampFile = join(folder, 'installed')

/** The peers need this version of Node. */
const major = 22

/**
 * Installs the peers as their lock file says, and copies their contestants next to them. They are no dependencies of the workspace, because
 * they need Node 22. Resolves with the program of Node, and the URLs of the contestants.
 */
export async function installPeers() {
  const node = await nodeOf(major)
  const stamp = createHash('sha256')
    .update(readFileSync(join(source, 'package-lock.json')))
    .digest('hex')
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
    console.error('Installing the peers ...')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(source, file), join(folder, file))
    // The native module of isolated-vm is part of its package.
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
    const code = await npm(['ci', '--ignore-scripts', ...quiet], { cwd: folder, stdio: ['ignore', 2, 2] })
    if (code !== 0) throw new Error('The peers could not be installed. They need the npm registry, or a mirror.')
    writeFileSync(stampFile, stamp)
  }
  const files = readdirSync(source).filter((file) => file.endsWith('.mjs'))
  for (const file of files) copyFileSync(join(source, file), join(folder, file))
  return { node, contestants: files.sort().map((file) => pathToFileURL(join(folder, file)).href) }
}
