import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json, Schema, SchemaObject } from '../schema/json-schema.js'
import type { AgentNames, ExportNames, ToolNames, ToolsetNames } from './identifiers.js'
import type { UseIr } from './uses.js'

export type { Json, Schema, SchemaObject } from '../schema/json-schema.js'

/** Field of the call's metadata that fills a payload field, e.g. `sessionId` or `labels.tenant`. */
export type MetaPath = string

/** The compiled design as plain data, sorted and with assigned names. */
export interface DesignIr {
  /** Version of this format. */
  readonly contract: 1
  /** Sorted by name (code points). */
  readonly toolsets: readonly ToolsetIr[]
  /** Sorted by name (code points). */
  readonly agents: readonly AgentIr[]
}

export interface ToolsetIr {
  readonly name: string
  readonly description: string
  readonly namespace: string
  /** Shared definitions, sorted by name; schemas reference them as `#/$defs/NAME`. */
  readonly defs: Readonly<Record<string, Schema>>
  /** In the order of the design. */
  readonly tools: readonly ToolIr[]
  /** Present if an MCP server serves the toolset. */
  readonly mcp?: McpSourceIr
  /** Present if an HTTP API serves the toolset. */
  readonly openapi?: OpenApiSourceIr
  /** Suppressed rules of `toolgen lint`, with the reason by rule id. */
  readonly lint?: Readonly<Record<string, string>>
  readonly names: ToolsetNames
  readonly location: SourceLocation
}

/** The MCP server of a toolset. */
export interface McpSourceIr {
  /** Name and version that the server reported during the import. */
  readonly server?: { readonly name: string; readonly version: string }
  /** All tools of the toolset, in its order. */
  readonly tools: readonly McpServedToolIr[]
  /** Server tools that the toolset does not include, by their names on the server. */
  readonly unused: readonly string[]
}

/** The HTTP API of a toolset as plain data. */
export interface OpenApiSourceIr {
  /** Base URL; absent if the application must set it. */
  readonly server?: string
  /** Security schemes by name. */
  readonly security?: SchemaObject
  /** All tools of the toolset, in its order. */
  readonly operations: readonly { readonly tool: string; readonly operation: SchemaObject }[]
}

/** A tool of an MCP server. The optional fields are the server's declaration from the import. */
export interface McpServedToolIr {
  /** Name of the tool in its toolset. */
  readonly tool: string
  /** Name of the tool on the server. */
  readonly name: string
  readonly description?: string
  readonly inputSchema?: SchemaObject
  readonly outputSchema?: SchemaObject
}

export interface ToolIr {
  readonly name: string
  /** `toolset.tool` */
  readonly id: string
  readonly title: string
  readonly description: string
  /** Input from models and call builders: the payload without its server-owned fields. */
  readonly arguments: Schema
  /** Input of the executor. */
  readonly payload: Schema
  readonly result: Schema
  readonly updates?: Schema
  readonly serverOwned: readonly ServerOwnedIr[]
  readonly examples: readonly Json[]
  readonly callHint?: string
  readonly resultHint?: string
  readonly tags: readonly string[]
  readonly annotations: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly idempotent?: boolean }
  readonly confirmation?: { readonly prompt: string; readonly deniedResult?: Json }
  /** Layers that the registration adds. */
  readonly defaultLayers?: { readonly timeoutMs?: number; readonly attempts?: number }
  /** Name in the design; default: `toolset_tool` with valid characters. */
  readonly toolName: string
  /** True if the application must pass the payload schema, because JSON Schema cannot express its refinements. */
  readonly needsCheck: boolean
  /** First 16 hex characters of the SHA-256 of everything that callers or models see. */
  readonly hash: string
  /** Suppressed rules of `toolgen lint`, with the reason by rule id. */
  readonly lint?: Readonly<Record<string, string>>
  readonly names: ToolNames
  readonly location: SourceLocation
}

export interface ServerOwnedIr {
  readonly field: string
  readonly from: MetaPath
  readonly schema: Schema
}

export interface AgentIr {
  readonly name: string
  readonly description: string
  readonly instructions?: string
  /** Run policy as written in the design. */
  readonly policy?: { readonly [limit: string]: Json }
  /** In the order of the design. */
  readonly uses: readonly UseIr[]
  /** Toolsets that this agent exports, in the order of the design. */
  readonly exports: readonly ExportIr[]
  /** Suppressed rules of `toolgen lint`, with the reason by rule id. */
  readonly lint?: Readonly<Record<string, string>>
  readonly names: AgentNames
  readonly location: SourceLocation
}

/** A toolset that an agent exports: each tool call is a run of the agent. */
export interface ExportIr {
  readonly toolset: string
  /** Tools with their own options, in the order of the toolset. */
  readonly tools: readonly ExportedToolIr[]
  readonly names: ExportNames
  readonly location: SourceLocation
}

/** Options of a tool that an agent exports. */
export interface ExportedToolIr {
  readonly tool: string
  /** First message of the run, without placeholders. */
  readonly text?: string
  /** First message as a template for the payload, e.g. `Investigate {{topic}}`. Absent if `text` is set. */
  readonly template?: string
  /** System prompt that replaces the agent's instructions. */
  readonly systemPrompt?: string
  /** Uses the text of the model's answer as the result if the model returns no other result and the schema allows a string. */
  readonly prose?: true
}

export interface DesignCounts {
  readonly toolsets: number
  readonly tools: number
  readonly agents: number
}

export function countDesign({ toolsets, agents }: DesignIr): DesignCounts {
  const tools = toolsets.reduce((sum, toolset) => sum + toolset.tools.length, 0)
  return { toolsets: toolsets.length, tools, agents: agents.length }
}
