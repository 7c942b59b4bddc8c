import type { ts } from 'ts-morph'
import { bareType } from './provenanced-type.js'
import { streamItem } from './stream-item.js'
import { builtinName, type TypeReader } from './type-reader.js'

/** What a signature answers. */
export interface Answer {
  /** Awaited, and without what the method says about it (`Provenanced`). */
  readonly type: ts.Type
  /** What it gives item by item; there where it is a stream. */
  readonly item: ts.Type | undefined
  /** A promise or another thenable. */
  readonly isPromise: boolean
  /** Can be awaited but is no `Promise` of the language. */
  readonly isThenable: boolean
  /** Declared without a value. */
  readonly isVoid: boolean
}

/** Reads what a signature answers: thenables are awaited, an async iterable is a stream. */
export function answerOf(signature: ts.Signature, reader: TypeReader): Answer {
  const { checker, ts } = reader
  const returned = signature.getReturnType()
  const awaited = checker.getAwaitedType(returned) ?? returned
  const isPromise = awaited !== returned
  const isVoid = (returned.flags & ts.TypeFlags.VoidLike) !== 0
  const isThenable = isPromise && !returnsPromise(returned, reader)
  const type = bareType(awaited, reader)
  return { type, item: streamItem(type, reader), isPromise, isThenable, isVoid }
}

function returnsPromise(type: ts.Type, reader: TypeReader): boolean {
  if (type.isUnion()) return type.types.every((each) => returnsPromise(each, reader) || !isAwaited(each, reader))
  return builtinName(type, reader) === 'Promise'
}

function isAwaited(type: ts.Type, { checker }: TypeReader): boolean {
  return checker.getAwaitedType(type) !== type
}

/** The type of `.data`, for bindings that unwrap it; undefined when there is none. */
export function unwrapped(type: ts.Type, name: string, { checker }: TypeReader): ts.Type | undefined {
  const property = checker.getPropertyOfType(checker.getNonNullableType(type), name)
  return property === undefined ? undefined : checker.getTypeOfSymbol(property)
}
