import type { ts } from 'ts-morph'
import type { TypeReader } from './type-reader.js'

export interface Response {
  /** After `await`, without the wrapper `Provenanced` and the class `ToolFailure` of the runtime. */
  readonly type: ts.Type
  readonly item: ts.Type | undefined
  /** True for every thenable. */
  readonly isPromise: boolean
  /** True if the method can return a thenable that is not a plain `Promise`. `isPromise` is then also true. */
  readonly isThenable: boolean
  readonly isVoid: boolean
}

export function responseOf(signature: ts.Signature, reader: TypeReader): Response {
  const { checker, ts } = reader
  const returned = signature.getReturnType()
  const awaited = checker.getAwaitedType(returned) ?? returned
  const isPromise = awaited !== returned
  const type = withoutFailures(withoutProvenance(awaited, reader), reader)
  return {
    type,
    item: streamItem(type, reader),
    isPromise,
    isThenable: isPromise && !returnsPromise(returned, reader),
    isVoid: (returned.flags & ts.TypeFlags.VoidLike) !== 0,
  }
}

function alternativesOf(type: ts.Type): readonly ts.Type[] {
  return type.isUnion() ? type.types : [type]
}

function returnsPromise(type: ts.Type, reader: TypeReader): boolean {
  const { checker } = reader
  if (type.isUnion()) {
    return type.types.every((each) => returnsPromise(each, reader) || checker.getAwaitedType(each) === each)
  }
  // TypeScript also awaits values with a method `then`.
  const isThenable = (each: ts.Type): boolean => checker.getPropertyOfType(each, 'then') !== undefined
  return (
    reader.builtin(type) === 'Promise' &&
    !reader.typeArguments(type).some((value) => alternativesOf(value).some(isThenable))
  )
}

/** The runtime also removes the wrapper from a response before conversions. */
function withoutProvenance(type: ts.Type, reader: TypeReader): ts.Type {
  const alternatives = alternativesOf(type)
  const inner = alternatives.map((each) => {
    // A type of the user can also be named `Provenanced`, but lacks the marker property.
    const isMarked =
      each.getSymbol()?.name === 'Provenanced' &&
      reader.properties(each).some(({ symbol }) => /^__@MARK(?:@|$)/.test(symbol.escapedName.toString()))
    return isMarked ? (reader.propertyType(each, 'value') ?? each) : each
  })
  const isSame = inner.every((each, index) => each === alternatives[index])
  return isSame ? type : reader.unionOf([...new Set(inner)], type)
}

/** If a method returns a `ToolFailure` of the runtime, the call fails and the value needs no conversion. */
function withoutFailures(type: ts.Type, reader: TypeReader): ts.Type {
  const alternatives = alternativesOf(type)
  const isFailure = (each: ts.Type): boolean =>
    ['stack', 'reason', 'retryAfterMs', 'noExample', 'near'].every(
      (name) => reader.checker.getPropertyOfType(each, name) !== undefined,
    )
  const others = alternatives.filter((each) => !isFailure(each))
  return others.length === 0 || others.length === alternatives.length ? type : reader.unionOf(others, type)
}

function streamItem(type: ts.Type, reader: TypeReader): ts.Type | undefined {
  const { checker, ts } = reader
  const returnedBy = (owner: ts.Type, isNamed: (name: string) => boolean): ts.Type | undefined => {
    const method = reader.properties(owner).find(({ symbol }) => isNamed(symbol.escapedName.toString()))
    return method && checker.getSignaturesOfType(method.type(), ts.SignatureKind.Call)[0]?.getReturnType()
  }
  const iterator = returnedBy(type, (name) => name.startsWith('__@asyncIterator'))
  const step = iterator && returnedBy(iterator, (name) => name === 'next')
  const awaited = step && checker.getAwaitedType(step)
  const items = (awaited === undefined ? [] : alternativesOf(awaited)).flatMap((each) => {
    // The value of the last step, `{ done: true }`, is not an item.
    const done = reader.propertyType(each, 'done')
    const isEnd = done !== undefined && checker.typeToString(done) === 'true'
    return isEnd ? [] : (reader.propertyType(each, 'value') ?? [])
  })
  return items.length === 0 ? undefined : reader.unionOf([...new Set(items)], type)
}
