import { describe, expect, it } from 'vitest'
import { assignNames } from '../../packages/codegen/src/ir/names.js'
import { importedToolNames, isToolName } from '../../packages/codegen/src/ir/tool-names.js'
import { hasData } from '../data.js'
import { recordsOf } from './imported.fixture.js'
import { captures } from './mcp.fixture.js'

interface Named {
  readonly name: string
}

const servers = captures.map(({ file, tools }): readonly [string, readonly string[]] => [
  file,
  tools.map(({ name }) => name),
])

const namesIn = (file: string): readonly string[] => recordsOf<Named>(file).map(({ name }) => name)

/** How many names there are, are legal for models, differ, stay as they are, and get a hash or a number. */
function census(names: readonly string[]) {
  const given = importedToolNames(names)
  const kept = given.filter(({ foreign, toolName }) => foreign === toolName).length
  return {
    names: names.length,
    legal: names.filter(isToolName).length,
    different: new Set(names).size,
    kept,
    marked: given.filter(({ toolName }) => /_(?:[0-9a-f]{6}|\d+)$/.test(toolName)).length,
  }
}

/** What is wrong with the names that a list becomes; nothing should be. */
function faultsIn(names: readonly string[]): readonly string[] {
  const given = importedToolNames(names)
  const identifiers = assignNames({
    toolsets: [{ name: 'imported', tools: given.map(({ tool }) => ({ name: tool })), defs: {} }],
    agents: [],
  }).toolsets.flatMap(({ tools }) => tools.map(({ call }) => call))
  return [
    ...given.filter(({ toolName }) => !isToolName(toolName)).map(({ toolName }) => `${toolName} is not legal`),
    ...repeated(given.map(({ toolName }) => toolName)),
    ...repeated(given.map(({ tool }) => tool)),
    ...repeated(identifiers),
  ]
}

function repeated(names: readonly string[]): readonly string[] {
  const keys = names.map((name) => name.toLowerCase())
  return names.filter((_, index) => keys.indexOf(keys[index] ?? '') !== index).map((name) => `${name} is there twice`)
}

describe.skipIf(!hasData)('names of foreign tools (needs the data folder)', () => {
  it('are legal and unique for all 1,352 functions of BFCL together', () => {
    const names = namesIn('bfcl/functions.jsonl')
    expect(faultsIn(names)).toEqual([])
    expect(census(names)).toEqual({ names: 1352, legal: 1142, different: 527, kept: 421, marked: 829 })
  })

  it('are legal and unique for all 1,355 tools of Seal-Tools together', () => {
    const names = namesIn('sealtools/tools.jsonl')
    expect(faultsIn(names)).toEqual([])
    expect(census(names)).toEqual({ names: 1355, legal: 1355, different: 1355, kept: 1355, marked: 0 })
  })

  it('are legal and unique for the tools of each of 30 MCP servers, and for all 609 together', () => {
    expect(servers.flatMap(([file, names]) => faultsIn(names).map((fault) => `${file}: ${fault}`))).toEqual([])
    const all = servers.flatMap(([, names]) => names)
    expect(faultsIn(all)).toEqual([])
    expect(census(all)).toEqual({ names: 609, legal: 609, different: 593, kept: 593, marked: 16 })
  })
})
