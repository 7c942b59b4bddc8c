import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Example, examplesOf, filesOf, languagesOf, moduleOf } from './examples-of.js'
import { sharedNames, shop } from './shop.js'
import { root, type SnippetProject, snippetProject } from './snippet-project.js'

const pages = [
  'docs/design.md',
  'docs/generating.md',
  'docs/services.md',
  'docs/three-ways.md',
  'docs/executors.md',
  'docs/layers.md',
  'docs/runs.md',
  'docs/guardrails.md',
  'docs/sessions.md',
  'docs/telemetry.md',
  'docs/agents.md',
  'docs/agents-as-tools.md',
  'docs/models.md',
  'docs/model-drivers.md',
  'docs/projections.md',
  'docs/code-mode.md',
  'docs/large-results.md',
  'docs/redaction.md',
  'docs/tool-search.md',
  'docs/resilience.md',
  'docs/errors.md',
  'docs/typed-values.md',
  'docs/session-stores.md',
  'docs/scaling.md',
  'docs/durable.md',
  'docs/restate.md',
  'docs/chat.md',
  'docs/integrations.md',
  'docs/browser.md',
  'docs/studio.md',
  'docs/mcp.md',
  'docs/imports.md',
  'docs/openapi.md',
  'docs/testing.md',
  'packages/dsl/README.md',
  'packages/codegen/README.md',
  'packages/runtime/README.md',
].map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
const shopPage = readFileSync(join(root, 'docs/shop.md'), 'utf8')
const cli = readFileSync(join(root, 'docs/cli.md'), 'utf8')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

const examples: readonly Example[] = [
  ...pages.flatMap(({ path, text }) => examplesOf(path, text)),
  // What it runs has its own test.
  ...examplesOf('docs/cli.md', cli),
  // The first two are files of a project with its own test.
  ...examplesOf('README.md', readme).slice(2),
]

/** Imports each example in turn and answers with what each printed. */
const runner = `const printed = []
const lines = []
await import('./dist/src/model-server.js')
console.log = (...words) => lines.push(words.join(' '))
for (const name of NAMES) {
  try { await import('./dist/src/' + name + '.js') } catch (error) { lines.push('failed: ' + error.stack) }
  printed.push(lines.splice(0).join('\\n'))
}
process.stdout.write(JSON.stringify(printed))
process.exit(0)`

const nameOf = (index: number): string => `example-${index}`

let project: SnippetProject
let printed: readonly string[] = []

beforeAll(() => {
  project = snippetProject(shop)
  for (const [index, { code }] of examples.entries()) {
    project.write(`src/${nameOf(index)}.ts`, moduleOf(code, sharedNames, './names.js'))
  }
  project.write('run.mjs', runner.replace('NAMES', JSON.stringify(examples.map((_, index) => nameOf(index)))))
  const generated = project.generate()
  if (generated.status !== 0) throw new Error(`toolgen generate: ${generated.stdout}${generated.stderr}`)
  const compiled = project.compile()
  if (compiled.status !== 0) throw new Error(`the examples do not type-check:\n${withPlaces(compiled.stdout)}`)
  const ran = project.run('run.mjs')
  if (ran.status !== 0) throw new Error(`the examples do not run:\n${ran.stderr}`)
  printed = JSON.parse(ran.stdout)
})

afterAll(() => project.remove())

describe('the examples of the documents', () => {
  it.each(examples.map((example, index) => ({ ...example, index })))('$place runs', ({ prints, index }) => {
    expect(printed[index]).not.toMatch(/^failed: /m)
    if (prints !== undefined) expect(printed[index]).toBe(prints)
  })

  it('show one agent under one name of a file, so that a reader can follow them all', () => {
    const shown = new Map<string, string>()
    for (const text of [shopPage, ...pages.map((page) => page.text)]) {
      for (const [file, code] of Object.entries(filesOf(text))) {
        if (!file.endsWith('.agent.ts')) continue
        expect({ file, code: shown.get(file) ?? code }).toEqual({ file, code })
        shown.set(file, code)
      }
    }
    expect([...shown.keys()]).toContain('design/librarian.agent.ts')
  })

  it.each(pages)('$path has examples in TypeScript, and all of them are tried', ({ path, text }) => {
    const languages = languagesOf(text)
    expect(new Set(languages)).toEqual(
      new Set(languages.filter((each) => ['ts', 'text', 'sh', 'json', 'yaml', 'toml', 'sql'].includes(each))),
    )
    const tried = examples.filter(({ place }) => place.startsWith(path))
    expect(tried.length).toBe(languages.filter((each) => each === 'ts').length)
    // A text that stands right after no code would be compared with nothing.
    const shown = tried.filter(({ prints }) => prints !== undefined)
    expect(shown.length).toBe(languages.filter((each) => each === 'text').length)
    expect(tried.length).toBeGreaterThan(0)
  })
})

/** Names the document and the line where an example begins beside the file that was made of it. */
function withPlaces(diagnostics: string): string {
  return diagnostics.replaceAll(/src\/example-(\d+)\.ts/g, (file, index: string) => {
    const place = examples[Number(index)]?.place
    return place === undefined ? file : `${file} (${place})`
  })
}
