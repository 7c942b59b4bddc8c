import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { catalogue } from './catalogue.js'

const source = fileURLToPath(new URL('..', import.meta.url))

/** Every code that the sources mention, with a file that does. */
function codesInUse(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || /\.(?:test|fixture|test-d)\.ts$/.test(file)) continue
    for (const [, code = ''] of readFileSync(join(source, file), 'utf8').matchAll(/['"`](TG\d{4})['"`]/g))
      found.set(code, file)
  }
  return found
}

it('explains every code that is reported', () => {
  const unknown = [...codesInUse()].filter(([code]) => !Object.hasOwn(catalogue, code))
  expect(unknown).toEqual([])
})

it('has no entry that nobody reports', () => {
  const used = codesInUse()
  expect(Object.keys(catalogue).filter((code) => !used.has(code))).toEqual([])
})

it('says in every entry what happened and what to do', () => {
  for (const [code, { title, cause, fix }] of Object.entries(catalogue)) {
    expect([code, title.length > 5 && !title.endsWith('.')]).toEqual([code, true])
    expect([code, cause.endsWith('.')]).toEqual([code, true])
    expect([code, fix.length > 5]).toEqual([code, true])
  }
})

it('has no code that Markdown would show as a part of a list item', () => {
  for (const [code, { cause, fix }] of Object.entries(catalogue)) {
    expect([code, `${cause}\n\n${fix}`.match(/^- .*\n\n {4}(?! {2}\S)/m)?.[0]]).toEqual([code, undefined])
  }
})

it('reads every section, in the order of the codes', () => {
  const text = readFileSync(join(source, '..', 'diagnostics.md'), 'utf8')
  const codes = [...text.matchAll(/^## (.{6})/gm)].map(([, code]) => code)
  expect(codes).toEqual([...new Set(codes)].sort())
  expect(Object.keys(catalogue)).toEqual(codes)
})
