import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { foundAt } from '../evaluate/found-at.js'

/** The names under which a configuration is looked for, in this order. */
export const configNames: readonly string[] = ['toolgen.config.ts', 'toolgen.config.js', 'toolgen.config.mjs']

/**
 * The absolute path of the configuration file, without reading it.
 *
 * @param options.path the file that the user named; otherwise `cwd` is searched, no folder above it
 * @returns `undefined` where there is none
 */
export function findConfig(options: { readonly cwd: string; readonly path?: string }): string | undefined {
  const candidates = options.path === undefined ? configNames : [options.path]
  return candidates.map((name) => resolve(options.cwd, name)).find((file) => foundAt(file)?.isFile())
}

/** The folder, or the nearest above it, in which a configuration is found: absolute. */
export function folderWithConfig(folder: string): string | undefined {
  if (findConfig({ cwd: folder }) !== undefined) return folder
  const above = dirname(folder)
  return above === folder ? undefined : folderWithConfig(above)
}

/** The nearest `tsconfig.json` in the folder or above it. */
export function findTsconfig(folder: string): string | undefined {
  const file = join(folder, 'tsconfig.json')
  if (existsSync(file)) return file
  const above = dirname(folder)
  return above === folder ? undefined : findTsconfig(above)
}
