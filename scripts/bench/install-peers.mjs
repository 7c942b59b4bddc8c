import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { npm, root } from '../lib/run.mjs'
import { nodeOf } from '../packages/nodes.mjs'

/**
 * Installs the libraries that a command compares with toolgen, in the versions of the lock file in its folder `peers`, and copies the files of this
 * folder next to them. The workspace does not depend on these libraries, because only this command needs them. Resolves with the path of the Node
 * executable, and with the URLs of the copied modules in alphabetical order.
 *
 * @param benchmark name of the benchmark or command
 * @param major version of Node that the peers need. Default: the current version
 * @param parent folder with `peers`, relative to the root of the repository
 */
export async function installPeers(benchmark, major, parent = join('scripts', 'bench', benchmark)) {
  const node = major === undefined ? process.execPath : await nodeOf(major)
  const source = join(root, parent, 'peers')
  const folder = join(root, 'node_modules', '.cache', `toolgen-${benchmark}-peers`)
  const stampFile = join(folder, 'installed')
  const stamp = createHash('sha256')
    .update(readFileSync(join(source, 'package-lock.json')))
    .digest('hex')
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
    console.error('Installing the peers ...')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    cpSync(source, folder, { recursive: true })
    // `npm ci` rejects lock files without the optional packages that a registry does not have.
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
    const code = await npm(['install', '--ignore-scripts', ...quiet], { cwd: folder, stdio: ['ignore', 2, 2] })
    if (code !== 0) throw new Error('The peers could not be installed. They need the npm registry, or a mirror.')
    writeFileSync(stampFile, stamp)
  }
  cpSync(source, folder, { recursive: true })
  const files = readdirSync(source).filter((file) => file.endsWith('.mjs'))
  return { node, contestants: files.sort().map((file) => pathToFileURL(join(folder, file)).href) }
}
