import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'
import { Runtime } from '../../packages/runtime/src/index.js'
import { serveMcp } from '../../packages/runtime/src/mcp.js'
import { shop, shopTools } from '../mcp/shop.fixture.js'
import { everythingOverHttp } from '../real-servers/everything-over-http.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const toolgen = join(root, 'packages/codegen/bin/toolgen.js')
const folder = mkdtempSync(join(tmpdir(), 'toolgen-import-url-'))
const ends: (() => unknown)[] = []

afterEach(async () => {
  for (const end of ends.splice(0)) await end()
  rmSync(folder, { recursive: true, force: true })
})

/** What an import says as JSON. It asks a server that may run in this process: this one must not wait for it. */
async function imported(name: string, url: string, ...more: readonly string[]): Promise<any> {
  const args = [toolgen, 'import', 'mcp', name, '--url', url, '--dir', folder, '--json', ...more]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: join(root, 'test') })
  return JSON.parse(stdout)
}

const textOf = (path: string): string => readFileSync(path, 'utf8')

/** When each file was written. */
function times(): readonly (readonly [string, number])[] {
  return readdirSync(folder).map((file) => [file, statSync(join(folder, file)).mtimeMs])
}

describe('an import from an address', () => {
  it('writes the tools that a toolset of toolgen is served with, and nothing when asked again', async () => {
    const service = await serveMcp(new Runtime(), { toolsets: [shop()], transport: { port: 0 } })
    ends.push(() => service.close())

    const first = await imported('shop', service.url ?? '')
    expect(first).toMatchObject({ diagnostics: [], tools: 4, described: 1 })
    expect(first.written).toHaveLength(3)
    const snapshot = JSON.parse(textOf(join(folder, 'shop.mcp.json')))
    expect(snapshot).toMatchObject({ server: { name: 'toolgen' } })
    const listed = Object.values<{ source: { name: string } }>(snapshot.tools).map(({ source }) => source.name)
    expect(listed).toEqual(Object.keys(shopTools))
    expect(textOf(join(folder, 'shop.mcp.ts'))).toContain('export const shop = importedToolset(shopSnapshot)')

    const before = times()
    const second = await imported('shop', service.url ?? '')
    expect([second.written, second.unchanged]).toEqual([[], first.written.slice(0, 2)])
    expect(times()).toEqual(before)
    const args = [toolgen, 'import', 'mcp', 'shop', '--dir', folder, '--json', '--', service.url ?? '']
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: join(root, 'test') })
    expect(JSON.parse(stdout)).toMatchObject({ diagnostics: [], unchanged: first.written.slice(0, 2) })
  })

  it('writes of another server what an import from its command writes', async () => {
    const { url, end } = await everythingOverHttp('streamableHttp')
    ends.push(end)
    const { written } = await imported('everything', url, '--progress', 'trigger-long-running-operation')
    expect(written).toHaveLength(3)
    const design = join(root, 'examples/files/design')
    for (const name of ['everything.mcp.snapshot.ts', 'everything.mcp.ts']) {
      expect(textOf(join(folder, name))).toBe(textOf(join(design, name)))
    }
    const [over, before] = [folder, design].map((dir) => JSON.parse(textOf(join(dir, 'everything.mcp.json'))))
    expect(over).toEqual({ ...before, hash: expect.any(String), origin: { url } })
  })
})
