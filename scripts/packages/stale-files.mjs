import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const built = /(\.d\.ts|\.js)$/

/** Removes the files in `dist` of a package that have no source file. Returns their paths, relative to `dist`. */
export function removeStale(folder) {
  const dist = join(folder, 'dist')
  if (!existsSync(dist)) return []
  const stale = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.tsbuildinfo')
    .map((entry) => join(entry.parentPath, entry.name).slice(dist.length + 1))
    .filter((path) => !built.test(path) || !existsSync(join(folder, 'src', path.replace(built, '.ts'))))
  for (const path of stale) rmSync(join(dist, path), { force: true })
  return stale
}
