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
  /** There where an MCP server serves it. */
  readonly mcp?: McpSourceIr
  /** There where an HTTP API serves it. */
  readonly openapi?: OpenApiSourceIr
  /** Rules of `toolgen lint` that do not count here: the rule's id → why. Absent: none. */
  readonly lint?: Readonly<Record<string, string>>
  readonly names: ToolsetNames
  readonly location: SourceLocation
}

/** How an MCP server serves a toolset. */
export interface McpSourceIr {
  /** What the server called itself when it was captured. */
  readonly server?: { readonly name: string; readonly version: string }
  /** All tools of the toolset, in its order. */
  readonly tools: readonly McpServedToolIr[]
  /** The server's names of tools that the toolset leaves out. */
  readonly unused: readonly string[]
}

/** How an HTTP API serves a toolset. What it holds is what the design says, as plain data. */
export interface OpenApiSourceIr {
  /** The base URL; absent where the application must give one. */
  readonly server?: string
  /** How credentials are sent, by name. */
  readonly security?: SchemaObject
  /** All tools of the toolset, in its order. */
  readonly operations: readonly { readonly tool: string; readonly operation: SchemaObject }[]
}

/** A tool as an MCP server has it. The rest is what the server declared, as it was captured. */
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
  /** What a model or a builder sends: the payload without its server-owned fields. */
  readonly arguments: Schema
  /** What the executor sees. */
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
  /** Rules of `toolgen lint` that do not count here: the rule's id → why. Absent: none. */
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
  /** Rules of `toolgen lint` that do not count here: the rule's id → why. Absent: none. */
  readonly lint?: Readonly<Record<string, string>>
  readonly names: AgentNames
  readonly location: SourceLocation
}

/** A toolset that an agent offers: each call of a tool is a run of the agent. */
export interface ExportIr {
  readonly toolset: string
  /** The tools of which the design says how they are served, in the order of the toolset. */
  readonly tools: readonly ExportedToolIr[]
  readonly names: ExportNames
  readonly location: SourceLocation
}

/** How an agent serves a tool that it offers. */
export interface ExportedToolIr {
  readonly tool: string
  /** The first message of the run, as it stands. */
  readonly text?: string
  /** The first message of the run, over the payload; never beside `text`. */
  readonly template?: string
  /** What the model is told in place of the agent's instructions. */
  readonly systemPrompt?: string
  /** There where words count as the result. */
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

/** Where the service client's type is exported. */
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
  /** Where the design says most of it; where it says nothing of it, the use. */
  readonly location: SourceLocation
}

/** A tool that an agent uses and an MCP server has. */
export interface McpToolIr extends UsedToolIr {
  /** The server's name of it: what the use says, else what the toolset says. */
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
  /** What the result is made from, and whether the codec decides where the declared type is wider. */
  readonly result: { readonly from?: 'data'; readonly checked: boolean }
  /** What the result of a streaming tool is made of; absent where the design says nothing: `list`. */
  readonly collect?: 'list' | 'last'
  /** Where the design says the parts of the binding; absent where it says none. */
  readonly parts?: BindingLocations
}

/** Where the parts of a tool's binding stand. */
export interface BindingLocations {
  /** The name of the method. */
  readonly method?: SourceLocation
  /** What is said of `collect`. */
  readonly collect?: SourceLocation
  /** By payload field. */
  readonly rename: Readonly<Record<string, EntryLocations>>
  /** By method field or parameter. */
  readonly constants: Readonly<Record<string, EntryLocations>>
}

/** The places of an entry's name and of its value. */
interface EntryLocations {
  readonly name: SourceLocation
  readonly value: SourceLocation
}

/** Identifiers and file names of a toolset; unique in the design. */
export interface ToolsetNames {
  /** The folder below `toolsets/`. */
  readonly folder: string
  /** The descriptor object, `orders`. */
  readonly descriptor: string
  /** `ordersSpecs` */
  readonly specs: string
  /** `ordersToolset` */
  readonly toolset: string
  readonly mcp: McpNames
  readonly openapi: OpenApiNames
  /** Type names of `defs`, by def name: the form that is sent and the form that is read (often the same). */
  readonly defs: Readonly<Record<string, { readonly sent: string; readonly read: string; readonly schema: string }>>
}

/** Identifiers of what an MCP server serves of a toolset; they stand in a file of their own. */
export interface McpNames {
  /** `filesMcp` */
  readonly import: string
  /** `newFilesMcpExecutor` */
  readonly executor: string
  /** `FilesClient` */
  readonly client: string
  /** `FilesClientOptions` */
  readonly clientOptions: string
  /** `newFilesClient` */
  readonly newClient: string
}

/** Identifiers of what an HTTP API serves of a toolset; they stand in a file of their own. */
export interface OpenApiNames {
  /** `petsApi` */
  readonly api: string
  /** `newPetsApiExecutor` */
  readonly executor: string
  /** `PetsApiOptions` */
  readonly options: string
}

/** Identifiers of a tool; unique in its toolset. */
export interface ToolNames {
  /** `GetOrderArguments` */
  readonly arguments: string
  /** `GetOrderPayload` */
  readonly payload: string
  /** `GetOrderResult` */
  readonly result: string
  /** `GetOrderUpdate`; used by streaming tools alone. */
  readonly update: string
  /** `getOrderPayloadCodec` */
  readonly payloadCodec: string
  /** `getOrderResultCodec` */
  readonly resultCodec: string
  /** `getOrderUpdateCodec`; used by streaming tools alone. */
  readonly updateCodec: string
  /** `getOrderSpec` */
  readonly spec: string
  /** `newGetOrderCall` */
  readonly call: string
}

/** Identifiers and file names of an agent; unique in the design. */
export interface AgentNames {
  /** The folder below `agents/`. */
  readonly folder: string
  /** `supportAgent` */
  readonly descriptor: string
  /** `registerSupport` */
  readonly register: string
  /** `SupportBinding` */
  readonly binding: string
  /** `newSupportAgent` */
  readonly builder: string
  /** `newBareSupportAgent` */
  readonly bareBuilder: string
  /** The type parameter for what the agent's own layers and hooks need: `SupportEnv` */
  readonly env: string
}

/** Identifiers and file names of one use of a toolset by an agent; unique in the agent. */
export interface UseNames {
  /** The file without its extension: `orders.service` */
  readonly file: string
  /** `supportOrdersUse` */
  readonly use: string
  /** `SupportOrdersClient` */
  readonly client: string
  /** `newSupportOrdersServiceExecutor` */
  readonly executor: string
  /** `SupportOrdersServiceExecutorOptions` */
  readonly executorOptions: string
  /** `newSupportOrdersToolsetRegistration` */
  readonly registration: string
  /** `SupportOrdersToolsetRegistrationOptions` */
  readonly registrationOptions: string
  /** The type parameter for what the layers of a registration need: `SupportOrdersEnv` */
  readonly env: string
}

/** Identifiers of a use that needs no file: the agent that exports the toolset has it. */
export interface AgentUseNames extends Pick<UseNames, 'use' | 'env'> {
  /** The type parameter for what the agent needs that serves the use: `SupportInvestigationAgentEnv` */
  readonly agentEnv: string
}

/** Identifiers and file names of a use that an MCP server serves. */
export interface McpUseNames extends Pick<UseNames, 'use' | 'registration' | 'registrationOptions' | 'env'> {
  /** The file without its extension: `files.mcp` */
  readonly mcpFile: string
  /** `newSupportFilesMcpExecutor` */
  readonly mcpExecutor: string
  /** `supportFilesMcp`; used where the use names tools of the server itself. */
  readonly mcpImport: string
}

/** Identifiers and file names of a use that an HTTP API serves. */
export interface OpenApiUseNames extends Pick<UseNames, 'use' | 'registration' | 'registrationOptions' | 'env'> {
  /** The file without its extension: `pets.openapi` */
  readonly openApiFile: string
}

/** Identifiers and file names of one toolset that an agent exports; unique in the agent. */
export interface ExportNames {
  /** The file without its extension: `investigation.agent` */
  readonly file: string
  /** `researchInvestigationExport` */
  readonly export: string
  /** `newResearchInvestigationToolsetRegistration` */
  readonly registration: string
  /** `ResearchInvestigationToolsetRegistrationOptions` */
  readonly registrationOptions: string
}

/** The uses of an agent that a service client serves. */
export function serviceUses({ uses }: Pick<AgentIr, 'uses'>): readonly ServiceUseIr[] {
  return uses.filter((use) => use.provider === 'service')
}

/** How many of each the design has. */
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
