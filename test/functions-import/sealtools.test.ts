import { afterAll, describe, expect, it } from 'vitest'
import { recordsOf } from '../corpora/imported.fixture.js'
import { hasData } from '../data.js'
import { corpusProject } from './corpus-project.fixture.js'

interface SealTool {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
}

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

  it('are imported, all 1,355, under their own names, without findings', () => {
    const { status, stdout } = project.toolgen('import', 'functions', 'corpus', '--from', 'functions.json', '--json')
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ tools: 1355, described: 0, diagnostics: [], changes: [] })
    const { tools } = JSON.parse(project.read('design/corpus.functions.json'))
    expect(Object.values<{ toolName: string }>(tools).map(({ toolName }) => toolName)).toEqual(names)
  })
})
