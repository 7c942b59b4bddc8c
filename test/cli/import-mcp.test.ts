import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writtenModule } from '../../packages/codegen/src/imports/imported-files.js'
import { listingServer } from '../mcp/listing-server.fixture.js'
import { createProject, type Project, smallProject, toolgenCommand } from './project.fixture.js'

// Every test starts the command; a busy machine needs its time.
const readFile = {
  name: 'read_file',
  description: 'Read a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}

/** MCP server that lists `read_file`, or the content of a file in the first argument. */
const server = listingServer({
  name: "process.env.NAME ?? 'x'",
  listed: `process.argv[2]?.endsWith('.json')
  ? readFileSync(process.argv[2], 'utf8')
  : '${JSON.stringify({ tools: [readFile] })}'`,
})

let project: Project
beforeAll(() => {
  project = createProject({
    ...smallProject,
    'server.mjs': server,
    'tools.json': JSON.stringify({ tools: [readFile] }),
    'design/support.ts': `import { defineAgent, fromMcp } from '@toolgen/dsl'
import { files } from './files.mcp.js'
export const support = defineAgent('support', { description: 'Reads files.', uses: [fromMcp(files)] })
`,
  })
})
afterAll(() => project.remove())

describe('toolgen import mcp', () => {
  it('writes a snapshot and its modules, from which code is generated; problems are located in the snapshot', () => {
    const ran = project.toolgen('import', 'mcp', 'files', '--from', 'tools.json')
    expect(ran).toMatchObject({ code: 0, stdout: '' })
    expect(ran.stderr).toContain(
      'imported: design/files.mcp.json, design/files.mcp.snapshot.ts, design/files.mcp.ts, 1 tool, 1 without a result schema',
    )
    expect(ran.stderr).toContain('Next: run `npx toolgen generate`.\n')
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    expect(project.read('gen/toolsets/files/mcp.ts')).toContain('export function newFilesClient(')
    expect(project.tsc('-p', '.')).toMatchObject({ code: 0, stdout: '' })
    const { diagnostics } = JSON.parse(project.toolgen('lint', '--json').stdout)
    const snapshot = project.read('design/files.mcp.json').split('\n')
    const { location } = diagnostics.find(({ code }: { code: string }) => code === 'TG8301')
    expect([location.file, snapshot[location.line - 1]?.trim()]).toEqual(['design/files.mcp.json', '"path": {'])
  })

  it('leaves alone what stays as it is, and says so', () => {
    const before = statSync(join(project.root, 'design/files.mcp.ts')).mtimeMs
    const { code, stdout } = project.toolgen('import', 'mcp', 'files', '--from', 'design/files.mcp.json', '--json')
    expect(JSON.parse(stdout)).toEqual({
      command: 'import mcp',
      exitCode: 0,
      diagnostics: [],
      written: [],
      unchanged: ['files.mcp.json', 'files.mcp.snapshot.ts'],
      tools: 1,
      described: 0,
      changes: [],
    })
    expect(code).toBe(0)
    expect(statSync(join(project.root, 'design/files.mcp.ts')).mtimeMs).toBe(before)
  })

  it('asks a server that it starts, with the environment that it has itself, and ends it', () => {
    const command = ['--', process.execPath, 'server.mjs', '--dir', 'x']
    const words = ['import', 'mcp', 'live', '--dir', 'captured', ...command]
    const ran = project.node([toolgenCommand, ...words], { NAME: 'disk' })
    expect(ran.stderr).toContain('imported: captured/live.mcp.json')
    expect(ran.code).toBe(0)
    expect(JSON.parse(project.read('captured/live.mcp.json'))).toMatchObject({
      server: { name: 'disk', version: '1' },
      tools: { readFile: { source: readFile } },
    })
  })

  it('says what is new, gone and changed since the import before', () => {
    const listed = (name: string, description: string) => ({ ...readFile, name, description })
    const lists = (...tools: readonly object[]) => project.write({ 'disk.json': JSON.stringify({ tools }) })
    const importDisk = (...more: readonly string[]) =>
      project.toolgen('import', 'mcp', 'disk', '--dir', 'captured', '--from', 'disk.json', ...more)
    lists(listed('stays', 'x'), listed('list', 'List.'), listed('read', 'Read.'))
    expect(JSON.parse(importDisk('--json').stdout)).toMatchObject({ changes: [] })
    lists(listed('read', 'Read all.'), listed('stays', 'x'), listed('stat', 'Stat.'))
    const { stderr } = importDisk()
    expect(stderr).toMatch(
      /3 tools, .*\n {2}new: stat\n {2}removed: list\n {2}changed: read\nNext: run `npx toolgen generate`\.\n$/,
    )
    lists(listed('read', 'Read all.'))
    expect(JSON.parse(importDisk('--json').stdout)).toMatchObject({
      changes: [
        { tool: 'stays', kind: 'removed' },
        { tool: 'stat', kind: 'removed' },
      ],
    })
  })

  it('takes no name that models could not be shown, and starts no server for it', () => {
    const script = "require('node:fs').writeFileSync('started', '')"
    const { code, stderr } = project.toolgen('import', 'mcp', 'my files', '--', process.execPath, '-e', script)
    expect(code).toBe(2)
    expect(stderr.match(/TG\d{4}/g)).toEqual(['TG0001'])
    expect(stderr).toContain('e.g. `toolgen import mcp myFiles`')
    expect(project.has('started')).toBe(false)
  })

  it('reports a finding of several tools once', () => {
    const tools = ['a.b', 'c.d', 'e.f'].map((name) => ({ ...readFile, name }))
    project.write({ 'dots.json': JSON.stringify({ tools }) })
    const { stderr } = project.toolgen('import', 'mcp', 'dots', '--dir', 'captured', '--from', 'dots.json')
    expect(stderr.match(/TG\d{4}/g)).toEqual(['TG6006'])
    expect(stderr).toContain(
      '  - The name of `a.b` for models is `dots_a_b`: its name contains characters that are not valid for models.',
    )
  })

  it('says by what a server ended, and how it was started only once', () => {
    const script = [
      "console.error('npm warn old lockfile')",
      "console.error('Error: API_KEY is not set\\n    at start (server.mjs:1:1)')",
      'process.exitCode = 7',
    ].join(';')
    project.write({ 'dies.mjs': script })
    const { code, stderr } = project.toolgen('import', 'mcp', 'other', '--', process.execPath, 'dies.mjs')
    expect(code).toBe(2)
    const server = `\`${process.execPath} dies.mjs\``
    expect(stderr).toContain(
      `error TG0012: The server ${server} did not list its tools: it ended with code 7 before it responded: Error: API_KEY is not set.\n`,
    )
    expect(stderr).toContain('do: Start the server by hand')
    expect(stderr.split('dies.mjs')).toHaveLength(2)
    expect(stderr).not.toContain('npm warn')
  })

  it('has another next step where there is nothing to start', () => {
    const { stderr } = project.toolgen('import', 'mcp', 'other', '--url', 'http://127.0.0.1:9/mcp')
    expect(stderr).toContain(
      'do: Check that the URL supports Streamable HTTP and that you have access. You can also import a file with its tools: --from FILE.',
    )
    expect(stderr).not.toContain('by hand')
    expect(stderr.split('http://127.0.0.1:9/mcp')).toHaveLength(2)
  })

  it('replaces a module with tools that an earlier version wrote, unless it was changed', () => {
    const written = writtenModule('mcp', 'old', 'export const old = 1\n')
    const importOld = () => project.toolgen('import', 'mcp', 'old', '--dir', 'captured', '--from', 'tools.json')
    project.write({ 'captured/old.mcp.ts': written.replace('= 1', '= 2') })
    expect(importOld().stderr).toContain('error TG0010: `captured/old.mcp.ts` was changed after the import.')
    project.write({ 'captured/old.mcp.ts': written })
    expect(importOld()).toMatchObject({ code: 0 })
    expect(project.read('captured/old.mcp.ts')).toContain('export const old = importedToolset(oldSnapshot)')
  })

  it('overwrites no file that an import has not written', () => {
    project.write({ 'design/mine.mcp.snapshot.ts': '// mine\n' })
    const { code, stderr } = project.toolgen('import', 'mcp', 'mine', '--from', 'tools.json')
    expect(stderr).toContain('error TG0010: `design/mine.mcp.snapshot.ts` was not written by an import')
    expect(code).toBe(2)
    expect(project.has('design/mine.mcp.json')).toBe(false)
  })

  it.each<[string, readonly string[], number, string]>([
    ['no source', [], 2, 'TG0001'],
    ['two sources', ['--from', 'tools.json', '--url', 'http://localhost:1'], 2, 'TG0001'],
    ['a file that is not there', ['--from', 'nothing.json'], 2, 'TG0009'],
    ['a file that is no JSON', ['--from', 'server.mjs'], 2, 'TG0009'],
    ['progress of no tool', ['--from', 'tools.json', '--progress', 'read_fil'], 2, 'TG0001'],
    ['a file of something else', ['--from', 'package.json'], 3, 'TG6001'],
    ['a server that cannot be started', ['--', './no-such-server'], 2, 'TG0012'],
    ['an option that it does not have', ['--form', 'tools.json'], 2, 'TG0001'],
  ])('refuses %s', (_, args, exitCode, diagnostic) => {
    const { code, stderr } = project.toolgen('import', 'mcp', 'other', ...args)
    expect(stderr).toContain(`error ${diagnostic}: `)
    expect(code).toBe(exitCode)
    expect(project.has('design/other.mcp.ts')).toBe(false)
  })

  it('says where it cannot write', () => {
    const before = project.tree()
    const { code, stderr } = project.toolgen('import', 'mcp', 'other', '--from', 'tools.json', '--dir', 'tools.json')
    expect(stderr).toContain('TG0011')
    expect(code).toBe(2)
    expect(project.tree()).toEqual(before)
  })

  it('requires a known kind of source', () => {
    expect(project.toolgen('import').code).toBe(2)
    expect(project.toolgen('import', 'mcp').stderr).toContain('error TG0001: ')
    expect(project.toolgen('import', 'nothing').code).toBe(2)
  })
})

describe('tools of a live server that cannot be imported as they are', () => {
  /** Imports what a server lists. */
  const importList = (name: string, tools: string) => {
    project.write({ [`${name}.json`]: `{"tools":[${tools}]}` })
    return project.toolgen('import', 'mcp', name, '--dir', 'odd', '--', process.execPath, 'server.mjs', `${name}.json`)
  }
  const good = JSON.stringify(readFile)

  it.each<[string, string]>([
    ['has no name', '{"description":"x","inputSchema":{"type":"object"}}'],
    ['has an empty name', '{"name":" ","inputSchema":{"type":"object"}}'],
    ['is no object', 'null'],
  ])('defect 13b: a tool that %s is left out alone, with a warning', (_, tool) => {
    const { code, stderr } = importList('nameless', `${tool},${good}`)
    expect(stderr).toContain('warning TG6014: A tool of the list has no name and is not imported.\n')
    expect(stderr).toContain(', 1 tool, 1 without a result schema')
    expect(code).toBe(0)
    const from = project.toolgen('import', 'mcp', 'captured', '--dir', 'odd', '--from', 'nameless.json')
    expect(from.stderr).toContain('warning TG6014: Tool 1 of the list has no name and is not imported.\n')
    expect(from.code).toBe(0)
  })

  it.each([3_000, 100_000])('defect 13c: a schema nested %i levels is a warning about its tool', (levels) => {
    const schema = `${'{"type":"object","properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`
    const deep = `{"name":"deep","inputSchema":${schema}}`
    const deepResult = `{"name":"deep_result","description":"x","inputSchema":{"type":"object"},"outputSchema":${schema}}`
    const { code, stderr } = importList('deep', `${deep},${deepResult},${good}`)
    expect(stderr).toContain(
      'warning TG6003: `deep` is not imported, because the schema of its arguments is not supported: it has more than 190 nested levels.',
    )
    expect(stderr).toContain(
      'warning TG6004: The result of `deep_result` can be any JSON, because its schema is not supported: it has more than 190 nested levels.',
    )
    expect(stderr).not.toContain('TG9000')
    expect(code).toBe(0)
    // The snapshot can be read again.
    const again = project.toolgen('import', 'mcp', 'again', '--dir', 'odd', '--from', 'odd/deep.mcp.json')
    expect(again).toMatchObject({ code: 0, stderr: expect.not.stringContaining('warning') })
  })

  it('defect 13d: a lone surrogate in a name of a result schema is a warning, and the result may be any JSON', () => {
    const output = '{"type":"object","properties":{"a\\ud800":{"type":"string"}}}'
    const { code, stderr } = importList(
      'half',
      `{"name":"half","inputSchema":{"type":"object"},"outputSchema":${output}}`,
    )
    expect(stderr).toContain(
      'warning TG6004: The result of `half` can be any JSON, because its schema is not supported: it contains the name "a\\ud800", which is not valid Unicode (an unpaired surrogate). MCP clients cannot list such tools.',
    )
    expect(stderr).toContain('"a\\ud800", which is not valid Unicode')
    expect(code).toBe(0)
    expect(JSON.parse(project.read('odd/half.mcp.json')).tools.half.result).toBe(true)
  })

  it.each<[string, string]>([
    ['no tool', ''],
    ['only a tool without a name', '{"inputSchema":{"type":"object"}}'],
    ['only a tool whose arguments cannot be described', '{"name":"a","inputSchema":{"type":"string"}}'],
  ])('defect 13f: a server that lists %s ends with exit code 3, and nothing is overwritten', (_, tools) => {
    expect(importList('none', good).code).toBe(0)
    const before = project.read('odd/none.mcp.ts') + project.read('odd/none.mcp.json')
    const { code, stderr } = importList('none', tools)
    expect(stderr).toMatch(/error TG6001: The server|error TG6001: `/)
    expect(stderr).toContain('lists no tool that can be imported. Nothing was written.\n')
    expect(code).toBe(3)
    expect(project.read('odd/none.mcp.ts') + project.read('odd/none.mcp.json')).toBe(before)
  })
})
