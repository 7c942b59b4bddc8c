import { expect, it } from 'vitest'
import { readModule } from './run-record.js'

it.each([
  `import { z } from 'zod'\nimport { a } from './a.js'\nexport { b } from "../b.js"`,
  `import path from 'node:path'\nexport const x = path.join('a', 'b')`,
  `export const description = 'Process the order, then import it from the process of record.'`,
  `export const day = new Date('2024-01-01')`,
  `export const until: Date = z.date().parse(new Date( 0 ))`,
  `import { createHash } from 'node:crypto'`,
  `export const description = 'Date (ISO 8601) of the order'`,
])('trusts %j', (text) => {
  expect(readModule(text).pure).toBe(true)
})

it.each([
  `import { readFileSync } from 'node:fs'`,
  `import { readFileSync } from 'fs'`,
  `import { execSync } from 'node:child_process'`,
  `const fs = require('fs')`,
  `await import('node:fs/promises')`,
  `await import(name)`,
  'await import(`./name.js`)',
  `require(name)`,
  `const region = process.env.REGION`,
  `const { env } = process`,
  `const all = import.meta.glob('./*.ts')`,
  `const now = Date.now()`,
  `const now = new Date()`,
  `const now = new Date`,
  `const now = Date()`,
  `const who = whoami(process)`,
  `const day = Intl.DateTimeFormat('en').format()`,
  `import { randomInt } from 'node:crypto'`,
  `crypto.getRandomValues(bytes)`,
  `const id = Math.random()`,
  `const answer = await fetch('https://example.com')`,
])('does not trust %j', (text) => {
  expect(readModule(text).pure).toBe(false)
})

it('lists what is imported from packages', () => {
  const text = `import { z } from 'zod'\nimport x from '@acme/schemas/orders'\nimport './local.js'\nimport 'node:url'`
  expect(readModule(text).packages).toEqual(['zod', '@acme/schemas/orders'])
})
