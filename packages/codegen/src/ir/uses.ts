import type { MaxResult } from '@toolgen/dsl'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json } from '../schema/json-schema.js'
import type { AgentUseNames, McpUseNames, PlainUseNames, UseNames } from './identifiers.js'

/** A toolset that an agent uses. */
export type UseIr = ServiceUseIr | AgentUseIr | McpUseIr | PlainUseIr

interface AnyUseIr {
  readonly toolset: string
  /** Name of the toolset in the agent: the option `as`, by default the toolset's own name. */
  readonly as: string
  readonly maxResult?: MaxResult
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

/** A toolset that an agent uses and another agent exports. */
export interface AgentUseIr extends AnyUseIr {
  readonly provider: 'agent'
  /** Name of the agent that exports the toolset. */
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

/** A toolset that an agent uses, and that an HTTP API or an executor of the application serves. */
export interface PlainUseIr extends AnyUseIr {
  readonly provider: 'openapi' | 'executor'
  /** The selected tools, in the order of the toolset. */
  readonly tools: readonly UsedToolIr[]
  readonly names: PlainUseNames
}

/** Export of the design that contains the `serviceClient<Client>()`. */
export interface ClientRef {
  /** Path of the module relative to the project, with `/` and the extension. */
  readonly module: string
  /** Path of exported names, e.g. `['ordersClient']` or `['refs', 'orders']`. */
  readonly path: readonly string[]
}

export interface UsedToolIr {
  readonly tool: string
  /** Name of the tool that this agent's model receives. */
  readonly toolName: string
  readonly maxResult?: MaxResult
  /** Location of the tool's options in the design; without options, location of the use. */
  readonly location: SourceLocation
}

export interface McpToolIr extends UsedToolIr {
  /** Name of the tool on the server. */
  readonly remote: string
}

/** A tool that an agent uses through a method of a client. */
export interface ServiceToolIr extends UsedToolIr {
  /** Path of the method on the client, e.g. `fetchOrder` or `customers.retrieve`. */
  readonly method: string
  /** Payload field → field or parameter of the method. */
  readonly rename: Readonly<Record<string, string>>
  /** Field or parameter of the method → constant value. */
  readonly constants: Readonly<Record<string, Json>>
  /**
   * Options for the return value of the method. `from: 'data'`: the result is the property `data` of the return value. `checked`: the codec
   * validates the return value, because its type is wider than the result.
   */
  readonly result: { readonly from?: 'data'; readonly checked: boolean }
  /** Result of a method that returns a stream: `list` for the array of all items, `last` for the last item. Default: `list`. */
  readonly collect?: 'list' | 'last'
  /** Locations of the tool's options; absent if the tool has no options. */
  readonly parts?: BindingLocations
}

/** Locations of the options in `tools` of `fromService` for one tool. */
export interface BindingLocations {
  readonly method?: SourceLocation
  readonly collect?: SourceLocation
  /** Payload field → locations of its entry in `rename`. */
  readonly rename: Readonly<Record<string, EntryLocations>>
  /** Field or parameter of the method → locations of its entry in `constants`. */
  readonly constants: Readonly<Record<string, EntryLocations>>
}

interface EntryLocations {
  readonly name: SourceLocation
  readonly value: SourceLocation
}

/** Returns the toolsets of an agent that a service client serves. */
export function serviceUses({ uses }: { readonly uses: readonly UseIr[] }): readonly ServiceUseIr[] {
  return uses.filter((use) => use.provider === 'service')
}
