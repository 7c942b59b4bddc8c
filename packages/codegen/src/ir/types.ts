import type { MaxResult, ReadLabel, Snapshot, WriteLabel } from '@toolgen/dsl'
import type { UriTemplateVariable } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json, Schema, SchemaObject } from '../schema/json-schema.js'
import type { SensitiveIr } from '../schema/sensitive.js'
import type { AgentNames, ExportNames, ToolNames, ToolsetNames } from './identifiers.js'
import type { UseIr } from './uses.js'

export type { Json, Schema, SchemaObject } from '../schema/json-schema.js'

/** Metadata field of a call, for example `sessionId` or `labels.tenant`. The runtime copies the field to a server-owned field of the payload. */
export type MetaPath = string

/** Intermediate representation (IR) of a design. The IR consists of plain, sorted data and includes the identifiers of generated code. */
export interface DesignIr {
  readonly contract: 1
  readonly toolsets: readonly ToolsetIr[]
  readonly agents: readonly AgentIr[]
}

export interface ToolsetIr {
  readonly name: string
  readonly description: string
  readonly namespace: string
  /** Shared definitions, sorted by name. Schemas refer to a definition with `#/$defs/NAME`. */
  readonly defs: Readonly<Record<string, Schema>>
  /** Tools of the toolset, in the order of the design. */
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
  /** Base URL of the API. Absent if the application must set the URL. */
  readonly server?: string
  readonly security?: SchemaObject
  readonly operations: readonly OpenApiOperationIr[]
}

export interface OpenApiOperationIr {
  readonly tool: string
  readonly id?: string
  readonly operation: SchemaObject
}

/** A tool of an MCP server. The optional properties are from the server's tool list at the time of `toolgen import`. */
export interface McpServedToolIr {
  readonly tool: string
  /** Name of the tool on the server. */
  readonly name: string
  /** First 16 hexadecimal digits of the SHA-256 of the server's tool definition. Absent for a tool that was not imported. */
  readonly hash?: string
  readonly description?: string
  readonly inputSchema?: SchemaObject
  readonly outputSchema?: SchemaObject
}

export interface ToolIr {
  readonly name: string
  /** Id of the tool: the name of the toolset, a dot, and the name of the tool, such as `orders.getOrder`. */
  readonly id: string
  readonly title: string
  readonly description: string
  /** Schema of the arguments from models and callers. Does not contain server-owned fields, because the runtime fills these fields. */
  readonly arguments: Schema
  /** Schema of the payload for the executor, including server-owned fields. */
  readonly payload: Schema
  readonly result: Schema
  readonly updates?: Schema
  /** Schemas of error bodies, by status (`404`, `4XX` or `default`). Absent if the tool's API declares no errors. */
  readonly errors?: Readonly<Record<string, Schema>>
  /**
   * Failure name for each HTTP status in `errors` that becomes a failure of the tool, such as `not_found` for `404`. Absent if `errors` has no such
   * status.
   */
  readonly statusFailures?: Readonly<Record<string, string>>
  readonly failures?: readonly FailureIr[]
  readonly serverOwned: readonly ServerOwnedIr[]
  readonly examples: readonly Json[]
  readonly callHint?: string
  readonly resultHint?: string
  readonly tags: readonly string[]
  /** Data about the tool for the tool search. Models do not receive these data, so the contract hash does not include them. */
  readonly meta?: { readonly synonyms?: readonly string[] }
  readonly annotations: { readonly readOnly?: boolean; readonly destructive?: boolean; readonly idempotent?: boolean }
  readonly confirmation?: {
    readonly prompt: string
    readonly deniedResult?: Json
    /** Calls whose arguments match this schema need a confirmation. The schema contains its definitions. Absent if all calls need a confirmation. */
    readonly when?: Schema
  }
  readonly reads?: readonly ReadLabel[]
  readonly writes?: readonly WriteLabel[]
  /** Properties whose values `toolgen import` suggested, because the design does not set them. Absent if there are no such properties. */
  readonly suggested?: readonly ('reads' | 'writes')[]
  /** Default timeout in milliseconds and default number of attempts. The registration adds a layer for each value. */
  readonly defaultLayers?: { readonly timeoutMs?: number; readonly attempts?: number }
  readonly maxResult?: MaxResult
  readonly sensitive?: SensitiveIr
  readonly paging?: PagingIr
  /**
   * Name of the tool for models. Default: the names of toolset and tool, for example `orders_getOrder`; `_` replaces characters that models do not
   * accept.
   */
  readonly toolName: string
  /** True if the application must pass the payload schema at registration, because the schema has refinements that JSON Schema cannot express. */
  readonly needsCheck: boolean
  /** First 16 hexadecimal digits of the SHA-256 of the tool's contract. The contract contains all properties that callers or models see. */
  readonly hash: string
  readonly lint?: Readonly<Record<string, string>>
  readonly names: ToolNames
  readonly location: SourceLocation
}

export interface FailureIr {
  /** Name in snake_case, unique in the toolset. */
  readonly name: string
  /** Message for models. The message is a template with placeholders for the data. */
  readonly hint: string
  readonly action: 'correct_call' | 'replan' | 'finish'
  readonly schema?: Schema
  /** Explanation for developers. */
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

/** A toolset that an agent exports. Each tool call starts a run of the agent. */
export interface ExportIr {
  readonly toolset: string
  /** Tools for which the export sets options, in the order of the toolset. */
  readonly tools: readonly ExportedToolIr[]
  readonly names: ExportNames
  readonly location: SourceLocation
}

export interface ExportedToolIr {
  readonly tool: string
  /** Fixed text of the run's first message, without placeholders. Absent if the design sets `template`, or sets neither `text` nor `template`. */
  readonly text?: string
  /**
   * Template of the run's first message, for example `Investigate {{topic}}`. The payload of the call contains the values of the placeholders. Absent
   * if `text` is set.
   */
  readonly template?: string
  /** System prompt that replaces the agent's instructions. Absent if the design sets no prompt. */
  readonly systemPrompt?: string
  /**
   * True if the text of the model's answer can be the result. Requires a result schema that allows a string. Absent if the design does not set
   * `prose: true`.
   */
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
