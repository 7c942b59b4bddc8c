import type { McpUse, Toolset } from '@toolgen/dsl'
import { describe, expect, it } from 'vitest'
import { compileDesign } from './compile-design.js'
import { agent, loaded, tool, toolset } from './design.fixture.js'
import { findings } from './diagnostics.fixture.js'

const path = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const text = { type: 'object', properties: { text: { type: 'string' } } }

const readFile = tool({
  description: 'Read.',
  payload: { ...path, $schema: 'http://json-schema.org/draft-07/schema#' },
  result: text,
})
const tools = { readFile, tree: tool({ description: 'tree', result: true }) }

function served(mcp: Partial<NonNullable<Toolset['mcp']>>): Toolset {
  return { ...toolset('files', tools), mcp: { names: {}, ...mcp } }
}

function mcpUse(of: Toolset, parts: Partial<McpUse> = {}): McpUse {
  return { '~toolgen': 'use', provider: 'mcp', toolset: of, ...parts }
}

describe('a toolset that an MCP server serves', () => {
  it('has its tools under the names of the use, else of the toolset, else their own', () => {
    const files = served({ names: { readFile: 'read_file' } })
    const uses = [
      mcpUse(files),
      mcpUse(files, { as: 'b', tools: { readFile: { name: 'open' }, tree: { name: 'ls' } } }),
    ]
    const { value, diagnostics } = compileDesign(loaded([files], [agent('a', { uses })]))
    expect(diagnostics).toEqual([])
    const remotes = value?.agents[0]?.uses.map((use) => use.tools.map((one) => 'remote' in one && one.remote))
    expect(remotes).toEqual([
      ['read_file', 'tree'],
      ['open', 'ls'],
    ])
    expect(value?.agents[0]?.uses[0]?.names).toEqual({
      use: 'aFilesUse',
      registration: 'newAFilesToolsetRegistration',
      registrationOptions: 'AFilesToolsetRegistrationOptions',
      env: 'AFilesEnv',
      file: 'files.mcp',
      mcpExecutor: 'newAFilesMcpExecutor',
      mcpImport: 'aFilesMcp',
    })
  })

  it('keeps what the server declared, also of tools that the design changes, and leaves out what the import made up', () => {
    const server = { name: 'disk', version: '1' }
    const { value } = compileDesign(
      loaded([{ ...served({ captured: tools, server }), tools: { ...tools, readFile: tool() } }]),
    )
    expect(value?.toolsets[0]?.mcp).toEqual({
      server: { name: 'disk', version: '1' },
      unused: [],
      tools: [
        {
          tool: 'readFile',
          name: 'readFile',
          description: 'Read.',
          inputSchema: { ...path, $schema: 'http://json-schema.org/draft-07/schema#' },
          outputSchema: text,
        },
        { tool: 'tree', name: 'tree', inputSchema: { type: 'object', properties: {} } },
      ],
    })
  })

  it('is one that says so or that an agent uses so; of what was declared by hand only the names are known', () => {
    const byHand = toolset('notes')
    const { value } = compileDesign(loaded([byHand, toolset('others')], [agent('a', { uses: [mcpUse(byHand)] })]))
    expect(value?.toolsets.map(({ mcp }) => mcp)).toEqual([
      { unused: [], tools: [{ tool: 'run', name: 'run' }] },
      undefined,
    ])
  })

  it('is refused where names are said of tools that it does not have', () => {
    const files = served({ names: { readFil: 'read_file' } })
    const uses = [mcpUse(files, { only: ['tree'], tools: { tre: { name: 'x' }, readFile: { name: 'y' } } })]
    expect(findings(loaded([files], [agent('a', { uses })]))).toEqual([
      'TG2022 files/mcp/names/readFil',
      'TG2022 a/uses/0/tools/tre',
      'TG2023 a/uses/0/tools/readFile',
    ])
  })

  it('is refused where it is not what the design language makes', () => {
    const names: Readonly<Record<string, string>> = JSON.parse('{ "readFile": 1 }')
    expect(findings(loaded([served({ names })]))).toEqual(['TG2005 files/mcp/names'])
  })
})
