import { afterAll, describe, expect, it } from 'vitest'
import { counted, recordsOf } from '../corpora/imported.fixture.js'
import { hasData } from '../data.js'
import { corpusProject } from './corpus-project.fixture.js'

interface SealTool {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
}

interface SealCase {
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[]
}

/** In milliseconds: each takes a quarter of this on a machine that does nothing else. */
const timeout = 120_000

const functions = recordsOf<SealTool>('sealtools/tools.jsonl')
const names = functions.map(({ name }) => name)

/** As a request to chat completions holds them. */
const request = {
  model: 'gpt-4.1',
  messages: [],
  tools: functions.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  })),
}

describe.skipIf(!hasData)('the tools of Seal-Tools (needs the data folder)', () => {
  const project = hasData ? corpusProject(JSON.stringify(request)) : undefined
  if (project === undefined) return
  afterAll(() => project.remove())

  it('are imported, all 1,355, under their own names, and nothing is told', { timeout }, () => {
    const { status, stdout } = project.toolgen('import', 'functions', 'corpus', '--from', 'functions.json', '--json')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ tools: 1355, described: 0, diagnostics: [], changes: [] })
    const wired = [...project.read('design/corpus.functions.ts').matchAll(/^ {6}wireName: '(.*)',$/gm)]
    expect(wired.map(([, name]) => name)).toEqual(names)
  })

  it('are generated together', { timeout }, () => {
    const { status, stderr } = project.toolgen('generate')
    expect([status, stderr]).toEqual([0, expect.stringMatching(/1355 tools in 1 toolset/)])
  })

  it('take 1,750 of the 1,804 recorded calls; the others send no number where one is declared', { timeout }, () => {
    const calls = recordsOf<SealCase>('sealtools/cases.jsonl')
      .flatMap((each) => each.calls)
      .map(({ name, arguments: given }) => ({ index: names.indexOf(name), arguments: given }))
    expect(counted(project.verdicts(names, calls).map(String))).toEqual({ true: 1750, false: 54 })
  })
})
