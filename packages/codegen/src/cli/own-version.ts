import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of this package: absolute, links followed. */
export function ownFolder(): string {
  return dirname(fileURLToPath(new URL('../../package.json', import.meta.url)))
}

/** The version of this package. */
export function ownVersion(): string {
  const parsed: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return parsed.version
}
