import { readFileSync } from 'node:fs'

/** The version of this package. */
export function ownVersion(): string {
  const parsed: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  return parsed.version
}
