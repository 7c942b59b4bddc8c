import type { JsonText } from './json.js'
import type { MetaField } from './meta.js'

/**
 * A request to run a tool, made by a generated builder (`newGetOrderCall({...})`) or from what a model sent.
 * `Result` and `Needs` exist in the type alone.
 */
export interface ToolCall<out Result = unknown, out Needs extends MetaField = never> {
  /** The tool's id, or the wire name that a model used. */
  readonly tool: string
  readonly arguments: JsonText
  /** Absent: the runtime makes one. */
  readonly toolCallId?: string
  readonly parentToolCallId?: string
  /** Never present; carries the types. */
  readonly '~types'?: { readonly result: Result; readonly needs: Needs }
}

/** What the calls of a type answer; of a union each one's result. */
export type ResultOf<Call extends ToolCall<unknown, MetaField>> = NonNullable<Call['~types']>['result']

/** The meta fields from which the server-owned fields of the calls of a type are filled; of a union all of them. */
export type NeedsOf<Call extends ToolCall<unknown, MetaField>> = NonNullable<Call['~types']>['needs']

/** What a call builder takes beside the arguments. */
export interface ToolCallOptions {
  readonly toolCallId?: string
  readonly parentToolCallId?: string
  /** The agent's name for the toolset (`as` in the design), where it differs from the toolset's own. */
  readonly as?: string
}

/** A call as an outcome names it. */
export interface ToolCallRef {
  /** The tool's id; for an unknown tool the name as it was asked for. */
  readonly tool: string
  /** Empty only where the runtime's own source of ids failed. */
  readonly toolCallId: string
  readonly parentToolCallId?: string
}
