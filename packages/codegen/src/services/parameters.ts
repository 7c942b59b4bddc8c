import type { ts } from 'ts-morph'
import type { TypeReader } from './type-reader.js'

/** Each element of a rest tuple is a separate parameter. */
export interface Parameter {
  readonly name: string
  /** For a rest parameter, the type of its items. */
  readonly type: ts.Type
  readonly optional: boolean
  readonly rest: boolean
  /** True for an element of a rest tuple: a call can omit an optional element, but must not pass `undefined`. */
  readonly exact: boolean
}

export function parametersOf(signature: ts.Signature, reader: TypeReader): readonly Parameter[] {
  return signature.getParameters().flatMap((symbol) => {
    const type = reader.checker.getTypeOfSymbol(symbol)
    const declaration = symbol.valueDeclaration
    const isParameter = declaration !== undefined && reader.ts.isParameter(declaration)
    if (isParameter && declaration.dotDotDotToken !== undefined) return restParameters(symbol.name, type, reader)
    const optional = isParameter && reader.checker.isOptionalParameter(declaration)
    return [{ name: symbol.name, type, optional, rest: false, exact: false }]
  })
}

function restParameters(name: string, type: ts.Type, reader: TypeReader): readonly Parameter[] {
  const tuple = reader.tuple(type)
  if (tuple === undefined) {
    const [item = type] = reader.checker.isArrayType(type) ? reader.typeArguments(type) : []
    return [{ name, type: item, optional: true, rest: true, exact: false }]
  }
  const { ElementFlags } = reader.ts
  return reader.typeArguments(type).map((element, index) => {
    const flags = tuple.elementFlags[index] ?? ElementFlags.Required
    const label = tuple.labeledElementDeclarations?.[index]?.name
    const rest = (flags & ElementFlags.Variable) !== 0
    return {
      name: label !== undefined && reader.ts.isIdentifier(label) ? label.text : `${name}${index}`,
      type: element,
      optional: rest || (flags & ElementFlags.Optional) !== 0,
      rest,
      exact: true,
    }
  })
}

/** Several payload fields can become properties of the argument for such a parameter. */
export function isBag({ rest, type }: Parameter, reader: TypeReader): boolean {
  return (
    !rest &&
    reader
      .parts(type)
      .objects.some(
        (object) => !reader.isList(object) && reader.builtin(object) === undefined && !reader.isCallable(object),
      )
  )
}

export function declares({ type }: Parameter, name: string, reader: TypeReader): boolean {
  return reader.parts(type).objects.some((object) => reader.checker.getPropertyOfType(object, name) !== undefined)
}

const trailing: ReadonlySet<string> = new Set(['options', 'opts', 'config', 'requestoptions', 'init', 'callback', 'cb'])

/** A parameter such as `options` controls the call, and contains no data. */
export function isTrailing({ name, optional }: Parameter): boolean {
  return optional && trailing.has(name.replace(/[_$]/g, '').toLowerCase())
}

export function isCallback({ type }: Parameter, reader: TypeReader): boolean {
  return reader.parts(type).objects.some((object) => reader.isCallable(object))
}

const signalNames: ReadonlySet<string> = new Set(['signal', 'abortSignal'])

export function isSignal({ rest, name, type }: Parameter, reader: TypeReader): boolean {
  return !rest && signalNames.has(name) && takesSignal(type, reader)
}

export function signalKey(parameter: Parameter, reader: TypeReader): string | undefined {
  const [object, ...others] = isBag(parameter, reader) ? reader.parts(parameter.type).objects : []
  if (object === undefined || others.length > 0) return undefined
  return reader
    .properties(object)
    .find((property) => signalNames.has(property.name) && takesSignal(property.type(), reader))?.name
}

export function signalOption(parameter: Parameter, reader: TypeReader): string | undefined {
  const key = signalKey(parameter, reader)
  const properties = reader.parts(parameter.type).objects.flatMap((object) => reader.properties(object))
  return properties.every(({ name, optional }) => name === key || optional) ? key : undefined
}

function takesSignal(type: ts.Type, reader: TypeReader): boolean {
  return reader
    .parts(type)
    .objects.some((object) => object.getSymbol()?.name === 'AbortSignal' && reader.builtin(object) !== undefined)
}
