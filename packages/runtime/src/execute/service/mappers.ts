import type { ToolCallMeta } from '../../contract/meta.js'

/**
 * Makes a method's arguments where the generator could not. The payload is decoded, its server-owned fields are filled.
 * A method that can be cancelled is given `meta.signal` by the mapper.
 */
export type PayloadMap<in Payload, out MethodArgs extends readonly unknown[]> = (
  payload: Payload,
  meta: ToolCallMeta,
) => MethodArgs | Promise<MethodArgs>

/** Changes what the generated transform makes of a payload: `(payload, meta, next) => next(payload)` changes nothing. */
export type PayloadWrap<Payload, MethodArgs extends readonly unknown[]> = (
  payload: Payload,
  meta: ToolCallMeta,
  next: (payload: Payload) => MethodArgs,
) => MethodArgs | Promise<MethodArgs>

/** Makes the tool's result of what a method answered where the generator could not. */
export type ResultMap<in MethodResult, out Result> = (
  result: MethodResult,
  meta: ToolCallMeta,
) => Result | Promise<Result>

/** Changes what the generated transform makes of a method's answer. */
export type ResultWrap<MethodResult, Result> = (
  result: MethodResult,
  meta: ToolCallMeta,
  next: (result: MethodResult) => Result,
) => Result | Promise<Result>

/** Makes an update of an item of a stream where the generator could not; `undefined`: the item is no update. */
export type UpdateMap<in Item, out Update> = (
  item: Item,
  meta: ToolCallMeta,
) => Update | undefined | Promise<Update | undefined>

/** Changes what the generated transform makes of an item of a stream; `undefined`: the item is no update. */
export type UpdateWrap<Item, Update> = (
  item: Item,
  meta: ToolCallMeta,
  next: (item: Item) => Update,
) => Update | undefined | Promise<Update | undefined>

/** The mappers of a tool for which the generator found both transforms: each may be wrapped. */
export interface ToolMappers<Payload, MethodArgs extends readonly unknown[], MethodResult, Result> {
  readonly payload?: PayloadWrap<Payload, MethodArgs>
  readonly result?: ResultWrap<MethodResult, Result>
}

/** The mappers of a tool whose method streams and for which the generator found all transforms: each may be wrapped. */
export interface StreamMappers<Payload, MethodArgs extends readonly unknown[], Item, Update, Collected, Result>
  extends ToolMappers<Payload, MethodArgs, Collected, Result> {
  /** Of each item; one for which `undefined` is made is no update. */
  readonly update?: UpdateWrap<Item, Update>
}
