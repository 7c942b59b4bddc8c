import { dirname, join } from 'node:path'
import type { ts as Compiler } from 'ts-morph'
import type { TypeScript } from '../compiler/load-compiler.js'
import { foundAt } from './found-at.js'
import { importedBy } from './kept-modules.js'
import { rewriteModule } from './rewrite-module.js'

/** What only the slower, complete way of compiling a module supports. */
const special: RegExp = /\bimport\s*\.\s*meta\b|\bimport\s*\(|\brequire\s*\(/

/** Texts of a module, in which the words above mean nothing. */
const quoted: RegExp = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g

/** The name of what imports in the compiled text; hardly one of the design's. */
const importer = '__toolgenImport'

/**
 * What stands before a compiled module: how it imports. Where a specifier leads is looked up here as far as that is simple,
 * since the evaluator tries everything else first. A module of the older kind, which has no `default`, is its own default.
 */
function prelude(ts: TypeScript, source: Compiler.SourceFile): string {
  return `module.${importedBy} = [];
const ${importer} = async (id) => {
  const path = (${JSON.stringify(simplePaths(ts, source))})[id] ?? id
  module.${importedBy}.push(path)
  const loaded = await jitiImport(path)
  const found = Object(loaded)
  return found.__esModule || 'default' in found ? loaded : Object.assign(Object.create(found), { default: loaded })
};
`
}

/** The files to which relative imports lead, by specifier: the file that is named, else the TypeScript module in its place. */
function simplePaths(ts: TypeScript, { statements, fileName }: Compiler.SourceFile): Readonly<Record<string, string>> {
  const specifiers = statements.flatMap((statement) =>
    (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement)) &&
    statement.moduleSpecifier !== undefined &&
    ts.isStringLiteral(statement.moduleSpecifier)
      ? [statement.moduleSpecifier.text]
      : [],
  )
  return Object.fromEntries(
    [...new Set(specifiers)].flatMap((specifier) => {
      if (!/^\.\.?\//.test(specifier)) return []
      const named = join(dirname(fileName), specifier)
      const path = [named, named.replace(/\.([cm]?)js$/, '.$1ts')].find((one) => foundAt(one)?.isFile() === true)
      return path === undefined ? [] : [[specifier, path]]
    }),
  )
}

/**
 * Compiles a module to the body of the function in which it is evaluated: imports are awaited by `jitiImport`. Several
 * times faster than the evaluator's own way, but lines move, so errors are looked for in the other way.
 *
 * @param source the module's syntax tree
 * @returns `undefined` where the module needs the other way: syntax errors, `import.meta`, dynamic imports
 */
export function compileModule(ts: TypeScript, source: Compiler.SourceFile): string | undefined {
  if (special.test(source.text) && special.test(source.text.replace(quoted, "''"))) return undefined
  const rewritten = rewriteModule(ts, source, importer)
  if (rewritten !== undefined) return prelude(ts, source) + rewritten
  const { outputText, diagnostics } = ts.transpileModule(source.text, {
    fileName: source.fileName,
    reportDiagnostics: true,
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2022,
      removeComments: true,
      isolatedModules: true,
      // A default import reads `.default` of what the import gave.
      esModuleInterop: false,
    },
    transformers: { after: [awaitImports(ts)] },
  })
  // Other diagnostics, without a file, speak of the options.
  return diagnostics?.some((diagnostic) => diagnostic.file !== undefined) ? undefined : prelude(ts, source) + outputText
}

/** Turns each `require("x")` of the compiled text, of which none was in the source, into an awaited import. */
function awaitImports(ts: TypeScript): Compiler.TransformerFactory<Compiler.SourceFile> {
  return (context) => (file) => {
    const { factory } = context
    const visit = (node: Compiler.Node): Compiler.Node => {
      if (ts.isFunctionLike(node)) return node
      if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression) || node.expression.text !== 'require') {
        return ts.visitEachChild(node, visit, context)
      }
      const load = factory.createCallExpression(factory.createIdentifier(importer), undefined, node.arguments)
      return factory.createParenthesizedExpression(factory.createAwaitExpression(load))
    }
    return ts.visitNode(file, visit, ts.isSourceFile)
  }
}
