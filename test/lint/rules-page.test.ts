import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { rulesPage } from './rules-page.js'

const file = new URL('../../docs/lint.md', import.meta.url)

// After a change of the rules: UPDATE_GOLDENS=1 npx vitest run test/lint/rules-page.test.ts
it('docs/lint.md is what the rules say', () => {
  if (process.env.UPDATE_GOLDENS === '1') writeFileSync(file, rulesPage())
  expect(readFileSync(file, 'utf8')).toBe(rulesPage())
})
