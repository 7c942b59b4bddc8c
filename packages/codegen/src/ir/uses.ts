import type { MaxResult } from '@toolgen/dsl'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json } from '../schema/json-schema.js'
import type { AgentUseNames, McpUseNames, PlainUseNames, UseNames } from './identifiers.js'

export type UseIr = ServiceUseIr | AgentUseIr | McpUseIr | PlainUseIr

interface AnyUseIr {
  readonly toolset: string
  /** Name of the toolset in the agent: the option `as`, or else the name of the toolset in the design. */
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

export interface ClientRef {
  /** Relative to the project folder, with `/` as separator and with the file extension. */
  readonly module: string
  /** Names that lead from the module's exports to the client, for example `['refs', 'orders']`. */
  readonly path: readonly string[]
}

export interface UsedToolIr {
  readonly tool: string
  readonly toolName: string
  readonly maxResult?: MaxResult
  /** For a tool without options in the design, the location of the toolset in the agent. */
  readonly location: SourceLocation
}

export interface McpToolIr extends UsedToolIr {
  readonly remote: string
}

export interface ServiceToolIr extends UsedToolIr {
  /** Path on the client, for example `fetchOrder` or `customers.retrieve`. */
  readonly method: string
  /** Names of fields or parameters of the method, by payload field. Contains only fields with a different name in the method. */
  readonly rename: Readonly<Record<string, string>>
  readonly constants: Readonly<Record<string, Json>>
  /**
   * `from: 'data'`: the result of the tool is the property `data` of the return value. `checked`: the codec validates the return value at run time,
   * because the type of the method allows more values than the result of the tool.
   */
  readonly result: { readonly from?: 'data'; readonly checked: boolean }
  /** For a method that returns a stream: all items, or the last item. Default: `list`. */
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
