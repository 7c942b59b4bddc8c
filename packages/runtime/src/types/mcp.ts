import type { JsonObject, JsonSchema } from './json.js'
import type { ToolExecutor } from './registration.js'
import type { ToolsetDescriptor } from './tool.js'

/** Name and version of an MCP server. */
export interface McpServerInfo {
  readonly name: string
  readonly version: string
}

/** One tool as an MCP server's `tools/list` answers it. */
export interface McpToolInfo {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly annotations?: JsonObject
}

/** One part of what an MCP tool answered: `text`, `image`, `audio`, `resource`, `resource_link` or a later kind. */
export interface McpContent extends JsonObject {
  readonly type: string
}

/** Response of an MCP server to `tools/call`, unvalidated. */
export interface McpToolResult {
  readonly content?: unknown
  readonly structuredContent?: unknown
  readonly isError?: unknown
}

/** Progress of an MCP tool. */
export interface McpProgress {
  readonly progress: number
  readonly total?: number
  readonly message?: string
}

/** One call as it is sent. */
export interface McpToolCall {
  /** The server's own name of the tool. */
  readonly name: string
  readonly arguments: JsonObject
}

/** Options of one MCP call. */
export interface McpCallOptions {
  /** Cancels the call, also on the server. */
  readonly signal: AbortSignal
  /** Time limit without response or progress, in milliseconds. Default: the caller's. */
  readonly timeoutMs?: number
  /** Requests progress from the server, and receives it. */
  readonly onProgress?: (progress: McpProgress) => void
}

/**
 * A connection to an MCP server, as the executor needs it. `@toolgen/runtime/mcp` has callers for stdio, Streamable HTTP and
 * SSE; tests may bring their own. What a caller throws is classified by the table for all errors; a {@link McpCallError} says
 * what went wrong.
 */
export interface McpCaller {
  /** The server, once connected. */
  readonly server: McpServerInfo | undefined
  /** Calls a tool. Rejects where the server gave no answer; an answer that reports an error is an answer. */
  callTool(call: McpToolCall, options: McpCallOptions): Promise<McpToolResult>
  /** Every tool of the server, over all pages. */
  listTools(options?: { readonly signal?: AbortSignal }): Promise<readonly McpToolInfo[]>
  /** Tells a listener whenever the server says that its tools have changed; returns what takes it away. */
  onToolsChanged?(listener: () => void): () => void
  /** Ends the connection, and the process of a server that it started. */
  close(): Promise<void>
}

/** A caller, or what gives it when it is first needed. */
export type McpCallerSource = McpCaller | (() => McpCaller | Promise<McpCaller>)

/** One tool of an MCP server as a toolset knows it: what `tools/list` said when it was captured. */
export interface McpServedTool {
  /** The server's own name of the tool. */
  readonly name: string
  readonly description?: string
  /** As captured, in any dialect. Absent for a tool that was declared by hand. */
  readonly inputSchema?: JsonSchema
  /** Absent where the server declares none. */
  readonly outputSchema?: JsonSchema
}

/** Import of a toolset from an MCP server, as described by generated code. */
export interface ToolsetImport {
  readonly toolset: ToolsetDescriptor
  /** By tool name of the toolset. */
  readonly tools: Readonly<Record<string, McpServedTool>>
  /** Names of captured tools that are left out of the toolset. */
  readonly unused?: readonly string[]
  /** The server that was captured. */
  readonly server?: McpServerInfo
}

/**
 * Difference between a server's tool and its import: removed, added, accepts fewer or more values, or another
 * description.
 */
export type McpDriftKind = 'removed' | 'added' | 'narrowed' | 'widened' | 'described'

/** One difference between what was captured and what a server lists now. */
export interface McpDrift {
  /** The server's own name of the tool. */
  readonly tool: string
  readonly kind: McpDriftKind
  /** Changed schema; absent if the tool as a whole changed. */
  readonly side?: 'arguments' | 'result'
  /** JSON Pointer into the schema. */
  readonly path?: string
  /** One sentence for a person. */
  readonly message: string
}

/** All differences, by tool in the order in which they were captured. */
export interface McpDriftReport {
  readonly changes: readonly McpDrift[]
}

/** Options of an MCP executor. */
export interface McpExecutorOptions {
  /**
   * Treatment of differences between imported and live tools: `warn` prints them, a function receives them, `fail`
   * fails calls of tools that are removed, accept less or return more, and makes the first call wait for the list;
   * `ignore` does not list tools. Default `warn`.
   */
  readonly onDrift?: 'warn' | 'ignore' | 'fail' | ((report: McpDriftReport) => void)
  /** Time limit of a call without response or progress, in milliseconds. Default: the caller's. */
  readonly timeoutMs?: number
}

/** Runs tools of an MCP server. */
export interface McpExecutor extends ToolExecutor {
  /**
   * Connects, lists the tools and compares them with what was captured; done at most once until the server says that its tools
   * have changed. The first call does it too.
   */
  ready(): Promise<McpDriftReport>
}
