import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json } from '../schema/json-schema.js'
import type { AgentUseNames, McpUseNames, PlainUseNames, UseNames } from './identifiers.js'

/** A toolset that an agent uses. */
export type UseIr = ServiceUseIr | AgentUseIr | McpUseIr | PlainUseIr

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

/** A toolset that an agent uses and an HTTP API serves, or an executor of the application runs. */
export interface PlainUseIr extends AnyUseIr {
  readonly provider: 'openapi' | 'executor'
  /** The selected tools, in the order of the toolset. */
  readonly tools: readonly UsedToolIr[]
  readonly names: PlainUseNames
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

/** Returns the uses of an agent that a service client serves. */
export function serviceUses({ uses }: { readonly uses: readonly UseIr[] }): readonly ServiceUseIr[] {
  return uses.filter((use) => use.provider === 'service')
}
