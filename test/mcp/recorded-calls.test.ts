import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { mcpDrift, type ToolOutcome } from '../../packages/runtime/src/index.js'
import type { McpCaller, McpToolInfo, McpToolResult } from '../../packages/runtime/src/mcp.js'
import { dataFolder, hasData } from '../data.js'
import { boundOver, importedAs } from './served.fixture.js'

interface Exchange {
  readonly server: string
  readonly tool: string
  readonly arguments: Record<string, unknown>
  readonly response: { readonly result: McpToolResult }
}

const folder = dataFolder()

describe.skipIf(!hasData)('recorded calls of real servers (needs the data folder)', () => {
  const exchanges = folder === undefined ? [] : read(folder)
  const servers = folder === undefined ? new Map<string, readonly McpToolInfo[]>() : captured(folder)

  it('have the outcomes that their servers meant', async () => {
    const counts: Record<string, number> = {}
    for (const exchange of exchanges) {
      const outcome = await replayed(exchange, servers.get(exchange.server) ?? [])
      const kind = outcome.status === 'failed' ? outcome.hint.reason : outcome.status
      counts[kind] = (counts[kind] ?? 0) + 1
      expect([exchange.tool, exchange.arguments, kind]).toEqual([exchange.tool, exchange.arguments, meant(exchange)])
    }
    expect(counts).toEqual({ completed: 32, domain_rejection: 6, invalid_arguments: 5, unknown_tool: 1 })
  })

  it('lose nothing of what was answered', async () => {
    for (const exchange of exchanges.filter(({ response }) => response.result.isError !== true)) {
      const outcome = await replayed(exchange, servers.get(exchange.server) ?? [])
      const { structuredContent, content } = exchange.response.result
      const data = outcome.status === 'completed' ? outcome.result.data : undefined
      if (structuredContent !== undefined) expect(data).toEqual(structuredContent)
      else if (typeof data === 'string') expect(content).toEqual([expect.objectContaining({ text: data })])
      else if (!(Array.isArray(content) && content.length === 1)) expect(data).toEqual({ content })
    }
  })
  it('come from servers that have not drifted from themselves', () => {
    for (const tools of servers.values())
      expect(mcpDrift(tools, JSON.parse(JSON.stringify(tools)))).toEqual({ changes: [] })
    expect(servers.size).toBeGreaterThan(20)
  })
})

function meant({ response: { result } }: Exchange): string {
  if (result.isError !== true) return 'completed'
  const text = JSON.stringify(result.content)
  if (!text.includes('"text":"MCP error -32602:')) return 'domain_rejection'
  return / not found/.test(text) ? 'unknown_tool' : 'invalid_arguments'
}

function replayed({ tool, arguments: args, response }: Exchange, tools: readonly McpToolInfo[]): Promise<ToolOutcome> {
  const caller: McpCaller = {
    server: undefined,
    callTool: async () => response.result,
    listTools: async () => tools,
    close: async () => undefined,
  }
  const outputSchema = tools.find(({ name }) => name === tool)?.outputSchema
  // Takes any arguments, so that also the wrong ones reach the recorded server.
  const imported = importedAs('recorded', { [tool]: outputSchema === undefined ? {} : { outputSchema } })
  const bound = boundOver(caller, imported)
  return bound.execute({ tool: `recorded.${tool}`, arguments: JSON.stringify(args) })
}

function read(data: string): readonly Exchange[] {
  const lines = readFileSync(join(data, 'mcp_calls', 'calls.jsonl'), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line): Exchange => JSON.parse(line))
}

function captured(data: string): ReadonlyMap<string, readonly McpToolInfo[]> {
  const files = readdirSync(join(data, 'mcp')).filter((file) => file.endsWith('.json'))
  const captures = files.map((file): { server: string; tools: readonly McpToolInfo[] } =>
    JSON.parse(readFileSync(join(data, 'mcp', file), 'utf8')),
  )
  return new Map(captures.map(({ server, tools }) => [server, tools]))
}
