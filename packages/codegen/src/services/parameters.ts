import type { ts } from 'ts-morph'
import { partsOf } from './type-parts.js'
import { builtinName, type TypeReader, tupleOf, typeArgumentsOf } from './types.js'

/** One parameter of a signature; the elements of a rest tuple count as parameters of their own. */
export interface Parameter {
  readonly name: string
  /** Of a rest parameter: the type of its items. */
  readonly type: ts.Type
  readonly optional: boolean
  readonly rest: boolean
  /** An element of a rest tuple: one that is optional can be left out but not be undefined. */
  readonly exact: boolean
}

/** The parameters of a signature in order. */
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
  const tuple = tupleOf(type, reader)
  if (tuple === undefined) {
    const [item] = reader.checker.isArrayType(type) ? typeArgumentsOf(type, reader) : []
    return [{ name, type: item ?? type, optional: true, rest: true, exact: false }]
  }
  const { ElementFlags } = reader.ts
  const { elementFlags, labeledElementDeclarations } = tuple
  return typeArgumentsOf(type, reader).map((element, index) => {
    const flags = elementFlags[index] ?? ElementFlags.Required
    const label = labeledElementDeclarations?.[index]?.name
    const labelText = label !== undefined && reader.ts.isIdentifier(label) ? label.text : `${name}${index}`
    const rest = (flags & ElementFlags.Variable) !== 0
    return {
      name: labelText,
      type: element,
      optional: rest || (flags & ElementFlags.Optional) !== 0,
      rest,
      exact: true,
    }
  })
}

/** True for a parameter into which several fields can go: an object that is no list, function or built-in. */
export function isBag(parameter: Parameter, reader: TypeReader): boolean {
  if (parameter.rest) return false
  return partsOf(parameter.type, reader).objects.some(
    (object) =>
      !reader.checker.isArrayType(object) &&
      !reader.checker.isTupleType(object) &&
      builtinName(object, reader) === undefined &&
      reader.checker.getSignaturesOfType(object, reader.ts.SignatureKind.Call).length === 0,
  )
}

/** True when an object parameter declares a field of this name. */
export function declares(parameter: Parameter, name: string, reader: TypeReader): boolean {
  return partsOf(parameter.type, reader).objects.some(
    (object) => reader.checker.getPropertyOfType(object, name) !== undefined,
  )
}

const trailing: ReadonlySet<string> = new Set(['options', 'opts', 'config', 'requestoptions', 'init', 'callback', 'cb'])

/** True for an optional parameter that steers the call instead of carrying data. */
export function isTrailing({ name, optional }: Parameter): boolean {
  return optional && trailing.has(name.replace(/[_$]/g, '').toLowerCase())
}

/** True for a parameter that is a function. */
export function isCallback(parameter: Parameter, reader: TypeReader): boolean {
  const parts = partsOf(parameter.type, reader)
  return parts.objects.some(
    (object) => reader.checker.getSignaturesOfType(object, reader.ts.SignatureKind.Call).length > 0,
  )
}
