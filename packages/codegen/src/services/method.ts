import type { ts } from 'ts-morph'
import { nearestNames } from './match-fields.js'
import { builtinName, isHidden, isSymbolNamed, type PropertyView, propertiesOf, type TypeReader } from './types.js'

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
  /** The client, or the member of it, that lacks the method; absent for what exists and cannot be called. */
  readonly lacks?: ts.Type
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
  let group = client
  while (rest !== '') {
    const property = ownOrFirst(owner, rest, checker)
    const step = rest.split('.')[0] ?? rest
    if (property === undefined) {
      const members = membersWithMethods(owner, reader)
      const after = rest.split('.').slice(1)
      const near = nearestNames(step, members).map((found) => [...path, found, ...after].join('.'))
      const allowed = within(path, members)
      const message = `\`${label}\` has no method \`${step}\``
      return { fault: { code: 'TG4005', message, near, allowed, lacks: owner } }
    }
    if (isHidden({ symbol: property }, reader)) {
      const message = `\`${label}.${step}\` is private or protected, and generated code cannot call it`
      return { fault: { code: 'TG4006', message, near: [], allowed: within(path, membersWithMethods(owner, reader)) } }
    }
    const type = checker.getTypeOfSymbol(property)
    group = owner
    owner = checker.getNonNullableType(type)
    if (owner !== type || (property.flags & ts.SymbolFlags.Optional) !== 0) optional.push(path.length)
    path.push(property.name)
    label = `${label}.${property.name}`
    rest = rest.slice(property.name.length + 1)
  }
  const signatures = checker.getSignaturesOfType(owner, ts.SignatureKind.Call)
  if (signatures.length > 0) return { method: { path, optional, signatures } }
  if ((owner.flags & ts.TypeFlags.Any) !== 0) {
    const message = `\`${label}\` is typed any, so that nothing is known of its parameters`
    return { fault: { code: 'TG4003', message, near: [], allowed: [] } }
  }
  const inside = methodsIn(owner, reader).map((each) => `${name}.${each.name}`)
  const allowed = inside.length > 0 ? inside : within(path.slice(0, -1), membersWithMethods(group, reader))
  return { fault: { code: 'TG4006', message: `\`${label}\` is no method`, near: inside.slice(0, 2), allowed } }
}

/** Members as paths from the client. */
function within(path: readonly string[], members: readonly string[]): readonly string[] {
  return members.map((member) => [...path, member].join('.'))
}

function isCallable(type: ts.Type, { checker, ts }: TypeReader): boolean {
  return checker.getSignaturesOfType(type, ts.SignatureKind.Call).length > 0
}

/** The members that generated code can name. */
function visibleMembers(owner: ts.Type, reader: TypeReader): readonly PropertyView[] {
  return propertiesOf(owner, reader).filter((each) => !isSymbolNamed(each) && !isHidden(each, reader))
}

/** The names of the methods that generated code can call, and of the groups that hold some. */
function membersWithMethods(owner: ts.Type, reader: TypeReader): readonly string[] {
  return visibleMembers(owner, reader)
    .filter((each) => leadsToMethods(each.type(), reader))
    .map(({ name }) => name)
}

/** The methods of a group; none of a text, a list or a date, which have methods of their own as well. */
function methodsIn(owner: ts.Type, reader: TypeReader): readonly PropertyView[] {
  const { checker, ts } = reader
  if ((owner.flags & ts.TypeFlags.Object) === 0 || checker.isArrayType(owner) || checker.isTupleType(owner)) return []
  if (builtinName(owner, reader) !== undefined) return []
  return visibleMembers(owner, reader).filter((each) => isCallable(each.type(), reader))
}

/** True for a method and for a group that holds some. */
function leadsToMethods(type: ts.Type, reader: TypeReader): boolean {
  const bare = reader.checker.getNonNullableType(type)
  return isCallable(bare, reader) || methodsIn(bare, reader).length > 0
}

/** A name with dots may be the name of one property; else its first step is. */
function ownOrFirst(owner: ts.Type, rest: string, checker: ts.TypeChecker): ts.Symbol | undefined {
  const whole = checker.getPropertyOfType(owner, rest)
  if (whole !== undefined || !rest.includes('.')) return whole
  return checker.getPropertyOfType(owner, rest.slice(0, rest.indexOf('.')))
}
