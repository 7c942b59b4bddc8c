import type { ts } from 'ts-morph'
import { isBag, type Parameter } from './parameters.js'
import { partsOf } from './type-parts.js'
import { builtinName, type TypeReader } from './type-reader.js'

/** The names under which methods take the signal that cancels them. */
const names: ReadonlySet<string> = new Set(['signal', 'abortSignal'])

/** True for `signal?: AbortSignal` as a parameter of its own. */
export function isSignal(parameter: Parameter, reader: TypeReader): boolean {
  return !parameter.rest && names.has(parameter.name) && takesSignal(parameter.type, reader)
}

/** The key under which an object takes a signal; undefined where it takes none, or where only one of its variants may. */
export function signalKey(parameter: Parameter, reader: TypeReader): string | undefined {
  const [object, ...others] = isBag(parameter, reader) ? partsOf(parameter.type, reader).objects : []
  if (object === undefined || others.length > 0) return undefined
  const { checker } = reader
  return checker
    .getPropertiesOfType(object)
    .find((property) => names.has(property.name) && takesSignal(checker.getTypeOfSymbol(property), reader))?.name
}

/** The key under which an object takes a signal, where it needs nothing else: `options?: { signal?: AbortSignal }`. */
export function signalOption(parameter: Parameter, reader: TypeReader): string | undefined {
  const key = signalKey(parameter, reader)
  const properties = partsOf(parameter.type, reader).objects.flatMap((each) => reader.checker.getPropertiesOfType(each))
  const isFree = (property: ts.Symbol): boolean => (property.flags & reader.ts.SymbolFlags.Optional) !== 0
  return properties.every((property) => property.name === key || isFree(property)) ? key : undefined
}

function takesSignal(type: ts.Type, reader: TypeReader): boolean {
  return partsOf(type, reader).objects.some(
    (object) => object.getSymbol()?.name === 'AbortSignal' && builtinName(object, reader) !== undefined,
  )
}
