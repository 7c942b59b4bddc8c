import { describe, expect, it } from 'vitest'
import { executorOf, toolOf, toolsetOf } from '../agents/orders.fixture.js'
import { registerAgent } from '../agents/runtime.js'
import { Runtime } from '../index.js'
import { isToolgenError } from '../is-toolgen-error.js'
import type { ToolsetImport } from '../types/mcp.js'
import type { ToolsetUse } from '../types/registration.js'
import { FakeCaller, importOf, readFile } from './mcp.fixture.js'
import { bindMcpToolset } from './mcp-binding.js'

const imported = importOf()
const use: ToolsetUse = { toolset: imported.toolset, provider: 'mcp' }
const agent = { name: 'support', description: 'Helps.' }
const caller = new FakeCaller(() => ({ content: [{ type: 'text', text: 'by the server' }] }))

/** As plain JavaScript would call it. */
const bind = (binding: unknown): ReturnType<typeof bindMcpToolset> => bindMcpToolset(use, binding as never, imported)

function messageOf(binding: unknown): string {
  try {
    registerAgent(new Runtime(), agent, [bind(binding)])
  } catch (error) {
    if (isToolgenError(error, 'BindingError')) return error.errors.map(({ message }) => message).join()
    throw error
  }
  return ''
}

describe('binding a toolset of an MCP server', () => {
  it.each([
    ['a caller', { caller, onDrift: 'ignore' }, 'by the server'],
    ['what gives a caller', { caller: async () => caller, onDrift: 'ignore' }, 'by the server'],
    ['an executor', { executor: executorOf(() => 'by hand') }, 'by hand'],
  ])('takes %s', async (_, binding, data) => {
    const support = registerAgent(new Runtime(), agent, [bind(binding)])
    expect(await support.execute(readFile().call({ path: 'a' }))).toMatchObject({ result: { data } })
    expect(support.specs[0]?.qualifiedId).toBe('mcp.files.readFile')
  })

  it('names only tools that the agent has where the server lacks one, by the name that the agent has for the toolset', async () => {
    const names = ['readFile', 'readFiles', 'readFiled']
    const several: ToolsetImport = {
      toolset: toolsetOf(...names.map((name) => toolOf(`files.${name}`, { arguments: { type: 'object' } }))),
      tools: Object.fromEntries(names.map((name) => [name, { name }])),
    }
    const without = new FakeCaller(
      () => Promise.reject(Object.assign(new Error('Unknown tool'), { code: -32602 })),
      [
        { name: 'readFiles', inputSchema: {} },
        { name: 'readFiled', inputSchema: {} },
      ],
    )
    const docs: ToolsetUse = {
      toolset: several.toolset,
      provider: 'mcp',
      as: 'docs',
      toolNames: { readFile: 'read', readFiles: 'readAll' },
    }
    const support = registerAgent(new Runtime(), agent, [
      bindMcpToolset(docs, { caller: without, onDrift: 'ignore' }, several),
    ])
    const outcome = await support.execute({ tool: 'read', arguments: '{}' })
    expect(outcome).toMatchObject({ hint: { reason: 'unknown_tool', near: ['docs.readFiles'] } })
  })

  it.each([
    [undefined, "Toolset 'files' is missing. Set toolsets.files = { caller } or { executor }."],
    [{}, "Toolset 'files' has neither caller nor executor. Set toolsets.files.caller."],
    [
      { caller, executor: executorOf(() => 1) },
      "Toolset 'files' has both a caller and an executor. Remove one of them.",
    ],
    [
      { caller: 3 },
      "Toolset 'files' has an invalid caller: it lacks callTool and listTools. Pass a caller, for example stdioCaller({ command }), or a function that returns one.",
    ],
    [{ caller: { callTool: () => 1 } }, expect.stringContaining('it lacks listTools. Pass')],
    [
      { executor: executorOf(() => 1), wrap: () => undefined },
      'toolsets.files is a registration. Use { caller, layers: (tools) => tools.layer(...) } instead.',
    ],
  ])('says what is wrong with %j', (binding, message) => {
    expect(messageOf(binding)).toEqual(message)
  })
})
