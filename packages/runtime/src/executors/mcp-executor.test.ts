import { describe, expect, it, vi } from 'vitest'
import { toolOf, toolsetOf } from '../agents/orders.fixture.js'
import { renderForModel } from '../index.js'
import { McpCallError } from '../mcp.js'
import type { McpDriftReport, McpExecutorOptions, McpToolResult, ToolsetImport } from '../types/mcp.js'
import type { ToolOutcome } from '../types/outcome.js'
import { FakeCaller, type FileToolParts, filesOver, importOf, readFile } from './mcp.fixture.js'
import { mcpExecutor } from './mcp-executor.js'

const text = (...texts: readonly string[]): McpToolResult => ({
  content: texts.map((text) => ({ type: 'text', text })),
})
/** What the official SDK writes before what is wrong. */
const refusal = 'MCP error -32602: Input validation error: Invalid arguments for tool read_file: '
const declared = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }

function outcomeOf(answer: McpToolResult | Error, parts: FileToolParts = {}): Promise<ToolOutcome> {
  const caller = new FakeCaller(async () => {
    if (answer instanceof Error) throw answer
    return answer
  })
  return filesOver(caller, importOf(parts)).execute(readFile(parts).call({ path: 'a' }))
}

describe('an MCP executor', () => {
  it('sends the payload under the name of the server, with defaults and server-owned fields', async () => {
    const serverOwned = [{ field: 'session', from: 'sessionId', schema: { type: 'string' } }] as const
    const caller = new FakeCaller(() => text('ok'))
    const parts = { spec: { serverOwned } }
    await filesOver(caller, importOf(parts)).execute(readFile(parts).call({ path: 'a' }), { sessionId: 's-1' })
    expect(caller.calls).toEqual([{ name: 'read_file', arguments: { path: 'a', head: 10, session: 's-1' } }])
  })

  it('says which server answered', async () => {
    expect((await outcomeOf(text('ok'))).provenance.service).toBe('fake')
  })

  it.each<[string, McpToolResult, unknown]>([
    ['structured content before text', { ...text('{"id":2}'), structuredContent: { id: 1 } }, { id: 1 }],
    ['JSON in the only text', text('{"id":2}'), { id: 2 }],
    ['a list in the only text', text('[1]'), [1]],
    ['prose', text('[1] see the list'), '[1] see the list'],
    ['a number as prose', text('42'), '42'],
    ['several texts', text('a', 'b'), { content: text('a', 'b').content }],
    [
      'other kinds',
      { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] },
      expect.objectContaining({ content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }),
    ],
    ['nothing', {}, { content: [] }],
  ])('reads %s where nothing is declared', async (_, answer, data) => {
    expect(await outcomeOf(answer)).toMatchObject({ status: 'completed', result: { data } })
  })

  it('reads a text as the schema of a tool that was declared by hand wants it', async () => {
    const parts = { outputSchema: { type: 'number' } }
    const imported = { ...importOf(parts), tools: { readFile: { name: 'read_file' } } }
    const files = filesOver(new FakeCaller(() => text('42')), imported)
    expect(await files.execute(readFile(parts).call({ path: 'a' }))).toMatchObject({ result: { data: 42 } })
  })

  it.each<[string, McpToolResult, object]>([
    [
      'structured content',
      { content: [], structuredContent: { id: 1, more: 2 } },
      { status: 'completed', json: '{"id":1}' },
    ],
    ['JSON as text', text('{"id":1}'), { status: 'completed', json: '{"id":1}' }],
    ['prose', text('one'), { hint: { reason: 'malformed_result' } }],
    ['several blocks', text('{"id":1}', 'b'), { hint: { reason: 'malformed_result' } }],
    ['a breach of the schema', { structuredContent: { id: 'x' } }, { hint: { reason: 'malformed_result' } }],
    ['no list of blocks', { content: [1] }, { hint: { reason: 'malformed_result' } }],
  ])('takes %s where an output is declared', async (_, answer, expected) => {
    expect(await outcomeOf(answer, { outputSchema: declared })).toMatchObject(expected)
  })

  it.each<[string, McpToolResult | Error, object]>([
    [
      'an error of the tool',
      { ...text('ENOENT: a'), isError: true },
      { reason: 'domain_rejection', message: 'ENOENT: a' },
    ],
    ['an error without text', { isError: true }, { reason: 'domain_rejection' }],
    [
      'quoted invalid params',
      { ...text('MCP error -32602: head: too big'), isError: true },
      { reason: 'invalid_arguments', message: 'head: too big' },
    ],
    ['another quoted code', { ...text('MCP error -32603: x'), isError: true }, { reason: 'domain_rejection' }],
    [
      'text that only mentions it',
      { ...text('an MCP error -32602: x'), isError: true },
      { reason: 'domain_rejection' },
    ],
    [
      'invalid params',
      Object.assign(new Error('MCP error -32602: head'), { code: -32602 }),
      { reason: 'invalid_arguments', message: 'head' },
    ],
    ['an unknown method', new McpCallError('refused', 'secret', { rpcCode: -32601 }), { reason: 'internal' }],
    ['a closed connection', new McpCallError('closed', 'secret'), { reason: 'unavailable', action: 'replan' }],
    ['no connection', new McpCallError('unreachable', 'secret'), { reason: 'unavailable', action: 'wait' }],
    ['no answer', new McpCallError('timeout', 'secret'), { reason: 'timeout' }],
    ['no access', new McpCallError('http', 'secret', { status: 401 }), { reason: 'denied' }],
    ['too long an answer', new McpCallError('too_large', 'secret'), { reason: 'malformed_result' }],
    ['a breach of the protocol', new McpCallError('malformed', 'secret'), { reason: 'malformed_result' }],
    ['a bug', new TypeError('secret'), { reason: 'internal' }],
  ])('classifies %s', async (_, answer, hint) => {
    const outcome = await outcomeOf(answer)
    expect(outcome).toMatchObject({ status: 'failed', hint })
    expect(JSON.stringify(outcome)).not.toContain('secret')
  })

  it.each<[string, McpToolResult | Error]>([
    ['an answer', { ...text(`${refusal}Too big at head`), isError: true }],
    ['an error', new McpCallError('refused', `${refusal}Too big at head`, { rpcCode: -32602 })],
  ])(
    'tells of a refusal in %s what the server says of the arguments, and no example that it may refuse too',
    async (_, answer) => {
      const outcome = await outcomeOf(answer)
      expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'invalid_arguments', tool: 'files.readFile' } })
      expect(renderForModel(outcome)).toBe('Invalid arguments: Too big at head.')
    },
  )

  it('reports a removed tool by its tool name', async () => {
    const descriptor = readFile({ spec: { toolName: 'read_it' } })
    const imported = { ...importOf(), toolset: toolsetOf(descriptor) }
    const caller = new FakeCaller(() => ({ ...text('MCP error -32602: Tool read_file not found'), isError: true }), [])
    const outcome = await filesOver(caller, imported).execute({ tool: 'read_it', arguments: '{"path":"a"}' })
    expect(renderForModel(outcome)).toBe('The tool "read_it" is not available any more. Use another tool.')
  })

  it('cuts the text of an error', async () => {
    const outcome = await outcomeOf({ ...text('x'.repeat(1_000_000)), isError: true })
    expect(JSON.stringify(outcome).length).toBeLessThan(10_000)
  })

  it.each([
    [{ ...text('MCP error -32602: Tool read_file not found'), isError: true }],
    [Object.assign(new Error('Unknown tool'), { code: -32602 })],
  ])('knows by the list that a tool is gone', async (answer) => {
    const caller = new FakeCaller(() => {
      if (answer instanceof Error) throw answer
      return answer
    }, [])
    const outcome = await filesOver(caller, importOf()).execute(readFile().call({ path: 'a' }))
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'unknown_tool', near: [] } })
  })

  it.each([
    ['as the call shows', 'ignore'],
    ['before it is sent', 'fail'],
  ] as const)('names near tools that the server still lists where one is gone, %s', async (_, onDrift) => {
    const names = ['readFile', 'readFiles', 'readTextFile', 'drop']
    const descriptors = names.map((name) => toolOf(`files.${name}`, { arguments: { type: 'object' } }))
    const imported: ToolsetImport = {
      toolset: toolsetOf(...descriptors),
      tools: Object.fromEntries(names.map((name) => [name, { name: `fs.${name}` }])),
    }
    const listed = ['fs.readTextFile', 'fs.drop', 'fs.readFils'].map((name) => ({ name, inputSchema: {} }))
    const refusal = new McpCallError('refused', 'Unknown tool', { rpcCode: -32602 })
    const caller = new FakeCaller(() => Promise.reject(refusal), listed)
    const outcome = await filesOver(caller, imported, { onDrift }).execute({ tool: 'files.readFile', arguments: '{}' })
    expect(outcome).toMatchObject({
      status: 'failed',
      hint: { reason: 'unknown_tool', tool: 'files.readFile', near: ['files.readTextFile'] },
    })
    expect(caller.calls).toHaveLength(onDrift === 'fail' ? 0 : 1)
  })

  it('turns progress into updates of a streaming tool, and asks for none of another', async () => {
    const caller = new FakeCaller((_, { onProgress }) => {
      onProgress?.({ progress: 1, total: 2 })
      onProgress?.({ progress: 2, total: 2 })
      return text('ok')
    })
    const updates: string[] = []
    const streaming = { spec: { updates: { type: 'object', properties: { progress: { type: 'number' } } } } }
    const files = filesOver(caller, importOf(streaming))
    const onUpdate = (update: string): unknown => updates.push(update)
    await files.execute(readFile(streaming).call({ path: 'a' }), { onUpdate })
    expect(updates).toEqual(['{"progress":1}', '{"progress":2}'])
    await filesOver(caller, importOf()).execute(readFile().call({ path: 'a' }), { onUpdate })
    expect(caller.options[1]).not.toHaveProperty('onProgress')
  })

  it('rejects invalid callers, and fails the call if a source returns one', async () => {
    const wrong: any[] = [3, {}, null]
    for (const caller of wrong) {
      expect(() => mcpExecutor(importOf(), caller)).toThrow(
        "Toolset 'files' has an invalid caller: it lacks callTool and",
      )
      await expect(mcpExecutor(importOf(), () => caller).ready()).rejects.toThrow(
        'its result lacks callTool and listTools',
      )
    }
  })

  it('asks a source for its caller with the first call, and again after it failed', async () => {
    const caller = new FakeCaller(() => text('ok'))
    const source = vi.fn(async () => caller)
    source.mockRejectedValueOnce(new McpCallError('unreachable', 'not yet'))
    const imported = importOf()
    const executor = mcpExecutor(imported, source, { onDrift: 'ignore' })
    expect(source).not.toHaveBeenCalled()
    await expect(executor.ready()).rejects.toThrow('not yet')
    expect(await executor.ready()).toEqual({ changes: [] })
    await executor.ready()
    expect(source).toHaveBeenCalledTimes(2)
  })
})

describe('the drift of an executor', () => {
  const narrower = [{ name: 'read_file', inputSchema: { type: 'object', required: ['path', 'head'] } }]

  async function drifted(onDrift: NonNullable<McpExecutorOptions['onDrift']>): Promise<ToolOutcome> {
    const caller = new FakeCaller(() => text('ok'), narrower)
    return filesOver(caller, importOf(), { onDrift }).execute(readFile().call({ path: 'a' }))
  }

  it('is reported at the first call, which does not wait for it', async () => {
    const reports: McpDriftReport[] = []
    const outcome = await drifted((report) => reports.push(report))
    expect(outcome.status).toBe('completed')
    await expect.poll(() => reports).toHaveLength(1)
    expect(reports[0]?.changes.map(({ kind }) => kind)).toContain('narrowed')
  })

  it('is written to the console by default', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    await drifted('warn')
    await expect.poll(() => warn).toHaveBeenCalledTimes(1)
    expect(warn.mock.calls[0]?.[0]).toContain("'head' is required now")
    expect(warn.mock.calls[0]?.[0]).toMatch(/\nImport the tools again: npx toolgen import mcp \w+$/)
    warn.mockRestore()
  })

  it('fails the calls of changed tools where that is asked for, without asking the server', async () => {
    const caller = new FakeCaller(() => text('ok'), narrower)
    const outcome = await filesOver(caller, importOf(), { onDrift: 'fail' }).execute(readFile().call({ path: 'a' }))
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'internal' } })
    expect(caller.calls).toEqual([])
  })

  it('is why a call that the server refuses is not to be corrected', async () => {
    const answer = { ...text(`${refusal}Required at head`), isError: true }
    const caller = new FakeCaller(() => answer, narrower)
    const outcome = await filesOver(caller, importOf()).execute(readFile().call({ path: 'a' }))
    expect(outcome).toMatchObject({
      status: 'failed',
      hint: { reason: 'domain_rejection', action: 'replan' },
      error: { cause: { cause: { message: expect.stringContaining("'head' is required now") } } },
    })
    expect(renderForModel(outcome)).toBe(
      'The tool has changed on its server, which rejected the arguments: Required at head. Try another way.',
    )
  })

  it('is looked for again when the server says that its tools have changed', async () => {
    const reports: McpDriftReport[] = []
    const caller = new FakeCaller(() => text('ok'))
    const imported = importOf()
    const executor = mcpExecutor(imported, caller, { onDrift: (report) => reports.push(report) })
    expect(await executor.ready()).toEqual({ changes: [] })
    caller.changeTools([])
    expect((await executor.ready()).changes).toMatchObject([{ tool: 'read_file', kind: 'removed' }])
    expect([reports.length, caller.lists]).toEqual([1, 2])
  })
})

it('fails for a tool that the import does not have', async () => {
  const imported = { ...importOf(), tools: {} }
  const outcome = await filesOver(new FakeCaller(() => text('ok')), imported).execute(readFile().call({ path: 'a' }))
  expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'internal' } })
})
