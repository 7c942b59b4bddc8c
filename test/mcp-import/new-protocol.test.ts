import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, it } from 'vitest'
import { createProject, smallProject } from '../cli/project.fixture.js'
import { endAll } from '../mcp/http-server.fixture.js'
import { newServerOverHttp } from '../mcp/new-server.fixture.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const toolgen = join(root, 'packages/codegen/bin/toolgen.js')
const server = join(root, 'test/mcp/new-server.mjs')
const folder = mkdtempSync(join(tmpdir(), 'toolgen-new-protocol-'))

afterEach(async () => {
  await endAll()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs the command without blocking this process, which can serve the tools. */
async function run(...args: readonly string[]): Promise<any> {
  const { stdout } = await promisify(execFile)(process.execPath, [toolgen, ...args], {
    cwd: join(root, 'test'),
  })
  return JSON.parse(stdout)
}

const textOf = (file: string): string => readFileSync(join(folder, file), 'utf8')

it('the same tools are imported from a server with protocol 2026-07-28 over stdio and HTTP', async () => {
  const stdio = await run('import', 'mcp', 'fresh', '--json', '--dir', folder, '--', process.execPath, server)
  expect(stdio).toMatchObject({ tools: 12 })
  const [snapshot, module] = [JSON.parse(textOf('fresh.mcp.json')), textOf('fresh.mcp.ts')]
  expect(snapshot).toMatchObject({ server: { name: 'new', version: '2.0.0' } })

  const { url } = await newServerOverHttp()
  await run('import', 'mcp', 'fresh', '--json', '--dir', folder, '--url', url)
  expect(JSON.parse(textOf('fresh.mcp.json'))).toEqual({ ...snapshot, hash: expect.any(String), origin: { url } })
  expect(textOf('fresh.mcp.ts')).toBe(module)
})

it('`check --live` compares a snapshot with such a server', () => {
  const project = createProject({
    'package.json': smallProject['package.json'] ?? '',
    'toolgen.config.ts': smallProject['toolgen.config.ts'] ?? '',
  })
  expect(project.toolgen('import', 'mcp', 'fresh', '--', 'node', server)).toMatchObject({ code: 0 })
  expect(project.toolgen('generate')).toMatchObject({ code: 0 })
  expect(project.toolgen('check', '--live')).toMatchObject({ code: 0 })
  const file = 'design/fresh.mcp.json'
  project.write({ [file]: project.read(file).replaceAll('"total"', '"sum"') })
  const { code, stderr } = project.toolgen('check', '--live')
  project.remove()
  expect(code).toBe(4)
  expect(stderr).toContain('error TG6010')
})
