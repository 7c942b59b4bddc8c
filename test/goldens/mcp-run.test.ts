import { Runtime } from '@toolgen/runtime'
import { answer, callTools } from '@toolgen/runtime/agents'
import type { McpCaller, McpToolCall, McpToolInfo } from '@toolgen/runtime/mcp'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { advertisedSpecs, newSupportFilesMcpExecutor, registerSupport } from './mcp/gen/agents/support/index.js'
import { newReadFileCall } from './mcp/gen/toolsets/files/index.js'
import { filesMcp, newFilesClient } from './mcp/gen/toolsets/files/mcp.js'
import { newFindCall } from './mcp/gen/toolsets/search/index.js'
import { newSearchClient } from './mcp/gen/toolsets/search/mcp.js'

const approving = { approval: { approve: async () => 'approve' as const } }
const checks = { index: z.object({ from: z.string().refine((from) => from !== 'future') }) }

/** A server that answers every call with what it was called with, by tool. */
function server(answers: Readonly<Record<string, unknown>>): McpCaller & { readonly calls: readonly McpToolCall[] } {
  const calls: McpToolCall[] = []
  return {
    calls,
    server: { name: 'disk', version: '1' },
    async callTool(call) {
      calls.push(call)
      const structuredContent = answers[call.name]
      return structuredContent === undefined ? { content: [{ type: 'text', text: 'no' }] } : { structuredContent }
    },
    listTools: async () =>
      Object.values(filesMcp.tools).map(
        ({ name, description, inputSchema = true, outputSchema }): McpToolInfo => ({
          name,
          inputSchema,
          ...(description !== undefined && { description }),
          ...(outputSchema !== undefined && { outputSchema }),
        }),
      ),
    close: async () => {},
  }
}

describe('the client of a toolset', () => {
  it('calls the tools of a server without an agent, under the names of the server', async () => {
    const disk = server({ read_file: { content: 'Hello.' }, tree: { name: '.', kind: 'folder', children: [] } })
    const files = newFilesClient(disk, { onDrift: 'fail' })
    const read = await files.readFile({ path: 'notes.txt', head: 3 })
    expect(read).toMatchObject({ status: 'completed', result: { data: { content: 'Hello.' } } })
    const tree = await files.tree({ root: { path: '.' } })
    if (tree.status !== 'completed') return expect.fail(tree.status)
    const kind: 'file' | 'folder' = tree.result.data.kind
    expect(kind).toBe('folder')
    expect(disk.calls).toEqual([
      { name: 'read_file', arguments: { path: 'notes.txt', head: 3 } },
      { name: 'tree', arguments: { root: { path: '.' } } },
    ])
  })

  it('takes an answer of a tool without a result schema as it is', async () => {
    const outcome = await newFilesClient(server({})).listRoots()
    expect(outcome).toMatchObject({ status: 'completed', result: { data: 'no' } })
  })

  it('fails a call whose answer is not what the tool declares', async () => {
    const outcome = await newFilesClient(server({ read_file: { text: 1 } })).readFile({ path: 'x' })
    expect(outcome).toMatchObject({ status: 'failed', error: { reason: 'malformed_result' } })
  })

  it('rejects arguments that do not fit before anything is sent', async () => {
    const disk = server({})
    const wrong: { path: string } = JSON.parse('{ "path": 1 }')
    await expect(newFilesClient(disk).readFile(wrong)).rejects.toThrow(/path/)
    expect(disk.calls).toEqual([])
  })

  it('fills server-owned fields, and asks for approvals', async () => {
    const notes = server({ find: { notes: ['a'] } })
    const search = newSearchClient(notes, { checks, onDrift: 'ignore' })
    expect(await search.find({ topic: 'x' }, { labels: { tenant: 't-1' } })).toMatchObject({ status: 'completed' })
    expect(notes.calls).toEqual([{ name: 'find', arguments: { topic: 'x', tenant: 't-1' } }])
    const denying = { approval: { approve: async () => 'deny' as const } }
    expect(await search.forget({ note: 'a' }, { env: denying })).not.toMatchObject({ status: 'completed' })
    expect(await search.index({ from: 'future' })).toMatchObject({ error: { reason: 'invalid_arguments' } })
    expect(notes.calls.length).toBe(1)
  })
})

describe('an agent that uses servers', () => {
  it('calls each under the names of its use, and reports missing fields', async () => {
    const disk = server({ read_file: { content: 'Hello.' } })
    const archive = server({ archive_find: { notes: [] } })
    const support = registerSupport(new Runtime(), {
      planner: ({ turn }) =>
        turn === 1
          ? callTools(newReadFileCall({ path: 'a' }), newFindCall({ topic: 'b' }, { as: 'archive' }))
          : answer('done'),
      toolsets: {
        files: { executor: newSupportFilesMcpExecutor(disk) },
        search: { caller: server({}) },
        archive: { caller: () => archive, onDrift: 'ignore', checks },
      },
    })
    const run = await support.run('Go', { env: approving, labels: { tenant: 't' } })
    expect(run.status).toBe('completed')
    expect(disk.calls).toEqual([{ name: 'read_file', arguments: { path: 'a' } }])
    expect(archive.calls).toEqual([{ name: 'archive_find', arguments: { topic: 'b', tenant: 't' } }])
    expect(() => Reflect.apply(registerSupport, undefined, [new Runtime(), { toolsets: { files: {} } }])).toThrow(
      /toolsets\.files\.caller[\s\S]*Toolset 'search' is missing/,
    )
  })

  it('advertises its tools as served by MCP, under the names of the design', () => {
    const advertised = advertisedSpecs().map(({ provider, toolName }) => `${provider} ${toolName}`)
    expect(advertised).toContain('mcp find_notes')
    expect(advertised).toContain('mcp files_list_roots')
  })
})
