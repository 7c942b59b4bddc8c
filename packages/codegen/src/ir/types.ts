import type { MaxResult, ReadLabel, Snapshot, WriteLabel } from '@toolgen/dsl'
import type { UriTemplateVariable } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json, Schema, SchemaObject } from '../schema/json-schema.js'
import type { SensitiveIr } from '../schema/sensitive.js'
import type { AgentNames, ExportNames, ToolNames, ToolsetNames } from './identifiers.js'
import type { UseIr } from './uses.js'

export type { Json, Schema, SchemaObject } from '../schema/json-schema.js'

/** For example `sessionId` or `labels.tenant`. The runtime copies this metadata of a call to a server-owned field of the payload. */
export type MetaPath = string

/** IR means intermediate representation. The IR contains only plain data; toolsets and agents are sorted by name. */
export interface DesignIr {
  readonly contract: 1
  readonly toolsets: readonly ToolsetIr[]
  readonly agents: readonly AgentIr[]
}

export interface ToolsetIr {
  readonly name: string
  readonly description: string
  readonly namespace: string
  /** Sorted by name. Schemas refer to a definition with `#/$defs/NAME`. */
  readonly defs: Readonly<Record<string, Schema>>
  /** In the order of the design. */
  readonly tools: readonly ToolIr[]
  readonly imported?: Snapshot['kind']
  readonly mcp?: McpSourceIr
  readonly openapi?: OpenApiSourceIr
  readonly lint?: Readonly<Record<string, string>>
  readonly names: ToolsetNames
  readonly location: SourceLocation
}

export interface McpSourceIr {
  readonly server?: { readonly name: string; readonly version: string }
  readonly tools: readonly McpServedToolIr[]
  /** Names of the server's tools that the toolset does not include. */
  readonly unused: readonly string[]
  readonly prompts?: readonly McpPromptIr[]
  readonly resources?: true
  readonly resourceTemplates?: readonly McpResourceTemplateIr[]
}

export interface McpPromptIr {
  readonly method: string
  readonly name: string
  readonly description?: string
  readonly arguments: readonly {
    readonly name: string
    readonly description?: string
    readonly required: boolean
  }[]
}

export interface McpResourceTemplateIr {
  readonly method: string
  readonly name: string
  readonly uriTemplate: string
  readonly description?: string
  readonly variables: readonly UriTemplateVariable[]
}

export interface OpenApiSourceIr {
  /** Base URL of the API. If absent, the application must set the URL. */
  readonly server?: string
  readonly security?: SchemaObject
  readonly operations: readonly OpenApiOperationIr[]
}

export interface OpenApiOperationIr {
  readonly tool: string
  readonly id?: string
  readonly operation: SchemaObject
}

/** The optional properties are from the server's tool list at the time of `toolgen import`. */
export interface McpServedToolIr {
  readonly tool: string
  /** Name of the tool on the server. */
  readonly name: string
  /** First 16 hexadecimal digits of the SHA-256 of the server's tool definition. */
  readonly hash?: string
  readonly description?: string
  readonly inputSchema?: SchemaObject
  readonly outputSchema?: SchemaObject
}

export interface ToolIr {
  readonly name: string
  readonly id: string
  readonly title: string
  readonly description: string
  /** Contains no server-owned fields, because the runtime fills these fields in the payload. */
  readonly arguments: Schema
  readonly payload: Schema
  readonly result: Schema
  readonly updates?: Schema
  /** Schemas of error bodies, by HTTP status: `404`, `4XX` or `default`. */
  readonly errors?: Readonly<Record<string, Schema>>
  /** Failure names by HTTP status, such as `not_found` for `404`. */
  readonly statusFailures?: Readonly<Record<string, string>>
  readonly failures?: readonly FailureIr[]
  readonly serverOwned: readonly ServerOwnedIr[]
  readonly examples: readonly Json[]
  readonly callHint?: string
  readonly resultHint?: string
  readonly tags: readonly string[]
  /** Only for the tool search. Models do not receive these data, so the contract hash does not include them. */
  readonly meta?: { readonly synonyms?: readonly string[] }
  readonly annotations: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly idempotent?: boolean }
  readonly confirmation?: {
    readonly prompt: string
    readonly deniedResult?: Json
    /** Calls whose arguments match need a confirmation; if absent, all calls do. The schema contains its definitions. */
    readonly when?: Schema
  }
  readonly reads?: readonly ReadLabel[]
  readonly writes?: readonly WriteLabel[]
  /** Properties that `toolgen import` suggested and that the design does not set. */
  readonly suggested?: readonly ('reads' | 'writes')[]
  readonly defaultLayers?: { readonly timeoutMs?: number; readonly attempts?: number }
  readonly maxResult?: MaxResult
  readonly sensitive?: SensitiveIr
  readonly paging?: PagingIr
  readonly toolName: string
  /** True if the payload schema has refinements that JSON Schema cannot express. The application must then pass this schema at registration. */
  readonly needsCheck: boolean
  /** First 16 hexadecimal digits of the SHA-256 of all properties that callers or models see. */
  readonly hash: string
  readonly lint?: Readonly<Record<string, string>>
  readonly names: ToolNames
  readonly location: SourceLocation
}

export interface FailureIr {
  /** In snake_case, unique in the toolset. */
  readonly name: string
  readonly hint: string
  readonly action: 'correct_call' | 'replan' | 'finish'
  readonly schema?: Schema
  readonly description?: string
  readonly status?: number
}

export interface PagingIr {
  readonly limit?: string
  readonly offset?: string
  readonly page?: string
  readonly firstPage?: number
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
  readonly policy?: { readonly [limit: string]: Json }
  readonly maxResult?: MaxResult
  readonly uses: readonly UseIr[]
  readonly exports: readonly ExportIr[]
  readonly lint?: Readonly<Record<string, string>>
  readonly names: AgentNames
  readonly location: SourceLocation
}

export interface ExportIr {
  readonly toolset: string
  /** Only tools for which the export sets options, in the order of the toolset. */
  readonly tools: readonly ExportedToolIr[]
  readonly names: ExportNames
  readonly location: SourceLocation
}

export interface ExportedToolIr {
  readonly tool: string
  /** First message of the run, without placeholders. Never set together with `template`. */
  readonly text?: string
  /** First message of the run, with placeholders for fields of the payload: `Investigate {{topic}}`. */
  readonly template?: string
  /** Replaces the agent's instructions. */
  readonly systemPrompt?: string
  /** The text of the model's answer can be the result, so the result schema must allow a string. */
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
