import { toolOf, toolsetOf } from '../agents/orders.fixture.js'
import type { BoundToolset } from '../call/bound-toolset.js'

import { Runtime } from '../index.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { JsonSchema } from '../types/json.js'
import type {
  McpCaller,
  McpCallOptions,
  McpExecutorOptions,
  McpToolCall,
  McpToolInfo,
  McpToolResult,
  ToolsetImport,
} from '../types/mcp.js'
import type { ToolDescriptor, ToolSpec } from '../types/tool.js'
import { mcpExecutor } from './mcp-executor.js'

const input: JsonSchema = {
  type: 'object',
  properties: { path: { type: 'string' }, head: { type: 'integer', default: 10 } },
  required: ['path'],
}

export class FakeCaller implements McpCaller {
  readonly server: McpCaller['server'] = { name: 'fake', version: '1' }
  readonly calls: McpToolCall[] = []
  readonly options: McpCallOptions[] = []
  lists = 0
  readonly #listeners: (() => void)[] = []

  readonly answer: (call: McpToolCall, options: McpCallOptions) => McpToolResult | Promise<McpToolResult>
  tools: readonly McpToolInfo[]

  constructor(
    answer: FakeCaller['answer'],
    tools: readonly McpToolInfo[] = [{ name: 'read_file', inputSchema: input }],
  ) {
    this.answer = answer
    this.tools = tools
  }

  async callTool(call: McpToolCall, options: McpCallOptions): Promise<McpToolResult> {
    this.calls.push(call)
    this.options.push(options)
    return this.answer(call, options)
  }

  async listTools(): Promise<readonly McpToolInfo[]> {
    this.lists += 1
    return this.tools
  }

  onToolsChanged(listener: () => void): () => void {
    this.#listeners.push(listener)
    return () => undefined
  }

  changeTools(tools: readonly McpToolInfo[]): void {
    this.tools = tools
    for (const listener of this.#listeners) listener()
  }

  async close(): Promise<void> {}
}

export interface FileToolParts {
  readonly outputSchema?: JsonSchema
  readonly spec?: Partial<ToolSpec>
}

export function readFile({ outputSchema, spec = {} }: FileToolParts = {}): ToolDescriptor<any, unknown, any, never> {
  return toolOf('files.readFile', { arguments: input, result: outputSchema ?? true, spec })
}

export function importOf(parts: FileToolParts = {}): ToolsetImport {
  const { outputSchema } = parts
  return {
    toolset: toolsetOf(readFile(parts)),
    tools: {
      readFile: { name: 'read_file', inputSchema: input, ...(outputSchema !== undefined && { outputSchema }) },
    },
  }
}

export function filesOver(caller: McpCaller, imported: ToolsetImport, options?: McpExecutorOptions): BoundToolset {
  const executor = mcpExecutor(imported, caller, { onDrift: 'ignore', ...options })
  return new Runtime().registerToolset(toolsetRegistration({ toolset: imported.toolset, provider: 'mcp' }, executor))
}
