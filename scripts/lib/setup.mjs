import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { node, pnpm, pnpmVersion, root } from './run.mjs'

/** Prints the output of installation and build to stderr: stdout contains only the results of the command. */
const toStderr = { stdio: ['ignore', 2, 2] }

const stampFile = join(root, 'node_modules', '.toolgen-setup')

/** Builds the packages. Before the build, installs the dependencies if the lock file has changed since the last installation. */
export async function setUp() {
  requireNode(20)
  await install()
  await build()
}

async function install() {
  const stamp = installationStamp()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  console.error(`Installing the dependencies with pnpm ${pnpmVersion} ...`)
  const code = await pnpm(['install', '--frozen-lockfile', '--reporter=append-only'], toStderr)
  if (code !== 0)
    fail('The installation failed; see above. It needs the npm registry (or a mirror in your npm configuration).')
  writeFileSync(stampFile, stamp)
}

async function build() {
  const code = await node(['scripts/build.mjs'], toStderr)
  if (code !== 0) fail('The build failed; see above.')
}

/** Returns a hash of everything that an installation depends on: lock file, workspace, major version of Node. */
function installationStamp() {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'])
    hash.update(readFileSync(join(root, file)))
  return `${hash.digest('hex')} node ${process.versions.node.split('.')[0]}\n`
}

function requireNode(major) {
  if (Number(process.versions.node.split('.')[0]) >= major) return
  fail(`toolgen needs Node ${major} or newer; this is Node ${process.versions.node}.`)
}

function fail(message) {
  console.error(`\n${message}`)
  process.exit(1)
}
