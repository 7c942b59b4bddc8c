import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ts } from 'ts-morph'

/** The repository's root. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url))

/** One source file of a package, with what it imports. */
export interface SourceFile {
  /** Below the package's `src`, with `/`. */
  readonly path: string
  readonly text: string
  readonly imports: readonly ImportedModule[]
}

export interface ImportedModule {
  readonly specifier: string
  readonly typeOnly: boolean
}

/** The sources of a package without its tests. */
export function sourcesOf(packageName: string): readonly SourceFile[] {
  const src = join(root, 'packages', packageName, 'src')
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.(test|test-d|fixture)\.ts$/.test(path))
    .map((path) => {
      const text = readFileSync(join(src, path), 'utf8')
      return { path: path.split(sep).join('/'), text, imports: importsOf(text) }
    })
}

/** The module that a relative import names, below `src` and without its extension; absent for packages. */
export function localTarget(file: SourceFile, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  return posix.join(posix.dirname(file.path), specifier).replace(/\.js$/, '')
}

/** The folder of a module below `src`; the files of `src` itself have the folder `.`. */
export const folderOf = (path: string): string => dirname(path)

function importsOf(text: string): readonly ImportedModule[] {
  const file = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true)
  const found: ImportedModule[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier))
      found.push({ specifier: node.moduleSpecifier.text, typeOnly: isTypeOnly(node.importClause) })
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier))
      found.push({ specifier: node.moduleSpecifier.text, typeOnly: node.isTypeOnly })
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [argument] = node.arguments
      if (argument && ts.isStringLiteral(argument)) found.push({ specifier: argument.text, typeOnly: false })
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      const { literal } = node.argument
      if (ts.isStringLiteral(literal)) found.push({ specifier: literal.text, typeOnly: true })
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return found
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  const bindings = clause.namedBindings
  return (
    clause.name === undefined &&
    bindings !== undefined &&
    ts.isNamedImports(bindings) &&
    bindings.elements.every((element) => element.isTypeOnly)
  )
}
