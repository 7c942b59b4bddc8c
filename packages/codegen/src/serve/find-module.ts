import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Checked } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near.js'
import { foundAt } from '../evaluate/found-at.js'
import { noModule } from './serve-diagnostics.js'

/** A module's file and the folder of its package. */
export interface FoundModule {
  /** Absolute. */
  readonly file: string
  /** Absolute. */
  readonly root: string
}

/**
 * Finds the module that a command line names.
 *
 * @param cwd the folder to which the name is relative: absolute
 */
export function findModule(named: string, cwd: string): Checked<FoundModule> {
  const file = resolve(cwd, named)
  const found = foundAt(file)
  if (found?.isFile() === true) return { value: { file, root: packageFolder(dirname(file)) }, diagnostics: [] }
  if (found !== undefined) return { diagnostics: [noModule(named, 'folder', [])] }
  return { diagnostics: [noModule(named, 'missing', nearFiles(file, named))] }
}

/** The modules in the same folder with near names, as the command line would write them. */
function nearFiles(file: string, named: string): readonly string[] {
  const folder = dirname(file)
  if (foundAt(folder)?.isDirectory() !== true) return []
  const modules = readdirSync(folder).filter((name) => /(?<!\.d)\.[cm]?[jt]s$/.test(name))
  return nearest(basename(file), modules).map((name) => `${named.slice(0, -basename(file).length)}${name}`)
}

/** The nearest folder with a manifest; where there is none, the folder itself. */
function packageFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (foundAt(join(at, 'package.json'))?.isFile() === true) return at
    if (at === dirname(at)) return folder
  }
}
