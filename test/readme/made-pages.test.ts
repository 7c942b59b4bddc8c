import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { diagnosticsPage } from './diagnostics-page.js'
import { exportsOf } from './exports-of.js'
import { llmsPackages, llmsTxt } from './llms-txt.js'
import { runtimePage } from './runtime-page.js'
import { root } from './snippet-project.js'

// After a change of what they are made from: UPDATE_GOLDENS=1 npx vitest run test/readme/made-pages.test.ts
it.each([
  ['docs/diagnostics.md', 'the catalogue of codes', diagnosticsPage],
  ['docs/runtime.md', 'the doc comments of what the runtime exports', runtimePage],
  ...llmsPackages.map((name) => [`packages/${name}/llms.txt`, 'its package', () => llmsTxt(name)] as const),
] as const)('%s is made from %s', (path, _, made) => {
  const file = join(root, path)
  if (process.env.UPDATE_GOLDENS === '1') writeFileSync(file, made())
  expect(readFileSync(file, 'utf8')).toBe(made())
})

it('every row of docs/runtime.md has a description', () => {
  expect(
    runtimePage()
      .split('\n')
      .filter((line) => line.endsWith('|  |')),
  ).toEqual([])
})

it.each(['dsl', 'codegen', 'runtime'])('everything that %s exports has a doc comment', (name) => {
  const all = exportsOf(join(root, 'packages', name, 'src'), 'index.ts')
  expect(all.length).toBeGreaterThan(10)
  for (const { about } of all) expect(about.length).toBeGreaterThan(5)
})

const design = readFileSync(join(root, 'docs/design.md'), 'utf8')

it.each([
  ['ToolDefinition', 'tool.ts'],
  ['ToolsetDefinition', 'toolset.ts'],
  ['AgentDefinition', 'agent.ts'],
  ['UseOptions', 'uses.ts'],
  ['ServiceToolOptions', 'uses.ts'],
  ['RunPolicy', 'agent.ts'],
])('docs/design.md has every field of %s', (name, file) => {
  const source = readFileSync(join(root, 'packages/dsl/src', file), 'utf8')
  const [, body = ''] = new RegExp(`^export interface ${name}\\b([\\s\\S]*?)^\\}`, 'm').exec(source) ?? []
  const fields = [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, field]) => field)
  expect(fields.length).toBeGreaterThan(2)
  expect(fields.filter((field) => !design.includes(`\`${field}\``))).toEqual([])
})

it('docs/design.md names everything that the DSL exports', () => {
  const names = exportsOf(join(root, 'packages/dsl/src'), 'index.ts').map(({ name }) => name)
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((name) => !new RegExp(`\`${name}\\b`).test(design))).toEqual([])
})
