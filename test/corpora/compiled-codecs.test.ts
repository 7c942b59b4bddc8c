import { describe, expect, it } from 'vitest'
import { disagreement } from '../codec/differential/compare.js'
import { type CodecPair, codecPair } from '../codec/differential/compiled-codecs.js'
import { hasData } from '../data.js'
import { functions } from './bfcl.fixture.js'
import { judgedCalls } from './bfcl-calls.fixture.js'
import { counted, type Imported, imported, recordsOf } from './imported.fixture.js'
import { captures } from './mcp.fixture.js'

const mcpTools = captures.flatMap(({ file, tools }) => tools.map((tool) => ({ ...tool, of: `${file}: ${tool.name}` })))
const sealTools = recordsOf<{ readonly name: string; readonly parameters: unknown }>('sealtools/tools.jsonl')

/** The schemas of all tools, by what names them. */
const corpora = {
  'BFCL, parameters': functions.map(({ fid, parameters }) => [fid, imported(parameters)] as const),
  'BFCL, originalParameters': functions.map((line) => [line.fid, imported(line.originalParameters)] as const),
  'Seal-Tools': sealTools.map(({ name, parameters }) => [name, imported(parameters)] as const),
  'MCP payloads': mcpTools.map(({ of, inputSchema }) => [of, imported(inputSchema)] as const),
  'MCP results': mcpTools.map(({ of, outputSchema = true }) => [of, imported(outputSchema, 'output')] as const),
} as const

/** Tools whose values the interpreter writes: unions of objects that overlap, or that no field tells apart. */
const withoutWriter = [
  'modelcontextprotocol__server-github.json: create_pull_request_review',
  ...['patch-block-children', 'post-page', 'create-a-comment', 'query-data-source'].map(notion),
  ...['update-a-data-source', 'create-a-data-source'].map(notion),
]

const expected: Readonly<
  Record<keyof typeof corpora, { readonly checks: number; readonly unwritten: readonly string[] }>
> = {
  'BFCL, parameters': { checks: 1352, unwritten: [] },
  'BFCL, originalParameters': { checks: 1352, unwritten: [] },
  'Seal-Tools': { checks: 1355, unwritten: [] },
  'MCP payloads': { checks: 609, unwritten: withoutWriter },
  'MCP results': { checks: 609, unwritten: [] },
}

describe.skipIf(!hasData)('real tools (needs the data folder)', () => {
  it.each(Object.entries(corpora))('all have a generated check, and nearly all a writer: %s', (name, tools) => {
    const pairs = tools.map(([of, { source }]) => [of, codecPair(source, 'reject')] as const)
    const { checks, unwritten } = expected[name as keyof typeof corpora]
    expect(pairs.filter(([, { compiled }]) => compiled === undefined).map(([of]) => of)).toEqual([])
    expect(pairs).toHaveLength(checks)
    expect(pairs.filter(([, { writes }]) => !writes).map(([of]) => of)).toEqual(unwritten)
  })
})

describe.skipIf(!hasData)('results of real tools (needs the data folder)', () => {
  it('nearly all have a picker: the others hold maps, of which the schema does not list the fields', () => {
    const schemas = mcpTools
      .filter(({ outputSchema }) => outputSchema !== undefined)
      .map(({ outputSchema }) => imported(outputSchema, 'output').source)
    const unpicked = schemas.filter((schema) => codecPair(schema, 'strip').unpicked === undefined)
    expect([schemas.length, unpicked.length]).toEqual([59, 6])
    for (const schema of unpicked) expect(JSON.stringify(schema)).toContain('"additionalProperties":{')
  })
})

describe.skipIf(!hasData)('calls of BFCL to generated functions (needs the data folder)', () => {
  it.each([
    ['parameters', 'reject', { 'valid, decoded': 7734, 'valid, refused': 83, 'invalid, refused': 58 }],
    ['originalParameters', 'strip', { 'valid, decoded': 7817, 'invalid, refused': 58 }],
  ] as const)("get the interpreter's answers and the published verdicts: %s, '%s'", (part, unknown, verdicts) => {
    const pairs = pairsOf(new Map(corpora[`BFCL, ${part}`]), unknown)
    const outcomes = judgedCalls.map((call) => outcomeOf(pairs.get(call.fid), call.arguments, call.valid))
    // The 83 give a field that the function does not have.
    expect(counted(outcomes)).toEqual(verdicts)
  })
})

function pairsOf(schemas: ReadonlyMap<string, Imported>, unknown: 'reject' | 'strip'): ReadonlyMap<string, CodecPair> {
  const called = new Set(judgedCalls.map(({ fid }) => fid))
  const given = [...schemas].filter(([fid]) => called.has(fid))
  return new Map(given.map(([fid, { source }]) => [fid, codecPair(source, unknown)] as const))
}

function outcomeOf(pair: CodecPair | undefined, given: unknown, valid: boolean): string {
  const compiled = pair?.compiled
  if (pair === undefined || compiled === undefined) return 'not compiled'
  const fault = disagreement(compiled, pair.interpreted, given)
  if (fault !== undefined) return fault
  return `${valid ? 'valid' : 'invalid'}, ${compiled.decodeValue(given).ok ? 'decoded' : 'refused'}`
}

function notion(tool: string): string {
  return `notionhq__notion-mcp-server.json: API-${tool}`
}
