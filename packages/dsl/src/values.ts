/**
 * What a design evaluates to: frozen plain values, each marked with its kind. The generator reads these; users make
 * them with the `define...` and `from...` functions.
 */
import type { OpenApiSource } from './types/openapi-source.js'

/** Any schema that a design accepts: a schema library's schema or a plain JSON Schema value. */
export type SchemaValue = object | boolean

/** A field of the call's meta from which a payload field can be filled. */
export type MetaField = 'runId' | 'sessionId' | 'turnId' | 'toolCallId' | 'parentToolCallId' | `labels.${string}`

/** Values that JSON can carry. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A tool as the generator reads it. */
export interface ToolValue {
  readonly '~toolgen': 'tool'
  readonly description: string
  readonly title?: string
  readonly payload: SchemaValue
  readonly result: SchemaValue
  readonly streaming?: { readonly updates: SchemaValue }
  readonly examples?: readonly unknown[]
  readonly callHint?: string
  readonly resultHint?: string
  /** Payload field → meta field. */
  readonly serverOwned?: Readonly<Record<string, MetaField>>
  readonly tags?: readonly string[]
  readonly confirmation?: { readonly prompt: string; readonly deniedResult?: unknown }
  readonly defaultLayers?: { readonly timeoutMs?: number; readonly attempts?: number }
  readonly idempotent?: boolean
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly wireName?: string
  /** Rules of `toolgen lint` that do not count here: the rule's id → why. */
  readonly lint?: Readonly<Record<string, string>>
}

/** A toolset as the generator reads it. */
export interface ToolsetValue {
  readonly '~toolgen': 'toolset'
  readonly name: string
  readonly description: string
  readonly namespace: string
  readonly tools: Readonly<Record<string, ToolValue>>
  /** Schemas to which those of the tools refer with `#/$defs/NAME`. */
  readonly definitions?: Readonly<Record<string, SchemaValue>>
  /** There where an MCP server serves it. */
  readonly mcp?: McpSourceValue
  /** There where an HTTP API serves it. */
  readonly openapi?: OpenApiSource
  /** Rules of `toolgen lint` that do not count here: the rule's id → why. */
  readonly lint?: Readonly<Record<string, string>>
}

/** Where the tools of a toolset come from that an MCP server serves. */
export interface McpSourceValue {
  /** What the server calls itself. */
  readonly server?: { readonly name: string; readonly version: string }
  /** There where the payloads and results are what the server declared, word for word. */
  readonly captured?: boolean
  /** Tool → what the server calls it; a tool that is missing here has its own name there. */
  readonly names: Readonly<Record<string, string>>
  /** The server's names of tools that it has and the toolset leaves out. */
  readonly unused?: readonly string[]
}

/** The limits of an agent's runs; every field may be left out. */
export interface RunPolicy {
  /** What happens when a call lacks required fields. */
  readonly onMissingFields?: 'resume' | 'finalize' | 'await_clarification'
  readonly maxToolCalls?: number
  readonly maxTurns?: number
  readonly maxConsecutiveFailures?: number
  readonly maxTokens?: number
  /** In milliseconds. */
  readonly timeBudgetMs?: number
  /** In milliseconds. */
  readonly toolTimeoutMs?: number
  /** How many calls run at once. */
  readonly parallelism?: number
  readonly onFailure?: 'join_all' | 'fail_fast'
  /** How many agents may stand above a run: 0 lets an agent call no other. Default 8. */
  readonly maxDepth?: number
}

/** A service client's place holder: carries the client's type to the generator, nothing at run time. */
export interface ServiceClient<Client> {
  readonly '~toolgen': 'client'
  /** Never present; carries the type. With `undefined`, so that a client that lacks a method is not refused for that. */
  readonly '~client'?: Client | undefined
}

/** How one tool reaches the client. */
export interface ServiceToolValue {
  readonly method?: string
  /** Payload field → method field or parameter. */
  readonly rename?: Readonly<Record<string, string>>
  /** Method field or parameter → constant. */
  readonly constants?: Readonly<Record<string, Json>>
  /** See `ServiceResultOptions`. */
  readonly result?: { readonly from?: 'data'; readonly checked?: boolean }
  readonly collect?: 'list' | 'last'
}

/** What every use of a toolset by an agent says, whoever serves it. */
interface AnyUseValue {
  readonly '~toolgen': 'use'
  readonly toolset: ToolsetValue
  readonly as?: string
  readonly only?: readonly string[]
  /** Tool → wire name. */
  readonly rename?: Readonly<Record<string, string>>
}

/** A toolset that an agent uses through a service client. */
export interface ServiceUseValue extends AnyUseValue {
  readonly provider: 'service'
  readonly client: ServiceClient<unknown>
  readonly tools?: Readonly<Record<string, ServiceToolValue>>
}

/** A toolset that an agent uses and another agent exports. */
export interface AgentUseValue extends AnyUseValue {
  readonly provider: 'agent'
}

/** How one tool is found on its MCP server. */
export interface McpToolValue {
  readonly name?: string
}

/** A toolset that an agent uses and an MCP server serves. */
export interface McpUseValue extends AnyUseValue {
  readonly provider: 'mcp'
  readonly tools?: Readonly<Record<string, McpToolValue>>
}

/** A toolset that an agent uses and an HTTP API serves. */
export interface OpenApiUseValue extends AnyUseValue {
  readonly provider: 'openapi'
}

/** A toolset that an agent uses. */
export type UseValue = ServiceUseValue | AgentUseValue | McpUseValue | OpenApiUseValue

/** How an agent serves one tool that it exports. */
export interface ExportedToolValue {
  readonly text?: string
  readonly template?: string
  readonly systemPrompt?: string
  readonly prose?: boolean
}

/** A toolset that an agent exports, with how it serves single tools. */
export interface ExportValue {
  readonly '~toolgen': 'export'
  readonly toolset: ToolsetValue
  readonly tools: Readonly<Record<string, ExportedToolValue>>
}

/** An agent as the generator reads it. */
export interface AgentValue {
  readonly '~toolgen': 'agent'
  readonly name: string
  readonly description: string
  readonly instructions?: string
  readonly uses: readonly UseValue[]
  /** As the design writes them: a toolset alone is served with the defaults. */
  readonly exports: readonly (ToolsetValue | ExportValue)[]
  readonly policy?: RunPolicy
  /** Rules of `toolgen lint` that do not count here: the rule's id → why. */
  readonly lint?: Readonly<Record<string, string>>
}
