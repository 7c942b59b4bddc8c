import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { outputFaults } from './cli-output.js'
import { createProject, type Project, smallProject } from './project.fixture.js'

let project: Project
beforeAll(() => {
  project = createProject({
    ...smallProject,
    'tools.json': JSON.stringify({ tools: [{ name: 'read', inputSchema: { type: 'object' } }] }),
    'openapi.json': JSON.stringify({ openapi: '3.1.0', paths: { '/sun': { get: { operationId: 'sun' } } } }),
    'functions.json': JSON.stringify([{ name: 'sun', parameters: { type: 'object', properties: {} } }]),
    'broken.config.ts': 'export default { design: 7 }\n',
  })
})
afterAll(() => project.remove())

// The project's `toolgen` throws where JSON is not as the schema says; what is asserted here is that there is JSON, and whose.
describe('--json', () => {
  it.each<[command: string, code: number, args: readonly string[]]>([
    ['check', 4, ['check']],
    ['generate', 0, ['generate']],
    ['inspect', 0, ['inspect']],
    ['docs', 0, ['docs']],
    ['docs', 0, ['docs', '--output', 'tools.html']],
    ['docs', 2, ['docs', '--output', 'package.json']],
    ['explain', 0, ['explain', 'TG5001']],
    ['explain', 2, ['explain', 'TG5091']],
    ['completions', 0, ['completions', 'bash']],
    ['import mcp', 0, ['import', 'mcp', 'files', '--from', 'tools.json', '--dir', 'imported']],
    ['import mcp', 2, ['import', 'mcp', 'files', '--from', 'nothing.json']],
    ['import functions', 0, ['import', 'functions', 'weather', '--from', 'functions.json', '--dir', 'imported']],
    ['import openapi', 0, ['import', 'openapi', 'pets', '--from', 'openapi.json', '--dir', 'imported']],
    ['import module', 2, ['import', 'module', 'desk', 'nothing.ts']],
    ['import module', 3, ['import', 'module', 'desk', 'design/fields.ts']],
    ['init', 0, ['init', '--dir', 'new', '--yes']],
    ['init', 2, ['init', '--dir', 'new', '--yes']],
    ['serve', 2, ['serve', 'nothing.ts']],
    ['generate', 2, ['generate', '--config', 'broken.config.ts']],
    ['toolgen', 2, ['generate', '--forse']],
    ['toolgen', 2, ['check', '--cwd', 'nowhere']],
  ])('of %s, exit code %d: %j is one documented object', (command, exitCode, args) => {
    const ran = project.toolgen(...args, '--json')
    expect(JSON.parse(ran.stdout)).toMatchObject({ command, exitCode })
    expect(ran.code).toBe(exitCode)
  })

  it('is not whatever one likes: unknown fields and other kinds of values are faults', () => {
    const right = { command: 'explain', exitCode: 0, diagnostics: [] }
    expect(outputFaults(JSON.stringify(right))).toEqual([])
    expect(outputFaults(JSON.stringify({ ...right, extra: 1 }))).not.toEqual([])
    expect(outputFaults(JSON.stringify({ ...right, exitCode: 9 }))).not.toEqual([])
    expect(outputFaults(JSON.stringify({ ...right, command: 'docs', format: 'pdf' }))).not.toEqual([])
  })
})
