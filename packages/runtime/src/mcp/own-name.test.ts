import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ownName } from './messages.js'

// After a release has raised the version: write it there too.
it('connections are told the version of the package', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  expect(ownName.version).toBe(manifest.version)
})
