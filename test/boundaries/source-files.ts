import { readdirSync, readFileSync } from 'node:fs'
import { join, posix, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** Root folder of the repository. */
export const root: string = fileURLToPath(new URL('../..', import.meta.url))

/** One source file of a package and its imports. */
export interface SourceFile {
  /** Path below the package's `src`, with `/` as separator. */
  readonly path: string
  readonly text: string
  readonly imports: readonly ImportedModule[]
}

/** One import, re-export, `import()` call or `import()` type of a file. */
export interface ImportedModule {
  readonly specifier: string
  readonly typeOnly: boolean
}

/** Returns the source files of a package, without tests and fixtures. */
export function sourcesOf(packageName: string): readonly SourceFile[] {
  const src = join(root, 'packages', packageName, 'src')
  return readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !/\.(test|test-d|fixture)\.ts$/.test(path))
    .map((path) => {
      const text = readFileSync(join(src, path), 'utf8')
      return { path: path.split(sep).join('/'), text, imports: importsOf(text) }
    })
}

/** Returns the path below `src` of the file that a relative import names; `undefined` for a package. */
export function localTarget(file: SourceFile, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  return posix.join(posix.dirname(file.path), specifier).replace(/\.js$/, '.ts')
}

/** Returns the subsystem of a file: the first folder below `src`, or the file itself if it is directly in `src`. */
export function subsystemOf(path: string): string {
  return path.split('/', 1)[0] ?? path
}

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
