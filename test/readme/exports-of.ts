import { dirname, join, relative } from 'node:path'
import ts from 'typescript'

/** An export of an entry of a package. */
export interface Exported {
  readonly name: string
  readonly isType: boolean
  /** File that declares the export, relative to the sources. */
  readonly file: string
  /** First sentence of its doc comment. */
  readonly about: string
  /** Fields of an interface. */
  readonly fields: readonly Field[]
}

/** A field of an exported interface. */
export interface Field {
  /** Name, with `?` if the field is optional. */
  readonly name: string
  /** First paragraph of the doc comment. Without a comment, the type as code. */
  readonly about: string
}

const programs = new Map<string, ts.Program>()

/** Returns the exports of an entry of a package. */
export function exportsOf(sources: string, entry: string): readonly Exported[] {
  const program = programs.get(sources) ?? programOf(sources)
  programs.set(sources, program)
  const checker = program.getTypeChecker()
  const file = program.getSourceFile(join(sources, entry))
  const module = file && checker.getSymbolAtLocation(file)
  if (module === undefined) throw new Error(`${entry} is not a module`)
  return checker.getExportsOfModule(module).map((symbol) => exported(symbol, sources, checker))
}

function programOf(sources: string): ts.Program {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => undefined }
  const config = ts.getParsedCommandLineOfConfigFile(join(dirname(sources), 'tsconfig.json'), {}, host)
  return ts.createProgram(config?.fileNames ?? [], config?.options ?? {})
}

function exported(symbol: ts.Symbol, sources: string, checker: ts.TypeChecker): Exported {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  const [declaration] = target.declarations ?? []
  if (declaration === undefined) throw new Error(`${symbol.name} has no declaration`)
  return {
    name: symbol.name,
    isType: !(target.flags & ts.SymbolFlags.Value),
    file: relative(sources, declaration.getSourceFile().fileName),
    about: firstSentence(commentOf(target, checker)),
    fields: ts.isInterfaceDeclaration(declaration) ? fieldsOf(target, checker) : [],
  }
}

function fieldsOf(symbol: ts.Symbol, checker: ts.TypeChecker): readonly Field[] {
  // Fields whose name is a symbol are internal.
  const fields = checker
    .getDeclaredTypeOfSymbol(symbol)
    .getProperties()
    .filter(({ name }) => !name.startsWith('__@'))
  return fields.map((field) => ({
    name: field.flags & ts.SymbolFlags.Optional ? `${field.name}?` : field.name,
    about: firstParagraph(commentOf(field, checker)) || `\`${typeOf(field, checker)}\``,
  }))
}

const commentOf = (symbol: ts.Symbol, checker: ts.TypeChecker): string =>
  ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\{@link ([^}]+)\}/g, '`$1`')

function typeOf(field: ts.Symbol, checker: ts.TypeChecker): string {
  const type = checker.getTypeOfSymbol(field)
  return checker.typeToString(field.flags & ts.SymbolFlags.Optional ? checker.getNonNullableType(type) : type)
}

function firstParagraph(comment: string): string {
  const [paragraph = ''] = comment.trim().split(/\n\s*\n|\n- /)
  return paragraph.replaceAll(/\s+/g, ' ').trim()
}

function firstSentence(comment: string): string {
  const line = firstParagraph(comment)
  return (/^.*?(?<!e\.g)[.](?= |$)/.exec(line)?.[0] ?? line).replace(/[.:]$/, '')
}
