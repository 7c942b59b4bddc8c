import type { Provenanced } from '../call/provenance.js'
import type { ToolFailure } from '../call/tool-failure.js'

/** Type `Client` of a constant that a design creates with `serviceClient<Client>()`. `ClientOf<typeof clients.ordersClient>` is `OrdersClient`. */
export type ClientOf<Placeholder extends { readonly '~client'?: unknown }> = NonNullable<Placeholder['~client']>

type Signature<Parameters extends readonly unknown[], Returned> = {
  readonly args: Parameters
  readonly returned: Returned
}

/** In reverse order: index 0 is the last overload. If a method has fewer than eight overloads, TypeScript repeats the first overload. */
type Overloads<Method> =
  NonNullable<Method> extends {
    (...args: infer A7): infer R7
    (...args: infer A6): infer R6
    (...args: infer A5): infer R5
    (...args: infer A4): infer R4
    (...args: infer A3): infer R3
    (...args: infer A2): infer R2
    (...args: infer A1): infer R1
    (...args: infer A0): infer R0
  }
    ? readonly [
        Signature<A0, R0>,
        Signature<A1, R1>,
        Signature<A2, R2>,
        Signature<A3, R3>,
        Signature<A4, R4>,
        Signature<A5, R5>,
        Signature<A6, R6>,
        Signature<A7, R7>,
      ]
    : never

type FromLast = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7

/**
 * Tuple type of a method's parameters. `Position` selects an overload, counted from the end. For example, `MethodArgs<M, 1>` contains the
 * parameters of the overload before the last overload.
 */
export type MethodArgs<Method, Position extends FromLast = 0> = Position extends 0
  ? NonNullable<Method> extends (...args: infer Parameters) => unknown
    ? Parameters
    : never
  : Overloads<Method>[Position]['args']

/**
 * Type of a method's awaited return value, without provenance (origin and cost) and failures. `Position` selects an overload as in {@link
 * MethodArgs}.
 */
export type MethodResult<Method, Position extends FromLast = 0> = Position extends 0
  ? NonNullable<Method> extends (...args: never) => infer Returned
    ? Bare<Awaited<Returned>>
    : never
  : Bare<Awaited<Overloads<Method>[Position]['returned']>>

/** Type of the items in the stream that a method returns. `Position` selects an overload as in {@link MethodArgs}. */
export type MethodItem<Method, Position extends FromLast = 0> =
  MethodResult<Method, Position> extends AsyncIterable<infer Item> ? Item : never

type Bare<Returned> =
  Returned extends Provenanced<infer Value> ? Exclude<Value, ToolFailure> : Exclude<Returned, ToolFailure>
