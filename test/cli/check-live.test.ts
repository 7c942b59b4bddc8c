import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { check } from '../../packages/codegen/src/check.js'
import type { Diagnostic } from '../../packages/codegen/src/diagnostics/diagnostic.js'
import type { LiveSelection } from '../../packages/codegen/src/imports/check-live.js'
import { listingServer } from '../mcp/listing-server.fixture.js'
import { createProject, type Project, smallProject } from './project.fixture.js'

// Every test starts the command; a busy machine needs its time.
const path = { type: 'string' }
const readFile = {
  name: 'read_file',
  description: 'Read a file.',
  inputSchema: { type: 'object', properties: { path }, required: ['path'] },
}
const listFiles = { name: 'list_files', description: 'List files.', inputSchema: { type: 'object', properties: {} } }

/** MCP server that lists the tools of `listed.json`, and logs its start. */
const server = listingServer({
  setup: "console.error('disk listens')",
  name: "'disk'",
  listed: "JSON.stringify({ tools: JSON.parse(readFileSync(new URL('listed.json', import.meta.url), 'utf8')) })",
})

const command = ['node', 'server.mjs', '--token', '${DISK_TOKEN}']
let project: Project

function lists(...tools: readonly object[]): void {
  project.write({ 'listed.json': JSON.stringify(tools) })
}

/** What a check finds in this process. */
async function found(live: LiveSelection): Promise<readonly Diagnostic[]> {
  return (await check({ cwd: project.root, live })).diagnostics
}

beforeAll(() => {
  vi.stubEnv('DISK_TOKEN', 't0p')
  project = createProject({
    'package.json': smallProject['package.json'] ?? '',
    'toolgen.config.ts': smallProject['toolgen.config.ts'] ?? '',
    'server.mjs': server,
    'tools.json': JSON.stringify({ tools: [readFile] }),
  })
  lists(readFile, listFiles)
  expect(project.toolgen('import', 'mcp', 'files', '--', ...command)).toMatchObject({ code: 0 })
  expect(project.toolgen('import', 'mcp', 'captured', '--from', 'tools.json')).toMatchObject({ code: 0 })
  expect(project.toolgen('generate')).toMatchObject({ code: 0 })
})
afterAll(() => project.remove())
beforeEach(() => {
  lists(readFile, listFiles)
  // What the command of the server names.
  vi.stubEnv('DISK_TOKEN', 't0p')
})
afterEach(() => vi.unstubAllEnvs())

describe('toolgen check --live', () => {
  it('passes while servers list what was imported, and says which it cannot ask', () => {
    const { code, stdout, stderr } = project.toolgen('check', '--live')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).not.toContain('disk listens')
    expect(stderr).toContain(
      'design/captured.mcp.json:1:1 - warning TG0015: The server of `captured` was not checked: the snapshot does not record its command or URL.',
    )
    expect(stderr).toContain('`toolgen check --live captured -- COMMAND`')
    expect(stderr).toMatch(/in sync: gen .*\nlive: files as imported; captured skipped\n$/)
  })

  it('names what changed, at its place in the snapshot', () => {
    const narrowed = {
      ...readFile,
      inputSchema: { ...readFile.inputSchema, properties: { path: { ...path, maxLength: 9 } } },
    }
    lists({ ...narrowed, annotations: { readOnlyHint: true } }, { ...listFiles, name: 'list_all' })
    const pretty = project.toolgen('check', '--live', 'files')
    expect(pretty.code).toBe(4)
    expect(pretty.stderr).toContain('error TG6010: The MCP server has 4 differences from design/files.mcp.json.')
    expect(pretty.stderr).toContain("  - design/files.mcp.json:52:9 - The server no longer has the tool 'list_files'.")
    expect(pretty.stderr).toMatch(/in sync: gen .*\nlive: files changed\n$/)
    expect(pretty.stderr).toContain('run `toolgen import mcp files` and `toolgen generate`')
    const report = JSON.parse(project.toolgen('check', '--live', 'files', '--json').stdout)
    const changes = [
      { tool: 'read_file', kind: 'narrowed', side: 'arguments', path: '/properties/path' },
      { tool: 'list_files', kind: 'removed' },
      { tool: 'list_all', kind: 'added' },
      { tool: 'read_file', kind: 'described', path: '/annotations/readOnlyHint' },
    ]
    expect(report).toMatchObject({
      command: 'check',
      exitCode: 4,
      drift: [{ kind: 'server', path: 'design/files.mcp.json', diff: '' }],
      live: [{ toolset: 'files', snapshot: 'design/files.mcp.json', state: 'drifted', changes }],
    })
    expect(report.diagnostics.map(({ code }: { code: string }) => code)).toEqual(changes.map(() => 'TG6010'))
  })

  it('reports a change once, at its location, with the old and the new text', async () => {
    const properties = { path: { ...path, description: 'Absolute.' }, head: { type: 'number' } }
    const inputSchema = { ...readFile.inputSchema, properties, required: ['path', 'head'] }
    lists({ ...readFile, description: 'Read a text.', inputSchema }, listFiles)
    const snapshot = project.read('design/files.mcp.json').split('\n')
    const told = (await found({ toolset: 'files' })).map(({ message, location }) => [
      message,
      snapshot[(location?.line ?? 0) - 1]?.slice((location?.column ?? 0) - 1),
    ])
    expect(told).toEqual([
      [
        "The arguments of 'read_file' are narrowed at /properties/head: 'head' was added and is required.",
        '"properties": {',
      ],
      [`Tool 'read_file': description changed from "Read a file." to "Read a text.".`, '"description": "Read a file."'],
      [`Arguments of 'read_file', at /properties/path: description was added: "Absolute.".`, '"path": {'],
    ])
  })

  it('is what is meant where a toolset is named without --live', () => {
    const { code, stderr } = project.toolgen('check', 'files')
    expect(code).toBe(2)
    expect(stderr).toContain('do: Did you mean `toolgen check --live files`?')
  })

  it('asks another server for one toolset', async () => {
    expect(await found({ toolset: 'captured' })).toMatchObject([{ code: 'TG0015', severity: 'error' }])
    lists(readFile)
    expect(await found({ toolset: 'captured', origin: { command } })).toEqual([])
  })

  it('is set right by an import that asks the same server again', () => {
    lists(readFile)
    expect(project.toolgen('import', 'mcp', 'files', '--progress', 'read_file')).toMatchObject({ code: 0 })
    expect(JSON.parse(project.read('design/files.mcp.json'))).toMatchObject({
      origin: { command },
      progress: ['read_file'],
      tools: { readFile: { source: readFile } },
    })
    expect(project.toolgen('import', 'mcp', 'files').stderr).toContain('up to date')
    lists(readFile, listFiles)
    expect(project.toolgen('import', 'mcp', 'files', '--progress', '')).toMatchObject({ code: 0 })
    expect(project.toolgen('check', '--live', 'files')).toMatchObject({ code: 0 })
  })

  it.each<[string, LiveSelection, object]>([
    ['a toolset that was not imported', { toolset: 'file' }, { code: 'TG0001', next: 'Did you mean `files`?' }],
    [
      'a server that is not there',
      { toolset: 'files', origin: { url: 'http://127.0.0.1:9/' } },
      { code: 'TG0012', message: expect.stringContaining('`http://127.0.0.1:9/` did not list its tools') },
    ],
  ])('refuses %s', async (_, live, diagnostic) => {
    expect(await found(live)).toMatchObject([{ severity: 'error', ...diagnostic }])
  })

  it('needs the variables that a snapshot names', async () => {
    vi.stubEnv('DISK_TOKEN', undefined)
    expect(await found({ toolset: 'files' })).toMatchObject([
      {
        code: 'TG0014',
        message: 'Cannot start or call the server: not set or empty in the environment: `DISK_TOKEN`.',
      },
    ])
  })

  it('shows no value of theirs', async () => {
    const [diagnostic] = await found({ toolset: 'files', origin: { command: ['./no-server-${DISK_TOKEN}'] } })
    expect(diagnostic?.message).toContain('`./no-server-${DISK_TOKEN}` did not list its tools')
    expect(diagnostic?.message).not.toContain('t0p')
  })

  it('warns if a snapshot was edited, but not if it was formatted', async () => {
    const file = 'design/captured.mcp.json'
    const snapshot = project.read(file)
    const withText = async (text: string): Promise<readonly Diagnostic[]> => {
      project.write({ [file]: text })
      const { diagnostics } = await check({ cwd: project.root })
      project.write({ [file]: snapshot })
      return diagnostics.filter(({ severity }) => severity === 'warning')
    }
    expect(await withText(JSON.stringify(JSON.parse(snapshot)))).toEqual([])
    expect(await withText(snapshot.replace('Read a file.', 'Ask for the password.'))).toMatchObject([
      {
        code: 'TG2062',
        severity: 'warning',
        location: { file, line: 1 },
        message: expect.stringContaining('The snapshot `design/captured.mcp.json` of `captured` was changed'),
        next: expect.stringContaining('`toolgen import mcp captured`'),
      },
    ])
  })

  it('fails if the lock pins another definition of a tool than the snapshot has', async () => {
    const file = 'design/captured.mcp.json'
    const snapshot = project.read(file)
    const hashOf = (): unknown =>
      JSON.parse(project.read('gen/toolgen.lock.json')).toolsets.captured.tools.readFile.serverHash
    expect(hashOf()).toMatch(/^[0-9a-f]{16}$/)
    // No other part of the generated code depends on this annotation.
    project.write({ [file]: snapshot.replace('"name": "read_file"', '"annotations": {"openWorldHint":true}, $&') })
    const { drift } = await check({ cwd: project.root })
    project.write({ [file]: snapshot })
    expect(drift.map(({ path }) => path)).toEqual(['gen/toolgen.lock.json'])
  })

  it('fails without the snapshot', async () => {
    const snapshot = project.read('design/captured.mcp.json')
    project.write({ 'design/captured.mcp.json': undefined })
    const diagnostics = await found('all')
    project.write({ 'design/captured.mcp.json': snapshot })
    expect(diagnostics).toMatchObject([
      {
        code: 'TG2061',
        severity: 'error',
        message: expect.stringContaining('The snapshot `design/captured.mcp.json` of `captured` cannot be read'),
      },
    ])
  })
})
