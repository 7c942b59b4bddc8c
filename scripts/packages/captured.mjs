import { spawnSync } from 'node:child_process'
import { delimiter, dirname } from 'node:path'
import { root } from '../lib/run.mjs'

/**
 * Runs a program with a version of Node, as in the project of a user. Returns its exit code and output. The PATH does not contain the programs of
 * this repository that `npm run` adds.
 */
export function captured(program, args, { cwd, node }) {
  const { npm_execpath: _, NODE_OPTIONS: __, PATH = '', ...inherited } = process.env
  const path = PATH.split(delimiter).filter((folder) => !folder.startsWith(root))
  const env = { ...inherited, NO_COLOR: '1', PATH: [dirname(node), ...path].join(delimiter) }
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, env, encoding: 'utf8', timeout: 600_000 })
  if (error !== undefined) return { code: 127, stdout: '', output: error.message }
  return { code: status ?? 1, stdout, output: `${stdout}${stderr}` }
}
