import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { importMcp } from '../../packages/codegen/src/imports/mcp.js'
import { type BoundToolset, type JsonObject, mcpDrift, type ToolOutcome } from '../../packages/runtime/src/index.js'
import type { McpToolInfo, SdkCaller } from '../../packages/runtime/src/mcp.js'
import { dataFolder, hasData } from '../data.js'
import { boundOver, importedAs } from '../mcp/served.fixture.js'
import { REAL_SERVERS } from './real-servers.fixture.js'

describe.each(REAL_SERVERS)('$name', (server) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolgen-real-')))
  const caller: SdkCaller = server.start(folder)
  let listed: readonly McpToolInfo[]
  let bound: BoundToolset

  beforeAll(async () => {
    listed = await caller.listTools()
    bound = boundOver(caller, importedAs('real', schemasOf(listed)))
  })

  afterAll(async () => {
    await caller.close()
    rmSync(folder, { recursive: true })
  })

  it('lists tools that can all be imported', () => {
    const captured = { initialize: { serverInfo: caller.server }, tools: listed }
    const { tools, described, diagnostics } = importMcp(server.name, { captured, source: server.name })
    expect([tools, described]).toEqual(server.tools)
    expect(diagnostics).toEqual([])
  })

  const { capture, hidden = [], refused } = server
  if (capture !== undefined) {
    it.skipIf(!hasData)('lists what was captured of it (needs the data folder)', () => {
      const { tools }: { tools: readonly McpToolInfo[] } = JSON.parse(
        readFileSync(join(dataFolder() ?? '', 'mcp', capture), 'utf8'),
      )
      const { changes } = mcpDrift(tools, listed)
      expect(changes.map(({ tool, kind }) => [tool, kind])).toEqual(hidden.map((tool) => [tool, 'removed']))
    })
  }

  it('answers calls', async () => {
    for (const [tool, args, data] of server.good)
      expect(await called(bound, tool, args)).toMatchObject({ status: 'completed', result: { data } })
  })

  it('says who it is with every result', async () => {
    const [tool, args] = server.good[0]
    expect((await called(bound, tool, args)).provenance.service).toBe(caller.server?.name)
  })

  it('is not asked with arguments that break its schema', async () => {
    const sent = vi.spyOn(caller, 'callTool')
    const [tool, args] = server.bad
    expect(await called(bound, tool, args)).toMatchObject({ hint: { reason: 'invalid_arguments' } })
    expect(sent).not.toHaveBeenCalled()
    sent.mockRestore()
  })

  it('says what is wrong with arguments where nobody has looked before', async () => {
    const [tool, args, text] = server.bad
    const unchecked = boundOver(caller, importedAs('real', { [tool]: {} }))
    expect(await called(unchecked, tool, args)).toMatchObject({
      status: 'failed',
      hint: { reason: 'invalid_arguments', message: expect.stringContaining(text) },
    })
  })

  it('does not have a tool that it does not list, and the hint names the one that was meant', async () => {
    const [asked, meant] = server.misspelt
    const older = boundOver(caller, importedAs('real', { ...schemasOf(listed), [asked]: {} }))
    expect(await called(older, asked, {})).toMatchObject({
      status: 'failed',
      hint: { reason: 'unknown_tool', near: expect.arrayContaining([`real.${meant}`]) },
    })
  })

  if (refused !== undefined) {
    it('refuses in its own words', async () => {
      const [tool, args, text] = refused
      expect(await called(bound, tool, args)).toMatchObject({
        status: 'failed',
        hint: { reason: 'domain_rejection', message: expect.stringContaining(text) },
      })
    })
  }

  it('goes on after a call that was cancelled on its way', async () => {
    const [tool, args] = server.good[0]
    const { callTool } = caller
    const controller = new AbortController()
    vi.spyOn(caller, 'callTool').mockImplementationOnce(async (...sent) => {
      setImmediate(() => controller.abort())
      // A fast server may respond first: its response is held back until the call is cancelled.
      const [response] = await Promise.all([callTool.apply(caller, sent), once(controller.signal, 'abort')])
      return response
    })
    expect(await called(bound, tool, args, controller.signal)).toMatchObject({ hint: { reason: 'cancelled' } })
    expect((await called(bound, tool, args)).status).toBe('completed')
  })

  it('has ended when its caller is closed', async () => {
    expect(running(server.name)).toBe(1)
    await caller.close()
    expect(running(server.name)).toBe(0)
  })
})

function called(tools: BoundToolset, tool: string, args: JsonObject, signal?: AbortSignal): Promise<ToolOutcome> {
  const call = { tool: `real.${tool}`, arguments: JSON.stringify(args) }
  return tools.execute(call, signal === undefined ? {} : { signal })
}

function schemasOf(tools: readonly McpToolInfo[]): Parameters<typeof importedAs>[1] {
  return Object.fromEntries(
    tools.map(({ name, inputSchema, outputSchema }) => [
      name,
      { arguments: inputSchema, ...(outputSchema !== undefined && { outputSchema }) },
    ]),
  )
}

/** How many processes that this one has started run the server of this name. */
function running(name: string): number {
  const { stdout } = spawnSync('ps', ['-o', 'args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
  return stdout.split('\n').filter((line) => line.includes(`/${name}/`)).length
}
