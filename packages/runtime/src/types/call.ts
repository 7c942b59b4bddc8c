import type { Codec } from './codec.js'
import type { JsonText } from './json.js'
import type { MetaField, ToolSpec } from './tool.js'

/**
 * A request to run a tool, made by a generated builder (`newGetOrderCall({...})`) or from what a model sent.
 * `Result` and `Needs` exist in the type alone.
 */
export interface ToolCall<out Result = unknown, out Needs extends MetaField = never> {
  /** The tool's id, or the tool name that a model used. */
  readonly tool: string
  readonly arguments: JsonText
  /** Absent: the runtime makes one. */
  readonly toolCallId?: string
  readonly parentToolCallId?: string
  /** Never present; carries the types. */
  readonly '~types'?: { readonly result: Result; readonly needs: Needs }
}

/** Result type of the calls of a type; for a union the union of results. */
export type ResultOf<Call extends ToolCall<unknown, MetaField>> = NonNullable<Call['~types']>['result']

/** The meta fields from which the server-owned fields of the calls of a type are filled; of a union all of them. */
export type NeedsOf<Call extends ToolCall<unknown, MetaField>> = NonNullable<Call['~types']>['needs']

/** Options of a call builder. */
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

/** Anything that answers a request; what layers wrap. */
export type Service<in Request, out Response> = (request: Request) => Promise<Response>

/** A payload as the codec yields it: server-owned fields are still to be filled. Distributes over unions. */
export type Unfilled<Payload, Owned extends PropertyKey> = Payload extends unknown ? Omit<Payload, Owned> : never

/** Decoded form of arguments: without own `undefined`, and with the fields of `Defaulted`, which have defaults. */
export type Received<Arguments, Defaulted extends keyof Arguments = never> = {
  readonly [Field in keyof Arguments as Field extends Defaulted ? never : Field]: Exclude<Arguments[Field], undefined>
} & {
  readonly [Field in Defaulted]-?: Exclude<Arguments[Field], undefined>
}

/** All that generated code says about one tool: `orders.getOrder`. */
export interface ToolDescriptor<
  in Arguments = never,
  out Decoded = unknown,
  in out Result = any, // a result is both read and written; `any` lets descriptors of different tools share one list
  out Needs extends MetaField = MetaField,
> {
  readonly spec: ToolSpec
  readonly payload: Codec<Arguments, Decoded>
  readonly result: Codec<Result, Result>
  /** Builds a call. @throws {InvalidArgumentsError} listing every issue. */
  readonly call: (args: Arguments, options?: ToolCallOptions) => ToolCall<Result, Needs>
}

/** A toolset as generated code describes it; frozen with its specs when it is first registered. */
export interface ToolsetDescriptor {
  readonly name: string
  readonly namespace: string
  readonly description: string
  /** In the order of the design. */
  readonly tools: readonly ToolDescriptor[]
}
