import type { Json, Schema } from '../../schema/json/json-schema.js'

/** What a lock records of a design: all that callers and models see of it. */
export interface Contracts {
  /** By name. */
  readonly toolsets: ReadonlyMap<string, ToolsetContract>
  /** By name. */
  readonly agents: ReadonlyMap<string, AgentContract>
}

export interface ToolsetContract {
  readonly name: string
  readonly namespace: string
  readonly description: string
  /** Definitions that the tools share: each is an exported type too. */
  readonly defs: Readonly<Record<string, Schema>>
  /** By name. */
  readonly tools: ReadonlyMap<string, ToolContract>
}

export interface ToolContract {
  /** `toolset.tool` */
  readonly id: string
  readonly name: string
  /** An MCP server's own name of it. */
  readonly remote?: string
  /** What is said of the tool, beside its schemas. */
  readonly about: Readonly<Record<string, Json>>
  /** JSON Schema of what is sent. */
  readonly arguments: Schema
  readonly serverOwned: readonly ServerOwnedContract[]
  readonly result: Schema
  readonly updates?: Schema
}

export interface ServerOwnedContract {
  readonly field: string
  /** The field of the call's meta. */
  readonly from: string
  readonly schema: Schema
}

export interface AgentContract {
  readonly name: string
  /** What is said of the agent and to its model, and the limits of its runs. */
  readonly about: Readonly<Record<string, Json>>
  /** By the agent's own name of each. */
  readonly uses: ReadonlyMap<string, UseContract>
  /** The names of the toolsets that it offers. */
  readonly exports: readonly string[]
}

export interface UseContract {
  readonly toolset: string
  readonly provider: string
  /** The agent that serves it, if one does. */
  readonly agent?: string
  /** By name: the names that the agent's model sees. */
  readonly tools: ReadonlyMap<string, string>
}
