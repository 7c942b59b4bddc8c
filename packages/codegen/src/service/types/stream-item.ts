import type { ts } from 'ts-morph'
import { unionOf } from './made-type.js'
import type { TypeReader } from './type-reader.js'

/**
 * What an async iterable gives item by item, be it a generator, a `ReadableStream` or a class of a package; undefined for
 * what cannot be iterated over asynchronously.
 */
export function streamItem(type: ts.Type, reader: TypeReader): ts.Type | undefined {
  const iterator = returnedBy(type, (name) => name.startsWith('__@asyncIterator'), reader)
  const step = iterator && returnedBy(iterator, (name) => name === 'next', reader)
  const awaited = step && reader.checker.getAwaitedType(step)
  if (awaited === undefined) return undefined
  const steps = awaited.isUnion() ? awaited.types : [awaited]
  const items = steps.flatMap((each) => {
    const value = isEnd(each, reader) ? undefined : propertyType(each, 'value', reader)
    return value === undefined ? [] : [value]
  })
  return items.length === 0 ? undefined : unionOf([...new Set(items)], type, reader)
}

/** What a method answers, by the name that the compiler gives it. */
function returnedBy(
  owner: ts.Type,
  isNamed: (name: string) => boolean,
  { checker, ts }: TypeReader,
): ts.Type | undefined {
  const method = checker.getPropertiesOfType(owner).find(({ escapedName }) => isNamed(escapedName.toString()))
  const type = method && checker.getTypeOfSymbol(method)
  return type && checker.getSignaturesOfType(type, ts.SignatureKind.Call)[0]?.getReturnType()
}

/** The last step, whose value is no item: `{ done: true }`. */
function isEnd(step: ts.Type, reader: TypeReader): boolean {
  const done = propertyType(step, 'done', reader)
  return done !== undefined && reader.checker.typeToString(done) === 'true'
}

function propertyType(owner: ts.Type, name: string, { checker }: TypeReader): ts.Type | undefined {
  const property = checker.getPropertyOfType(owner, name)
  return property && checker.getTypeOfSymbol(property)
}
