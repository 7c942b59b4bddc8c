import type { ts } from 'ts-morph'
import type { ClientRef } from '../ir/uses.js'
import { nearestNames } from './names.js'
import type { OpenProgram } from './program.js'
import type { TypeReader } from './type-reader.js'

export interface ClientError {
  readonly code: 'TG4001' | 'TG4002' | 'TG4003' | 'TG4004' | 'TG4012'
  readonly message: string
  readonly near?: readonly string[]
  readonly node?: { readonly file: ts.SourceFile; readonly start: number }
}

export type FoundClient = { readonly type: ts.Type } | { readonly errors: readonly ClientError[] }

const missingNames: ReadonlySet<number> = new Set([2304, 2305, 2306, 2307, 2339, 2503, 2552, 2614, 2694, 2724, 7016])

export function findClient(ref: ClientRef, { reader, moduleFile }: OpenProgram): FoundClient {
  const { checker, ts } = reader
  const failed = (code: ClientError['code'], message: string): FoundClient => ({ errors: [{ code, message }] })
  const file = moduleFile(ref.module)
  if (file === undefined) return failed('TG4001', `the module \`${ref.module}\` does not exist`)
  const syntax = syntaxErrors(reader)
  if (syntax.length > 0) return { errors: syntax }
  const exported = exportedType(file, ref.path, reader)
  if ('errors' in exported) return exported
  const name = ref.path.join('.')
  const phantom = reader.propertyType(checker.getNonNullableType(exported.type), '~client')
  const type = phantom && checker.getNonNullableType(phantom)
  const isOpen =
    type === undefined || (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.Never)) !== 0
  if (isOpen) {
    const unresolved = reader.program
      .getSemanticDiagnostics(file)
      .filter(({ code }) => missingNames.has(code))
      .map(({ messageText, start = 0 }) => errorIn(file, 'TG4002', messageText, start, reader))
    if (unresolved.length > 0) return { errors: unresolved }
  }
  if (type === undefined) return failed('TG4001', `\`${name}\` of \`${ref.module}\` is not a service client`)
  if (reader.isUnresolved(type)) return failed('TG4003', `the type of \`${name}\` cannot be resolved`)
  if (isOpen || checker.getPropertiesOfType(type).length === 0) {
    return failed('TG4004', `the type of \`${name}\` is ${checker.typeToString(type)}, which has no methods`)
  }
  return { type }
}

function errorIn(
  file: ts.SourceFile,
  code: ClientError['code'],
  text: ts.Diagnostic['messageText'],
  start: number,
  { ts }: TypeReader,
): ClientError {
  return { code, message: ts.flattenDiagnosticMessageText(text, ' ').replace(/\s+/g, ' '), node: { file, start } }
}

/** After a syntax error, the compiler guesses the rest of the file, so the types in it can be wrong. Reports the first error of each file. */
function syntaxErrors(reader: TypeReader): readonly ClientError[] {
  const { program } = reader
  const own = program.getSourceFiles().filter(({ fileName }) => !fileName.includes('/node_modules/'))
  return own.flatMap((file) =>
    program
      .getSyntacticDiagnostics(file)
      .slice(0, 1)
      .map(({ messageText, start }) => errorIn(file, 'TG4012', messageText, start, reader)),
  )
}

function exportedType(file: ts.SourceFile, path: readonly string[], reader: TypeReader): FoundClient {
  const { checker, ts } = reader
  const failed = (message: string, near?: readonly string[]): FoundClient => ({
    errors: [{ code: 'TG4001', message, ...(near !== undefined && { near }) }],
  })
  const symbol = checker.getSymbolAtLocation(file)
  const exported = symbol === undefined ? [] : checker.getExportsOfModule(symbol)
  const [name = '', ...steps] = path
  const found = exported.find((each) => each.name === name)
  if (found === undefined) {
    const names = exported.map((each) => each.name)
    return failed(`the client's module does not export \`${name}\``, nearestNames(name, names))
  }
  const isAlias = (found.flags & ts.SymbolFlags.Alias) !== 0
  let type = checker.getTypeOfSymbol(isAlias ? checker.getAliasedSymbol(found) : found)
  for (const step of steps) {
    const next = reader.propertyType(type, step)
    if (next === undefined) return failed(`\`${name}\` of the client's module has no property \`${step}\``)
    type = next
  }
  return { type }
}

export interface Method {
  readonly path: readonly string[]
  /** Indexes of the names in `path` that can be `undefined` at run time, such as `[0]` if `orders` in `orders.get` is optional. */
  readonly optional: readonly number[]
  readonly signatures: readonly ts.Signature[]
}

export interface MethodError {
  readonly code: 'TG4003' | 'TG4005' | 'TG4006'
  readonly message: string
  readonly near: readonly string[]
  readonly allowed: readonly string[]
  /** Type of the object without the method. Absent if a property with this name exists but is not a method. */
  readonly lacks?: ts.Type
}

export function findMethod(
  client: ts.Type,
  name: string,
  clientName: string,
  reader: TypeReader,
): { readonly method: Method } | { readonly error: MethodError } {
  const { checker, ts } = reader
  const path: string[] = []
  const optional: number[] = []
  const fromClient = (members: readonly string[], below: readonly string[] = path): readonly string[] =>
    members.map((member) => [...below, member].join('.'))
  let owner = client
  let group = client
  let label = clientName
  for (let rest = name; rest !== ''; ) {
    const [step = rest, ...after] = rest.split('.')
    // A remaining path with dots can be the name of a single property.
    const property = checker.getPropertyOfType(owner, rest) ?? checker.getPropertyOfType(owner, step)
    const members = (): readonly string[] => membersWithMethods(owner, reader)
    if (property === undefined) {
      const near = fromClient(nearestNames(step, members())).map((found) => [found, ...after].join('.'))
      const message = `\`${label}\` has no method \`${step}\``
      return { error: { code: 'TG4005', message, near, allowed: fromClient(members()), lacks: owner } }
    }
    if (reader.isHidden(property)) {
      const message = `\`${label}.${step}\` is private or protected, so generated code cannot call it`
      return { error: { code: 'TG4006', message, near: [], allowed: fromClient(members()) } }
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
    const message = `\`${label}\` has the type \`any\`, so its parameters are unknown`
    return { error: { code: 'TG4003', message, near: [], allowed: [] } }
  }
  const inside = methodsIn(owner, reader).map((each) => `${name}.${each}`)
  const allowed = inside.length > 0 ? inside : fromClient(membersWithMethods(group, reader), path.slice(0, -1))
  return { error: { code: 'TG4006', message: `\`${label}\` is not a method`, near: inside.slice(0, 2), allowed } }
}

function membersWithMethods(owner: ts.Type, reader: TypeReader): readonly string[] {
  return reader.visibleProperties(owner).flatMap((each) => {
    const type = reader.checker.getNonNullableType(each.type())
    return reader.isCallable(type) || methodsIn(type, reader).length > 0 ? [each.name] : []
  })
}

/** Ignores strings, arrays and built-in objects, because their methods do not call the service. */
function methodsIn(owner: ts.Type, reader: TypeReader): readonly string[] {
  if ((owner.flags & reader.ts.TypeFlags.Object) === 0 || reader.isList(owner)) return []
  if (reader.builtin(owner) !== undefined) return []
  return reader.visibleProperties(owner).flatMap((each) => (reader.isCallable(each.type()) ? [each.name] : []))
}
