import type { MaxResult, ReadLabel, Snapshot, WriteLabel } from '@toolgen/dsl'
import type { UriTemplateVariable } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json, Schema, SchemaObject } from '../schema/json-schema.js'
import type { SensitiveIr } from '../schema/sensitive.js'
import type { AgentNames, ExportNames, ToolNames, ToolsetNames } from './identifiers.js'
import type { UseIr } from './uses.js'

export type { Json, Schema, SchemaObject } from '../schema/json-schema.js'

/** Path of a field in a call's metadata, e.g. `sessionId` or `labels.tenant`. Its value fills a server-owned field of the payload. */
export type MetaPath = string

/** Intermediate representation (IR) of a design: plain data, sorted and with the identifiers of generated code. */
export interface DesignIr {
  /** Version of the format of this object. */
  readonly contract: 1
  /** Toolsets, sorted by name (code points). */
  readonly toolsets: readonly ToolsetIr[]
  /** Agents, sorted by name (code points). */
  readonly agents: readonly AgentIr[]
}

export interface ToolsetIr {
  readonly name: string
  readonly description: string
  readonly namespace: string
  /** Shared definitions, sorted by name; schemas reference them as `#/$defs/NAME`. */
  readonly defs: Readonly<Record<string, Schema>>
  /** Tools of the toolset, in the order of the design. */
  readonly tools: readonly ToolIr[]
  /** Kind of import that wrote the toolset's snapshot; absent for a toolset without a snapshot. */
  readonly imported?: Snapshot['kind']
  /** MCP server of the toolset; absent if no MCP server serves the toolset. */
  readonly mcp?: McpSourceIr
  /** HTTP API of the toolset; absent if no HTTP API serves the toolset. */
  readonly openapi?: OpenApiSourceIr
  /** Suppressed rules of `toolgen lint`: rule id → reason. */
  readonly lint?: Readonly<Record<string, string>>
  readonly names: ToolsetNames
  readonly location: SourceLocation
}

/** The MCP server of a toolset. */
export interface McpSourceIr {
  /** Name and version that the server reported during the import; absent if they are unknown. */
  readonly server?: { readonly name: string; readonly version: string }
  /** All tools of the toolset, in the order of the toolset. */
  readonly tools: readonly McpServedToolIr[]
  /** Server tools that the toolset does not include, by their names on the server. */
  readonly unused: readonly string[]
  /** Prompts of the server, in the order of its list; absent if it has none. */
  readonly prompts?: readonly McpPromptIr[]
  /** `true` if the server offers resources; otherwise absent. */
  readonly resources?: true
  /** Resource templates of the server, in the order of its list; absent if it has none. */
  readonly resourceTemplates?: readonly McpResourceTemplateIr[]
}

/** A prompt of an MCP server. */
export interface McpPromptIr {
  /** Name of the method that the generated MCP client has for this prompt, in camelCase. */
  readonly method: string
  /** Name of the prompt on the server. */
  readonly name: string
  readonly description?: string
  readonly arguments: readonly {
    readonly name: string
    readonly description?: string
    readonly required: boolean
  }[]
}

/** A resource template of an MCP server. */
export interface McpResourceTemplateIr {
  /** Name of the method that the generated MCP client has for this resource template, in camelCase. */
  readonly method: string
  /** Name of the template on the server. */
  readonly name: string
  readonly uriTemplate: string
  readonly description?: string
  readonly variables: readonly UriTemplateVariable[]
}

/** The HTTP API of a toolset as plain data. */
export interface OpenApiSourceIr {
  /** Base URL; absent if the application must set it. */
  readonly server?: string
  /** Scheme name → authentication scheme. */
  readonly security?: SchemaObject
  /** HTTP operation of each tool, in the order of the toolset. */
  readonly operations: readonly OpenApiOperationIr[]
}

export interface OpenApiOperationIr {
  readonly tool: string
  /** `operationId` of the document; absent if it is unknown. */
  readonly id?: string
  readonly operation: SchemaObject
}

/** A tool of an MCP server. The optional fields are the server's declaration from the import. */
export interface McpServedToolIr {
  /** Name of the tool in its toolset. */
  readonly tool: string
  /** Name of the tool on the server. */
  readonly name: string
  /** First 16 hex characters of the SHA-256 of the server's definition of the tool; absent if the tool was not imported. */
  readonly hash?: string
  readonly description?: string
  readonly inputSchema?: SchemaObject
  readonly outputSchema?: SchemaObject
}

export interface ToolIr {
  readonly name: string
  /** Id of the tool: the names of its toolset and of the tool, such as `orders.getOrder`. */
  readonly id: string
  readonly title: string
  readonly description: string
  /** Schema of the arguments that models and call builders send: the payload without its server-owned fields. */
  readonly arguments: Schema
  /** Schema of the payload that the executor receives, with server-owned fields. */
  readonly payload: Schema
  readonly result: Schema
  readonly updates?: Schema
  /** Error status (`404`, `4XX` or `default`) → schema of the response body; absent if the tool's API declares no errors. */
  readonly errors?: Readonly<Record<string, Schema>>
  /** Error status → name of the failure, for the statuses in `errors` with which the API rejects a request. Absent without such a status. */
  readonly statusFailures?: Readonly<Record<string, string>>
  /** Declared failures, in the order of the design; absent if the tool declares none. */
  readonly failures?: readonly FailureIr[]
  readonly serverOwned: readonly ServerOwnedIr[]
  readonly examples: readonly Json[]
  readonly callHint?: string
  readonly resultHint?: string
  readonly tags: readonly string[]
  /** Data about the tool that models do not see and that is not part of the contract. */
  readonly meta?: { readonly synonyms?: readonly string[] }
  readonly annotations: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly idempotent?: boolean }
  readonly confirmation?: {
    readonly prompt: string
    readonly deniedResult?: Json
    /** Schema of the arguments that need the confirmation, with its own definitions; absent if all calls need it. */
    readonly when?: Schema
  }
  /** Kinds of data that the tool reads, sorted; absent if they are neither declared nor suggested. */
  readonly reads?: readonly ReadLabel[]
  /** Kinds of effects of the tool, sorted; absent if they are neither declared nor suggested. */
  readonly writes?: readonly WriteLabel[]
  /**
   * The properties `reads` and `writes` whose values the import suggested, because the design does not declare them. Absent if the import
   * suggested neither.
   */
  readonly suggested?: readonly ('reads' | 'writes')[]
  /** Default timeout in milliseconds and default number of attempts. The registration adds a layer for each. */
  readonly defaultLayers?: { readonly timeoutMs?: number; readonly attempts?: number }
  /** Maximum size of a result that models read; absent if there is no maximum. */
  readonly maxResult?: MaxResult
  /** Fields that not everybody may read; absent if the tool has none. */
  readonly sensitive?: SensitiveIr
  /** Arguments that request a page of a list; absent if the tool has no such arguments. */
  readonly paging?: PagingIr
  /** Name of the tool for models: from the design, by default `toolset_tool` with valid characters. */
  readonly toolName: string
  /** True if the application must pass the payload schema, because JSON Schema cannot express its refinements. */
  readonly needsCheck: boolean
  /** First 16 hex characters of the SHA-256 of the tool's contract: all its properties that callers or models see. */
  readonly hash: string
  /** Suppressed rules of `toolgen lint`: rule id → reason. */
  readonly lint?: Readonly<Record<string, string>>
  readonly names: ToolNames
  readonly location: SourceLocation
}

/** A declared failure of a tool. */
export interface FailureIr {
  /** Name in snake_case, unique in the toolset. */
  readonly name: string
  /** Message for models, as a template that is filled with the data. */
  readonly hint: string
  readonly action: 'correct_call' | 'replan' | 'finish'
  /** Schema of the data; absent if the failure has no data. */
  readonly schema?: Schema
  /** Explanation for developers. */
  readonly description?: string
  /** HTTP status of the failure; only for tools of an HTTP API. */
  readonly status?: number
}

/** Names of the arguments that request a page of a list. */
export interface PagingIr {
  /** Name of the argument that limits the number of items in a page, e.g. `limit`. */
  readonly limit?: string
  /** Name of the argument that sets the number of skipped items, e.g. `offset`. */
  readonly offset?: string
  /** Name of the argument that sets the page number, e.g. `page`. */
  readonly page?: string
  /** Page number of the first page. Default: 1. */
  readonly firstPage?: number
  /** Name of the argument for the cursor of a page, e.g. `nextToken`. An earlier result contains the cursor. */
  readonly cursor?: string
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
  /** Run policy as written in the design; absent if the design has none. */
  readonly policy?: { readonly [limit: string]: Json }
  /** Maximum size of the results of all tools that the agent uses; absent if there is no maximum. */
  readonly maxResult?: MaxResult
  /** Toolsets that the agent uses, in the order of the design. */
  readonly uses: readonly UseIr[]
  /** Toolsets that this agent exports, in the order of the design. */
  readonly exports: readonly ExportIr[]
  /** Suppressed rules of `toolgen lint`: rule id → reason. */
  readonly lint?: Readonly<Record<string, string>>
  readonly names: AgentNames
  readonly location: SourceLocation
}

/** A toolset that an agent exports: each tool call is a run of the agent. */
export interface ExportIr {
  readonly toolset: string
  /** Tools for which the export sets its own options, in the order of the toolset. */
  readonly tools: readonly ExportedToolIr[]
  readonly names: ExportNames
  readonly location: SourceLocation
}

/** Options of an exported tool. They set the first message and the result of the agent's run. */
export interface ExportedToolIr {
  readonly tool: string
  /** Fixed text of the run's first message, without placeholders. Absent if it is not set. */
  readonly text?: string
  /** Template of the run's first message, filled with the payload, e.g. `Investigate {{topic}}`. Absent if `text` is set. */
  readonly template?: string
  /** System prompt that replaces the agent's instructions. Absent if it is not set. */
  readonly systemPrompt?: string
  /** True if the text of the model's answer can be the result, which requires a result schema that allows a string. Otherwise absent. */
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
