import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../lib/run.mjs'

/** Path of the `toolgen` command of this repository. */
export const toolgen = join(root, 'packages/codegen/bin/toolgen.js')

/** Arguments of Node that start each compiler, by name. */
export const compilers = {
  'TypeScript 5.9': [join(root, 'node_modules/typescript/bin/tsc')],
  'TypeScript 7.0': [join(root, 'node_modules/typescript-7/bin/tsc')],
}

/** Returns an array with the values of `count` calls. */
export const repeated = (count, make) => Array.from({ length: count }, make)

/**
 * Calls `work` with an empty folder and removes the folder afterwards.
 *
 * @param path path of the folder, relative to the root of the repository. The folder must be inside a package of the workspace, so that modules in
 * it can import the packages
 */
export async function withFolder(path, work) {
  const folder = join(root, path)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs Node with the arguments and returns stdout. Throws with the output if the process fails. */
export function runNode(args, { cwd }) {
  const child = spawnSync(process.execPath, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    env: { ...process.env, NO_COLOR: '1' },
  })
  if (child.status === 0) return child.stdout
  throw new Error(`node ${args.join(' ')} ended with ${child.status}:\n${child.stdout}${child.stderr}`.slice(0, 4000))
}

/** Returns the paths and contents of the files in a folder as one string, in a fixed order. Default: all files. */
export function readTree(folder, isIncluded = () => true) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(isIncluded)
    .sort()
    .map((path) => `${path}\n${readFileSync(path, 'utf8')}`)
    .join('')
}
