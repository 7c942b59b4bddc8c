import { readFileSync } from 'node:fs'

/** Returns the version of an installed dependency of the benchmarks. */
export function packageVersion(name) {
  const manifest = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(manifest, 'utf8')).version
}
