import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { newToolCall, type ToolDescriptor, toolSpec } from '../../packages/runtime/src/codegen/v1.js'
import {
  type BoundToolset,
  type JsonSchema,
  mcpExecutor,
  Runtime,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import {
  type McpCaller,
  type McpExecutorOptions,
  type SdkCaller,
  type StdioCallerOptions,
  stdioCaller,
} from '../../packages/runtime/src/mcp.js'
import { payloadCodec, resultCodec } from '../../packages/runtime/src/schema.js'
import type { ToolsetImport } from '../../packages/runtime/src/types/mcp.js'

/** Result and updates of a test tool. */
export interface ServedParts {
  readonly arguments?: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly updates?: JsonSchema
}

/** Returns a tool as generated code has it. By default, it accepts any object and returns any JSON. */
export function servedTool(
  toolset: string,
  name: string,
  parts: ServedParts = {},
): ToolDescriptor<any, unknown, any, never> {
  const { arguments: schema = { type: 'object' }, outputSchema = true, updates } = parts
  const payload = payloadCodec<any, unknown>({ schema, unknown: 'keep' })
  const result = resultCodec<any, any>({ schema: outputSchema, unknown: 'keep' })
  const spec = toolSpec(
    { id: `${toolset}.${name}`, title: name, description: `The tool ${name}.`, examples: [], hash: '0' },
    payload,
    result,
    updates === undefined ? undefined : resultCodec<any, any>({ schema: updates }),
  )
  return { spec, payload, result, call: (args, options) => newToolCall(spec, payload, args, options) }
}

/** Returns a toolset of an MCP server whose tools have the names of the server. It is declared by hand, without a capture. */
export function importedAs(toolset: string, tools: Readonly<Record<string, ServedParts>>): ToolsetImport {
  const descriptors = Object.entries(tools).map(([name, parts]) => servedTool(toolset, name, parts))
  return {
    toolset: { name: toolset, namespace: 'default', description: 'Served by MCP.', tools: descriptors },
    tools: Object.fromEntries(
      Object.entries(tools).map(([name, { outputSchema }]) => [
        name,
        { name, ...(outputSchema !== undefined && { outputSchema }) },
      ]),
    ),
  }
}

/** Returns the imported tools over a caller. */
export function boundOver(caller: McpCaller, imported: ToolsetImport, options: McpExecutorOptions = {}): BoundToolset {
  const executor = mcpExecutor(imported, caller, { onDrift: 'ignore', ...options })
  return new Runtime().registerToolset(toolsetRegistration({ toolset: imported.toolset, provider: 'mcp' }, executor))
}

const result = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] }
const progress = { type: 'object', properties: { progress: { type: 'number' }, total: { type: 'number' } } }

/** Tools of the fault server. */
export const faultImport: ToolsetImport = importedAs('fault', {
  ...Object.fromEntries(
    [
      ...['echo', 'die', 'silent', 'garbage', 'big', 'process', 'cancelled', 'roots', 'change', 'error'],
      'environment',
    ].map((name) => [name, {}]),
  ),
  progress: { updates: progress },
  breaks: { outputSchema: result },
})

/** Starts the fault server. */
export function faultCaller(options: Partial<StdioCallerOptions> = {}): SdkCaller {
  const script = fileURLToPath(new URL('./fault-server.mjs', import.meta.url))
  return stdioCaller({
    command: process.execPath,
    args: [script],
    reconnect: { attempts: 2, initialMs: 10 },
    ...options,
  })
}

/** Checks that a process is running. A zombie process counts as ended. */
export function isAlive(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z')
}
