import type { MaxResult } from '@toolgen/dsl'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json } from '../schema/json-schema.js'
import type { AgentUseNames, McpUseNames, PlainUseNames, UseNames } from './identifiers.js'

export type UseIr = ServiceUseIr | AgentUseIr | McpUseIr | PlainUseIr

interface AnyUseIr {
  readonly toolset: string
  /** Name of the toolset in the agent: the option `as`, or by default the name of the toolset in the design. */
  readonly as: string
  readonly maxResult?: MaxResult
  readonly location: SourceLocation
}

export interface ServiceUseIr extends AnyUseIr {
  readonly provider: 'service'
  readonly client: ClientRef
  readonly tools: readonly ServiceToolIr[]
  readonly names: UseNames
}

export interface AgentUseIr extends AnyUseIr {
  readonly provider: 'agent'
  readonly agent: string
  readonly tools: readonly UsedToolIr[]
  readonly names: AgentUseNames
}

export interface McpUseIr extends AnyUseIr {
  readonly provider: 'mcp'
  readonly tools: readonly McpToolIr[]
  readonly names: McpUseNames
}

export interface PlainUseIr extends AnyUseIr {
  readonly provider: 'openapi' | 'executor'
  readonly tools: readonly UsedToolIr[]
  readonly names: PlainUseNames
}

/** Reference to a service client of the design: `serviceClient<Client>()`. */
export interface ClientRef {
  /** Path of the module, relative to the project folder, with `/` as separator and with the file extension. */
  readonly module: string
  /** Names that lead from the module's exports to the client, for example `['ordersClient']` or `['refs', 'orders']`. */
  readonly path: readonly string[]
}

export interface UsedToolIr {
  readonly tool: string
  readonly toolName: string
  readonly maxResult?: MaxResult
  /** Location of the tool's options in the design. Default: the location of the toolset in the agent. */
  readonly location: SourceLocation
}

export interface McpToolIr extends UsedToolIr {
  /** Name of the tool on the MCP server. */
  readonly remote: string
}

export interface ServiceToolIr extends UsedToolIr {
  /** Path of the method on the client, for example `fetchOrder` or `customers.retrieve`. */
  readonly method: string
  /** Names of method fields or parameters, by payload field. Contains only fields with a different name in the method. */
  readonly rename: Readonly<Record<string, string>>
  /** Constant values for fields or parameters of the method, by name. */
  readonly constants: Readonly<Record<string, Json>>
  /**
   * Options for the return value of the method. `from: 'data'`: the result of the tool is the property `data` of the return value. `checked`: the
   * codec validates the return value at run time, because the type of the method allows more values than the result of the tool.
   */
  readonly result: { readonly from?: 'data'; readonly checked: boolean }
  /** Result of a method that returns a stream. `list` is the array of all items, `last` is the last item. Default: `list`. */
  readonly collect?: 'list' | 'last'
  readonly parts?: BindingLocations
}

export interface BindingLocations {
  readonly method?: SourceLocation
  readonly collect?: SourceLocation
  readonly rename: Readonly<Record<string, EntryLocations>>
  readonly constants: Readonly<Record<string, EntryLocations>>
}

interface EntryLocations {
  readonly name: SourceLocation
  readonly value: SourceLocation
}

export function serviceUses({ uses }: { readonly uses: readonly UseIr[] }): readonly ServiceUseIr[] {
  return uses.filter((use) => use.provider === 'service')
}
