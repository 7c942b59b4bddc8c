import { readFileSync } from 'node:fs'

/** The version of an installed package, where the benchmark's own dependencies lie. */
export function packageVersion(name) {
  const manifest = new URL(`../../node_modules/${name}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(manifest, 'utf8')).version
}
