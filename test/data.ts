import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * The folder of third-party test data, or `undefined` where it is absent: `TOOLGEN_DATA`, else `../shared/data` beside
 * the repository. Suites that need it skip visibly: `describe.skipIf(!hasData)('... (needs the data folder)', ...)`.
 */
export function dataFolder(): string | undefined {
  const folder = process.env.TOOLGEN_DATA || fileURLToPath(new URL('../../shared/data', import.meta.url))
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? folder : undefined
}

/** Whether {@link dataFolder} finds the data. */
export const hasData: boolean = dataFolder() !== undefined
