import type { ts } from 'ts-morph'
import { nearestNames } from '../match/name-match.js'
import { isSymbolNamed, propertiesOf, type TypeReader } from '../types/type-reader.js'

/** A method found on a client. */
export interface Method {
  readonly path: readonly string[]
  /** The steps of the path that may be absent at run time. */
  readonly optional: readonly number[]
  readonly signatures: readonly ts.Signature[]
}

/** Why there is no such method. */
export interface MethodFault {
  readonly code: 'TG4003' | 'TG4005' | 'TG4006'
  readonly message: string
  readonly near: readonly string[]
  /** The methods and groups of methods at the place where the path breaks off, as paths from the client. */
  readonly allowed: readonly string[]
}

/** Finds a method by its dotted path. */
export function findMethod(
  client: ts.Type,
  name: string,
  clientName: string,
  reader: TypeReader,
): { readonly method: Method } | { readonly fault: MethodFault } {
  const { checker, ts } = reader
  const path: string[] = []
  const optional: number[] = []
  let owner = client
  let rest = name
  let label = clientName
  while (rest !== '') {
    const property = ownOrFirst(owner, rest, checker)
    if (property === undefined) {
      const step = rest.split('.')[0] ?? rest
      const known = propertiesOf(owner, reader).filter((each) => !isSymbolNamed(each))
      const [before, after] = [path, rest.split('.').slice(1)]
      const near = nearestNames(
        step,
        known.map((each) => each.name),
      ).map((found) => [...before, found, ...after].join('.'))
      const allowed = known.filter((each) => leadsToMethods(each.type(), reader))
      return {
        fault: {
          code: 'TG4005',
          message: `\`${label}\` has no method \`${step}\``,
          near,
          allowed: allowed.map((each) => [...before, each.name].join('.')),
        },
      }
    }
    const type = checker.getTypeOfSymbol(property)
    owner = checker.getNonNullableType(type)
    if (owner !== type || (property.flags & ts.SymbolFlags.Optional) !== 0) optional.push(path.length)
    path.push(property.name)
    label = `${label}.${property.name}`
    rest = rest.slice(property.name.length + 1)
  }
  const signatures = checker.getSignaturesOfType(owner, ts.SignatureKind.Call)
  if (signatures.length > 0) return { method: { path, optional, signatures } }
  const isAny = (owner.flags & ts.TypeFlags.Any) !== 0
  const methods = propertiesOf(owner, reader).filter((each) => !isSymbolNamed(each) && isCallable(each.type(), reader))
  const allowed = isAny ? [] : methods.map((each) => `${name}.${each.name}`)
  const what = isAny ? 'is typed any, so that nothing is known of its parameters' : 'is no method'
  return {
    fault: { code: isAny ? 'TG4003' : 'TG4006', message: `\`${label}\` ${what}`, near: allowed.slice(0, 2), allowed },
  }
}

function isCallable(type: ts.Type, { checker, ts }: TypeReader): boolean {
  return checker.getSignaturesOfType(type, ts.SignatureKind.Call).length > 0
}

/** True for a method and for a group that holds some. */
function leadsToMethods(type: ts.Type, reader: TypeReader): boolean {
  const bare = reader.checker.getNonNullableType(type)
  // A text has methods as well.
  if ((bare.flags & reader.ts.TypeFlags.Object) === 0) return false
  return isCallable(bare, reader) || propertiesOf(bare, reader).some((each) => isCallable(each.type(), reader))
}

/** A name with dots may be the name of one property; else its first step is. */
function ownOrFirst(owner: ts.Type, rest: string, checker: ts.TypeChecker): ts.Symbol | undefined {
  const whole = checker.getPropertyOfType(owner, rest)
  if (whole !== undefined || !rest.includes('.')) return whole
  return checker.getPropertyOfType(owner, rest.slice(0, rest.indexOf('.')))
}
