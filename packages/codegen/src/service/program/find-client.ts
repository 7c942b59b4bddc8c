import type { ts } from 'ts-morph'
import type { ClientRef } from '../../ir/types.js'
import { nearestNames } from '../match/name-match.js'
import type { ServiceCode } from '../match/service-code.js'
import { isUnresolved, type TypeReader } from '../types/type-reader.js'
import type { OpenProgram } from './open-program.js'

/** Why a client's type is not known. */
export interface ClientFault {
  readonly code: ServiceCode & ('TG4001' | 'TG4002' | 'TG4003' | 'TG4004')
  readonly message: string
  readonly near?: readonly string[]
  /** Where in the client module. */
  readonly node?: { readonly file: ts.SourceFile; readonly start: number }
}

/** Messages of the compiler that say that a name or a module does not exist. */
const missingNames: ReadonlySet<number> = new Set([2304, 2305, 2306, 2307, 2339, 2503, 2552, 2614, 2694, 2724, 7016])

/** The type behind an exported `serviceClient<Client>()`, read off its phantom property. */
export function findClient(
  ref: ClientRef,
  { reader, moduleFile }: OpenProgram,
): { readonly type: ts.Type } | { readonly faults: readonly ClientFault[] } {
  const file = moduleFile(ref.module)
  if (file === undefined) return fault('TG4001', `there is no module \`${ref.module}\``)
  const found = exportedType(file, ref.path, reader)
  if ('message' in found) return { faults: [found] }
  const phantom = reader.checker.getPropertyOfType(reader.checker.getNonNullableType(found.type), '~client')
  if (phantom === undefined) {
    const unresolved = unresolvedNames(file, reader)
    if (unresolved.length > 0) return { faults: unresolved }
    return fault('TG4001', `\`${ref.path.join('.')}\` of \`${ref.module}\` is no service client`)
  }
  const type = reader.checker.getNonNullableType(reader.checker.getTypeOfSymbol(phantom))
  const isOpen =
    (type.flags & (reader.ts.TypeFlags.Any | reader.ts.TypeFlags.Unknown | reader.ts.TypeFlags.Never)) !== 0
  if (isUnresolved(type, reader) || isOpen) {
    const unresolved = unresolvedNames(file, reader)
    if (unresolved.length > 0) return { faults: unresolved }
    if (isUnresolved(type, reader)) {
      return fault('TG4003', `the type of \`${ref.path.join('.')}\` cannot be resolved`)
    }
  }
  const isEmpty = reader.checker.getPropertiesOfType(type).length === 0
  if (isOpen || isEmpty) {
    return fault(
      'TG4004',
      `the type of \`${ref.path.join('.')}\` is ${reader.checker.typeToString(type)}, which has no methods`,
    )
  }
  return { type }
}

function fault(code: ClientFault['code'], message: string): { readonly faults: readonly ClientFault[] } {
  return { faults: [{ code, message }] }
}

/** Walks from the module along the exported names. */
function exportedType(
  file: ts.SourceFile,
  path: readonly string[],
  { checker, ts }: TypeReader,
): { readonly type: ts.Type } | ClientFault {
  const symbol = checker.getSymbolAtLocation(file)
  const [name = '', ...rest] = path
  const exported = symbol === undefined ? [] : checker.getExportsOfModule(symbol)
  const found = exported.find((each) => each.name === name)
  if (found === undefined) {
    const near = nearestNames(
      name,
      exported.map((each) => each.name),
    )
    return { code: 'TG4001', message: `the client's module does not export \`${name}\``, near }
  }
  const target = (found.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(found) : found
  let type = checker.getTypeOfSymbol(target)
  for (const step of rest) {
    const property = checker.getPropertyOfType(type, step)
    if (property === undefined)
      return { code: 'TG4001', message: `\`${name}\` of the client's module has no \`${step}\`` }
    type = checker.getTypeOfSymbol(property)
  }
  return { type }
}

/** What the compiler says of names in the client module that do not exist. */
function unresolvedNames(file: ts.SourceFile, { program, ts }: TypeReader): readonly ClientFault[] {
  return program
    .getSemanticDiagnostics(file)
    .filter(({ code }) => missingNames.has(code))
    .map((diagnostic) => ({
      code: 'TG4002',
      message: ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ').replace(/\s+/g, ' '),
      node: { file, start: diagnostic.start ?? 0 },
    }))
}
