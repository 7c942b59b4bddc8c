import { afterAll, describe, expect, it } from 'vitest'
import { judgedCalls } from '../corpora/bfcl-calls.fixture.js'
import { counted, recordsOf } from '../corpora/imported.fixture.js'
import { hasData } from '../data.js'
import { corpusProject } from './corpus-project.fixture.js'

interface BfclFunction {
  readonly fid: string
  readonly name: string
  readonly description: string
  readonly originalParameters: unknown
  readonly originalResponse?: unknown
}

const functions = recordsOf<BfclFunction>('bfcl/functions.jsonl')
const names = functions.map(({ name }) => name)

/** As the leaderboard publishes them: one function a line, in its loose dialect. */
const lines = functions.map(({ name, description, originalParameters, originalResponse }) =>
  JSON.stringify({ name, description, parameters: originalParameters, response: originalResponse }),
)

describe.skipIf(!hasData)('the functions of the Berkeley Function Calling Leaderboard (needs the data folder)', () => {
  const project = hasData ? corpusProject(lines.join('\n')) : undefined
  if (project === undefined) return
  afterAll(() => project.remove())

  it('are imported, all 1,352; every repair is reported at its location', () => {
    const { status, stdout } = project.toolgen('import', 'functions', 'corpus', '--from', 'functions.json', '--json')
    expect(status).toBe(0)
    const { tools, described, diagnostics } = JSON.parse(stdout)
    expect([tools, described]).toEqual([1352, 143])
    const told = diagnostics.map(({ code, severity }: { code: string; severity: string }) => `${code} ${severity}`)
    expect(counted(told)).toEqual({
      // Of the arguments 1,649, of the results 224.
      'TG3030 note': 1873,
      // The list has 527 names.
      'TG6022 warning': 825,
      'TG3031 warning': 110,
      'TG6006 note': 106,
      'TG3032 warning': 26,
      'TG3033 note': 5,
    })
    const locations: readonly { line: number; column: number }[] = diagnostics.map(
      ({ location }: { location: never }) => location,
    )
    // Each stands at a key or an item of the line of its function.
    expect(locations.filter(({ line, column }) => !/^["{]/.test(lines[line - 1]?.slice(column - 1) ?? ''))).toEqual([])
  })

  it('are generated and type-check together, without further findings', () => {
    const { status, stdout } = project.toolgen('generate', '--json')
    const told: readonly { readonly code: string }[] = JSON.parse(stdout).diagnostics
    // The note about codecs in JavaScript has nothing to do with functions.
    expect([status, told.map(({ code }) => code)]).toEqual([0, ['TG5013']])
    expect(project.typeCheck()).toEqual({ status: 0, stdout: '', stderr: '' })
  })

  it('take 7,734 of the 7,817 valid calls, and none of the 58 others; 83 send fields that there are not', () => {
    const calls = judgedCalls.map(({ fid, arguments: given }) => ({
      index: functions.findIndex((each) => each.fid === fid),
      arguments: given,
    }))
    const verdicts = project.verdicts(names, calls)
    const both = verdicts.map((ok, index) => `valid ${judgedCalls[index]?.valid}: ${ok}`)
    expect(counted(both)).toEqual({ 'valid true: true': 7734, 'valid true: false': 83, 'valid false: false': 58 })
  })
})
