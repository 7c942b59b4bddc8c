import type { ts as Compiler } from 'ts-morph'
import type { TypeScript } from '../compiler/load-compiler.js'

/** What one import declaration brings into its module. */
export interface ModuleImports {
  readonly statement: Compiler.ImportDeclaration
  readonly specifier: string
  /** The variable that holds the imported module. */
  readonly variable: string
  /** By local name the name that the module exports; `undefined` for all of it. */
  readonly names: ReadonlyMap<string, string | undefined>
}

/**
 * Reads an import declaration.
 *
 * @returns `undefined` for one with attributes
 */
export function readImport(
  ts: TypeScript,
  statement: Compiler.ImportDeclaration,
  index: number,
): ModuleImports | undefined {
  const { moduleSpecifier, importClause, attributes } = statement
  if (attributes !== undefined || !ts.isStringLiteral(moduleSpecifier)) return undefined
  const names = new Map<string, string | undefined>()
  const isType = importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword
  if (importClause !== undefined && !isType) {
    const { name, namedBindings } = importClause
    if (name !== undefined) names.set(name.text, 'default')
    if (namedBindings !== undefined && ts.isNamespaceImport(namedBindings)) {
      names.set(namedBindings.name.text, undefined)
    } else {
      for (const element of namedBindings?.elements ?? []) {
        if (!element.isTypeOnly) names.set(element.name.text, (element.propertyName ?? element.name).text)
      }
    }
  }
  return { statement, specifier: moduleSpecifier.text, variable: `__toolgenModule${index}`, names }
}

/**
 * The statement that imports a module at run time; empty where only types were imported.
 *
 * @param used the imported names to which the module refers
 */
export function importStatement(imports: ModuleImports, used: ReadonlySet<string>, importer: string): string {
  const { statement, specifier, variable, names } = imports
  const isNeeded = statement.importClause === undefined || [...names.keys()].some((name) => used.has(name))
  return isNeeded ? `const ${variable} = await ${importer}(${JSON.stringify(specifier)});` : ''
}

/** A reference to something imported: it reads the module each time, since modules may import each other. */
export function referenceText(ts: TypeScript, node: Compiler.Identifier, imports: ModuleImports): string {
  const exported = imports.names.get(node.text)
  const { parent } = node
  const text = exported === undefined ? imports.variable : `${imports.variable}[${JSON.stringify(exported)}]`
  if (ts.isShorthandPropertyAssignment(parent)) return `${node.text}: ${text}`
  const isCalled =
    (ts.isCallExpression(parent) && parent.expression === node) ||
    (ts.isTaggedTemplateExpression(parent) && parent.tag === node)
  // Called as a function, not as a method of its module.
  return isCalled && exported !== undefined ? `${startsStatement(ts, node) ? ';' : ''}(0, ${text})` : text
}

/** Whether an expression begins a statement of a list, where a parenthesis would go on with the statement before. */
function startsStatement(ts: TypeScript, node: Compiler.Node): boolean {
  const start = node.getStart()
  let statement = node
  while (!ts.isStatement(statement) && statement.parent.getStart() === start) statement = statement.parent
  if (!ts.isExpressionStatement(statement)) return false
  const { parent } = statement
  return ts.isSourceFile(parent) || ts.isBlock(parent) || ts.isCaseOrDefaultClause(parent)
}
