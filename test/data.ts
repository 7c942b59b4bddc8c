import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Returns the folder of third-party test data: `TOOLGEN_DATA`, or `../shared/data` next to the repository. Returns `undefined` if it does not exist.
 * Tests that need the data must be skipped visibly: `describe.skipIf(!hasData)('... (needs the data folder)', ...)`.
 */
export function dataFolder(): string | undefined {
  const folder = process.env.TOOLGEN_DATA || fileURLToPath(new URL('../../shared/data', import.meta.url))
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true ? folder : undefined
}

/** True if the folder of third-party test data exists. */
export const hasData: boolean = dataFolder() !== undefined
