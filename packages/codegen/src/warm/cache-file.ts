import { accessSync, constants, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { foundAt } from '../evaluate/found-at.js'
import { contentHash } from '../write/content-hash.js'
import { isDiskError } from '../write/disk.js'

/**
 * The folder in which runs for a configuration file keep what they learnt: in the nearest `node_modules/.cache`, which
 * no version control and no compiler looks into. Undefined where nothing is installed or nothing can be written; then
 * nothing is kept.
 */
export function cacheFolderFor(configFile: string): string | undefined {
  const modules = nearestModules(dirname(configFile))
  if (modules === undefined) return undefined
  const folder = join(modules, '.cache', 'toolgen', contentHash(configFile).slice(0, 32))
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return folder
  } catch (error) {
    if (!isDiskError(error)) throw error
    return undefined
  }
}

function nearestModules(folder: string): string | undefined {
  const modules = join(folder, 'node_modules')
  if (foundAt(modules)?.isDirectory() === true) return modules
  const above = dirname(folder)
  return above === folder ? undefined : nearestModules(above)
}
