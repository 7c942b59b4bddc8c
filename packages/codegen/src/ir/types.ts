import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json, Schema, SchemaObject } from '../schema/json-schema.js'

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
  /** The first message of the run, over the payload; never together with `text`. */
  readonly template?: string
  /** The system prompt, in place of the agent's instructions. */
  readonly systemPrompt?: string
  /** Prose counts as the result. */
  readonly prose?: true
}

/** A toolset that an agent uses. */
export type UseIr = ServiceUseIr | AgentUseIr | McpUseIr | OpenApiUseIr

interface AnyUseIr {
  /** The toolset's name. */
  readonly toolset: string
  /** The name the agent gives to this use: `as`, else the toolset's name. */
  readonly as: string
  readonly location: SourceLocation
}

/** A toolset that an agent uses through a service client. */
export interface ServiceUseIr extends AnyUseIr {
  readonly provider: 'service'
  readonly client: ClientRef
  /** The selected tools, in the order of the toolset. */
  readonly tools: readonly ServiceToolIr[]
  readonly names: UseNames
}

/** A toolset that an agent uses and another one exports. */
export interface AgentUseIr extends AnyUseIr {
  readonly provider: 'agent'
  /** The name of the agent that exports the toolset. */
  readonly agent: string
  /** The selected tools, in the order of the toolset. */
  readonly tools: readonly UsedToolIr[]
  readonly names: AgentUseNames
}

/** A toolset that an agent uses and an MCP server serves. */
export interface McpUseIr extends AnyUseIr {
  readonly provider: 'mcp'
  /** The selected tools, in the order of the toolset. */
  readonly tools: readonly McpToolIr[]
  readonly names: McpUseNames
}

/** A toolset that an agent uses and an HTTP API serves. */
export interface OpenApiUseIr extends AnyUseIr {
  readonly provider: 'openapi'
  /** The selected tools, in the order of the toolset. */
  readonly tools: readonly UsedToolIr[]
  readonly names: OpenApiUseNames
}

/** The export that has the service client's type. */
export interface ClientRef {
  /** The module, relative to the project's root, with `/` and its extension. */
  readonly module: string
  /** The path of exported names, e.g. `['ordersClient']` or `['refs', 'orders']`. */
  readonly path: readonly string[]
}

/** A tool that an agent uses. */
export interface UsedToolIr {
  /** The tool's name within its toolset. */
  readonly tool: string
  /** The name that this agent's model sees. */
  readonly toolName: string
  /** Its options in the design; if it has none, the use. */
  readonly location: SourceLocation
}

/** A tool that an agent uses and an MCP server has. */
export interface McpToolIr extends UsedToolIr {
  /** The server's name of it: from the use, else from the toolset. */
  readonly remote: string
}

/** A tool that an agent uses through a method of a client. */
export interface ServiceToolIr extends UsedToolIr {
  /** The method's path on the client, e.g. `fetchOrder` or `customers.retrieve`. */
  readonly method: string
  /** Tool payload field → method field or parameter. */
  readonly rename: Readonly<Record<string, string>>
  /** Method field or parameter → constant. */
  readonly constants: Readonly<Record<string, Json>>
  /** The source of the result, and whether the codec validates it where the declared type is wider. */
  readonly result: { readonly from?: 'data'; readonly checked: boolean }
  /** The result of a streaming tool. Absent: `list`. */
  readonly collect?: 'list' | 'last'
  /** The locations of the options; absent without options. */
  readonly parts?: BindingLocations
}

/** The locations of a tool's options. */
export interface BindingLocations {
  /** The name of the method. */
  readonly method?: SourceLocation
  /** The value of `collect`. */
  readonly collect?: SourceLocation
  /** By payload field. */
  readonly rename: Readonly<Record<string, EntryLocations>>
  /** By method field or parameter. */
  readonly constants: Readonly<Record<string, EntryLocations>>
}

/** The locations of an entry's name and value. */
interface EntryLocations {
  readonly name: SourceLocation
  readonly value: SourceLocation
}

type Names<Key extends string> = { readonly [Name in Key]: string }

/** Identifiers of a toolset and its folder below `toolsets/`; unique in the design: `orders`, `ordersSpecs`, `ordersToolset`. */
export interface ToolsetNames extends Names<'folder' | 'descriptor' | 'specs' | 'toolset'> {
  readonly mcp: McpNames
  readonly openapi: OpenApiNames
  /** Type names of `defs`, by def name: the form that is sent and the form that is read (often the same). */
  readonly defs: Readonly<Record<string, Names<'sent' | 'read' | 'schema'>>>
}

/** `filesMcp`, `newFilesMcpExecutor`, `FilesClient`, `FilesClientOptions`, `newFilesClient`; they have their own file. */
export type McpNames = Names<'import' | 'executor' | 'client' | 'clientOptions' | 'newClient'>

/** `petsApi`, `newPetsApiExecutor`, `PetsApiOptions`; they have their own file. */
export type OpenApiNames = Names<'api' | 'executor' | 'options'>

/**
 * Identifiers of a tool; unique in its toolset: `GetOrderArguments`, `GetOrderPayload`, `GetOrderResult`, `GetOrderUpdate`,
 * `getOrderPayloadCodec`, `getOrderResultCodec`, `getOrderUpdateCodec`, `getOrderSpec`, `newGetOrderCall`.
 */
export type ToolNames = Names<
  'arguments' | 'payload' | 'result' | 'update' | 'payloadCodec' | 'resultCodec' | 'updateCodec' | 'spec' | 'call'
>

/**
 * Identifiers of an agent and its folder below `agents/`; unique in the design: `supportAgent`, `registerSupport`,
 * `SupportBinding`, `newSupportAgent`, `newBareSupportAgent`, and the type parameter for what its own layers and hooks
 * need, `SupportEnv`.
 */
export type AgentNames = Names<'folder' | 'descriptor' | 'register' | 'binding' | 'builder' | 'bareBuilder' | 'env'>

/**
 * Identifiers of one use of a toolset by an agent; unique in the agent: the file without its extension `orders.service`,
 * `supportOrdersUse`, `SupportOrdersClient`, `newSupportOrdersServiceExecutor`, `SupportOrdersServiceExecutorOptions`,
 * `newSupportOrdersToolsetRegistration`, `SupportOrdersToolsetRegistrationOptions`, and the type parameter for what the
 * layers of its registration need, `SupportOrdersEnv`.
 */
export type UseNames = RegisteredUseNames & Names<'file' | 'client' | 'executor' | 'executorOptions'>

type RegisteredUseNames = Names<'use' | 'registration' | 'registrationOptions' | 'env'>

/** Identifiers of a use that an agent serves, with the type parameter for what that needs, `SupportInvestigationAgentEnv`. */
export type AgentUseNames = Names<'use' | 'env' | 'agentEnv'>

/** Identifiers of a use that an MCP server serves: the file `files.mcp`, `newSupportFilesMcpExecutor`, `supportFilesMcp`. */
export type McpUseNames = RegisteredUseNames & Names<'mcpFile' | 'mcpExecutor' | 'mcpImport'>

/** Identifiers of a use that an HTTP API serves: the file `pets.openapi`. */
export type OpenApiUseNames = RegisteredUseNames & Names<'openApiFile'>

/**
 * Identifiers of a toolset that an agent exports; unique in the agent: the file `investigation.agent`,
 * `researchInvestigationExport`, `newResearchInvestigationToolsetRegistration` and the type of its options.
 */
export type ExportNames = Names<'file' | 'export' | 'registration' | 'registrationOptions'>

/** Returns the uses of an agent that a service client serves. */
export function serviceUses({ uses }: Pick<AgentIr, 'uses'>): readonly ServiceUseIr[] {
  return uses.filter((use) => use.provider === 'service')
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
