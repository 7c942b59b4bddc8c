import type { ToolCall, ToolCallOptions } from './call.js'
import type { Codec } from './codec.js'
import type { MetaField } from './meta.js'
import type { ToolSpec } from './spec.js'

/** A payload as the codec yields it: server-owned fields are still to be filled. Distributes over unions. */
export type Unfilled<Payload, Owned extends PropertyKey> = Payload extends unknown ? Omit<Payload, Owned> : never

/**
 * What is read of arguments that were sent: no field is an own `undefined`, and the fields of `Defaulted` are there,
 * since they have a default.
 */
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
