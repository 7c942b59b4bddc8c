import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json, Schema, SchemaObject } from '../schema/json-schema.js'
import type { AgentNames, ExportNames, ToolNames, ToolsetNames } from './identifiers.js'
import type { UseIr } from './uses.js'

export type { Json, Schema, SchemaObject } from '../schema/json-schema.js'

/** A field of the call's meta from which a payload field is filled, e.g. `sessionId` or `labels.tenant`. */
export type MetaPath = string

/** The whole design, ready to be planned: plain data, sorted and named once. */
export interface DesignIr {
  /** The version of this form. */
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
  /** Definitions that several tools share, by name; schemas refer to them with `#/$defs/NAME`. Sorted by name. */
  readonly defs: Readonly<Record<string, Schema>>
  /** In the order of the design. */
  readonly tools: readonly ToolIr[]
  /** Present if an MCP server serves it. */
  readonly mcp?: McpSourceIr
  /** Present if an HTTP API serves it. */
  readonly openapi?: OpenApiSourceIr
  /** Rules of `toolgen lint` that do not count here: the rule's id → the reason. Absent: none. */
  readonly lint?: Readonly<Record<string, string>>
  readonly names: ToolsetNames
  readonly location: SourceLocation
}

/** The MCP server of a toolset. */
export interface McpSourceIr {
  /** The name and version that the server reported when it was captured. */
  readonly server?: { readonly name: string; readonly version: string }
  /** All tools of the toolset, in its order. */
  readonly tools: readonly McpServedToolIr[]
  /** The server's names of tools that the toolset leaves out. */
  readonly unused: readonly string[]
}

/** The HTTP API of a toolset, as the design has it, as plain data. */
export interface OpenApiSourceIr {
  /** The base URL; absent where the application must give one. */
  readonly server?: string
  /** The ways to send credentials, by name. */
  readonly security?: SchemaObject
  /** All tools of the toolset, in its order. */
  readonly operations: readonly { readonly tool: string; readonly operation: SchemaObject }[]
}

/** A tool of an MCP server. The optional fields are the server's declaration, if it was captured. */
export interface McpServedToolIr {
  /** The tool's name within its toolset. */
  readonly tool: string
  /** The server's own name of it. */
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
  /** The input of models and call builders: the payload without its server-owned fields. */
  readonly arguments: Schema
  /** The input of the executor. */
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
  /** Layers that the registration attaches. Absent: none. */
  readonly defaultLayers?: { readonly timeoutMs?: number; readonly attempts?: number }
  /** The override of the design, else `toolset_tool` made legal. */
  readonly toolName: string
  /** True when the application must pass the payload's schema again, because it refines more than JSON Schema says. */
  readonly needsCheck: boolean
  /** SHA-256 in hex, 16 characters, over everything that callers or models see. */
  readonly hash: string
  /** Rules of `toolgen lint` that do not count here: the rule's id → the reason. Absent: none. */
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
  /** The run policy as the design states it. */
  readonly policy?: { readonly [limit: string]: Json }
  /** In the order of the design. */
  readonly uses: readonly UseIr[]
  /** Toolsets that this agent offers, in the order of the design. */
  readonly exports: readonly ExportIr[]
  /** Rules of `toolgen lint` that do not count here: the rule's id → the reason. Absent: none. */
  readonly lint?: Readonly<Record<string, string>>
  readonly names: AgentNames
  readonly location: SourceLocation
}

/** A toolset that an agent offers: each call of a tool is a run of the agent. */
export interface ExportIr {
  readonly toolset: string
  /** The tools with options of their own, in the order of the toolset. */
  readonly tools: readonly ExportedToolIr[]
  readonly names: ExportNames
  readonly location: SourceLocation
}

/** Options of a tool that an agent exports. */
export interface ExportedToolIr {
  readonly tool: string
  /** The first message of the run, without placeholders. */
  readonly text?: string
  /** First message as a template over the payload, e.g. `Investigate {{topic}}`. Not with `text`. */
  readonly template?: string
  /** The system prompt, in place of the agent's instructions. */
  readonly systemPrompt?: string
  /** Accepts text as the result of a tool whose schema allows a string. */
  readonly prose?: true
}

/** Number of toolsets, tools and agents of a design. */
export interface DesignCounts {
  readonly toolsets: number
  readonly tools: number
  readonly agents: number
}

/** Counts what a design defines. */
export function countDesign({ toolsets, agents }: DesignIr): DesignCounts {
  const tools = toolsets.reduce((sum, toolset) => sum + toolset.tools.length, 0)
  return { toolsets: toolsets.length, tools, agents: agents.length }
}
