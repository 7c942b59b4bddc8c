import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type * as TsMorph from 'ts-morph'
import type { ts as Compiler } from 'ts-morph'
import { isFile } from '../files.js'
import { importedBy } from './module-cache.js'

const require = createRequire(import.meta.url)

/**
 * Returns ts-morph with its compiler; the first call loads it. Uses `require`, because `import` also scans the text of a
 * CommonJS package for export names. The scan takes half as long as loading the package.
 */
export function loadCompiler(): typeof TsMorph {
  return require('ts-morph')
}

/** The TypeScript compiler that ts-morph contains. */
export type TypeScript = typeof TsMorph.ts

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Turns a module into the body of an async function: removes types and rewrites imports and exports, but keeps all other text.
 * Several times faster than the compiler.
 *
 * @param importer name of the function that imports a module at run time
 * @returns `undefined` for a module with rare syntax, which needs the compiler
 */
export function rewriteModule(ts: TypeScript, source: Compiler.SourceFile, importer: string): string | undefined {
  if (source.text.startsWith('#!')) return undefined
  const rewriter = new ModuleRewriter(ts, source)
  // Imports are hoisted: they apply to the whole module.
  for (const statement of source.statements) if (ts.isImportDeclaration(statement)) rewriter.import(statement)
  for (const statement of source.statements) rewriter.statement(statement)
  return rewriter.text(importer)
}

class ModuleRewriter {
  readonly #ts: TypeScript
  readonly #source: Compiler.SourceFile
  readonly #edits: Edit[] = []
  readonly #imports: ModuleImports[] = []
  readonly #used = new Set<string>()
  readonly #hoisted: string[] = []
  #unusual = false

  constructor(ts: TypeScript, source: Compiler.SourceFile) {
    this.#ts = ts
    this.#source = source
  }

  text(importer: string): string | undefined {
    if (this.#unusual) return undefined
    for (const imports of this.#imports) {
      this.#replace(imports.statement, importStatement(imports, this.#used, importer))
    }
    let text = "Object.defineProperty(exports, '__esModule', { value: true });"
    text += this.#hoisted.map((name) => `exports.${name} = ${name};`).join('')
    let at = 0
    for (const edit of this.#edits.sort((a, b) => a.start - b.start)) {
      text += this.#source.text.slice(at, edit.start) + edit.text
      at = edit.end
    }
    return text + this.#source.text.slice(at)
  }

  import(node: Compiler.ImportDeclaration): void {
    const imports = readImport(this.#ts, node, this.#imports.length)
    if (imports === undefined) this.#unusual = true
    else this.#imports.push(imports)
  }

  statement(node: Compiler.Statement): void {
    const ts = this.#ts
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) this.#replace(node, '')
    else if (ts.isExportAssignment(node)) this.#exportDefault(node)
    else if (!ts.isImportDeclaration(node)) {
      if (ts.isVariableStatement(node) || ts.isFunctionDeclaration(node)) this.#export(node)
      this.#visit(node)
    }
  }

  #exportDefault(node: Compiler.ExportAssignment): void {
    if (node.isExportEquals) this.#unusual = true
    this.#edits.push({ start: node.getStart(), end: node.expression.getStart(), text: 'exports.default = ' })
    this.#visit(node.expression)
  }

  /** Exports a declaration: constants after their statement, functions at the start of the module. */
  #export(node: Compiler.VariableStatement | Compiler.FunctionDeclaration): void {
    const ts = this.#ts
    const [modifier, ...others] = node.modifiers ?? []
    if (modifier?.kind !== ts.SyntaxKind.ExportKeyword) return
    if (others.some(({ kind }) => kind !== ts.SyntaxKind.AsyncKeyword)) this.#unusual = true
    this.#edits.push({ start: modifier.getStart(), end: modifier.end, text: '' })
    if (ts.isFunctionDeclaration(node)) {
      this.#hoisted.push(node.name?.text ?? '')
      return
    }
    const { declarations, flags } = node.declarationList
    const names = declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []))
    if ((flags & ts.NodeFlags.Const) === 0 || names.length < declarations.length) this.#unusual = true
    const text = names.map((name) => `;exports.${name} = ${name};`).join('')
    this.#edits.push({ start: node.end, end: node.end, text })
  }

  #visit(node: Compiler.Node): void {
    const ts = this.#ts
    // Most nodes of a design are data without anything to rewrite.
    if (ts.isStringLiteral(node)) return
    if (ts.isPropertyAssignment(node) && (ts.isIdentifier(node.name) || ts.isStringLiteral(node.name))) {
      this.#visit(node.initializer)
      return
    }
    if (this.#unusual || isUnusual(ts, node)) {
      this.#unusual = true
      return
    }
    if (ts.isIdentifier(node)) this.#identifier(node)
    if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isNonNullExpression(node)) this.#cutEnd(node)
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) this.#cutArguments(node.typeArguments)
    if (ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isFunctionLike(node)) this.#cutType(node.type)
    ts.forEachChild(node, (child) => {
      if (!ts.isTypeNode(child) || ts.isExpressionWithTypeArguments(child)) this.#visit(child)
    })
  }

  #cutEnd(node: Compiler.AsExpression | Compiler.SatisfiesExpression | Compiler.NonNullExpression): void {
    // Without the type, a following line that begins with one of these characters would continue the expression.
    const [gap, next = ''] = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*(.?)/.exec(this.#source.text.slice(node.end)) ?? ['']
    if (gap.includes('\n') && /[([`/+-]/.test(next)) this.#unusual = true
    this.#edits.push({ start: node.expression.end, end: node.end, text: '' })
  }

  #identifier(node: Compiler.Identifier): void {
    const ts = this.#ts
    const imports = this.#imports.find(({ names }) => names.has(node.text))
    const { parent } = node
    if (imports === undefined || isNameOfMember(ts, node)) return
    // A declaration with the same name hides the import in a part of the module.
    if ('name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent)) this.#unusual = true
    this.#used.add(node.text)
    this.#replace(node, referenceText(ts, node, imports))
  }

  #cutType(type: Compiler.TypeNode | undefined): void {
    if (type === undefined) return
    if (this.#source.text[type.pos - 1] !== ':') this.#unusual = true
    this.#edits.push({ start: type.pos - 1, end: type.end, text: '' })
  }

  #cutArguments(types: Compiler.NodeArray<Compiler.TypeNode> | undefined): void {
    if (types === undefined) return
    const end = this.#source.text.indexOf('>', types.end)
    const isPlain = this.#source.text[types.pos - 1] === '<' && this.#source.text.slice(types.end, end).trim() === ''
    if (!isPlain) this.#unusual = true
    this.#edits.push({ start: types.pos - 1, end: end + 1, text: '' })
  }

  #replace(node: Compiler.Node, text: string): void {
    this.#edits.push({ start: node.getStart(), end: node.end, text })
  }
}

/** Checks for syntax that {@link rewriteModule} does not support: types that cannot be removed by cutting text, and rare exports. */
function isUnusual(ts: TypeScript, node: Compiler.Node): boolean {
  if (ts.isClassLike(node) || ts.isEnumDeclaration(node) || ts.isModuleDeclaration(node)) return true
  if (ts.isExportDeclaration(node) || ts.isImportEqualsDeclaration(node) || ts.isTypeAssertionExpression(node))
    return true
  if (ts.isJsxElement(node) || ts.isJsxSelfClosingElement(node) || ts.isJsxFragment(node)) return true
  if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isLabeledStatement(node)) return true
  if (ts.isExpressionWithTypeArguments(node)) return true
  if (ts.isTaggedTemplateExpression(node)) return node.typeArguments !== undefined
  if (ts.isVariableStatement(node))
    return node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.DeclareKeyword) === true
  if (ts.isVariableDeclaration(node)) return node.exclamationToken !== undefined
  if (ts.isParameter(node))
    return node.questionToken !== undefined || (ts.isIdentifier(node.name) && node.name.text === 'this')
  if (!ts.isFunctionLike(node)) return false
  return node.typeParameters !== undefined || !('body' in node) || node.body === undefined
}

/** Checks whether an identifier is the name of a member, not a reference to a variable. */
export function isNameOfMember(ts: TypeScript, node: Compiler.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) return parent.name === node
  if (ts.isMethodDeclaration(parent) || ts.isAccessor(parent)) return parent.name === node
  return (ts.isBindingElement(parent) && parent.propertyName === node) || ts.isMetaProperty(parent)
}

interface ModuleImports {
  readonly statement: Compiler.ImportDeclaration
  readonly specifier: string
  /** Variable that holds the imported module. */
  readonly variable: string
  /** Exported name by local name; `undefined` for a namespace import. */
  readonly names: ReadonlyMap<string, string | undefined>
}

/** Reads an import declaration; returns `undefined` for a declaration with import attributes. */
function readImport(ts: TypeScript, statement: Compiler.ImportDeclaration, index: number): ModuleImports | undefined {
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

/** Returns the statement that imports a module at run time; `''` if no imported name is in `used`, because all are then types. */
function importStatement(imports: ModuleImports, used: ReadonlySet<string>, importer: string): string {
  const { statement, specifier, variable, names } = imports
  const isNeeded = statement.importClause === undefined || [...names.keys()].some((name) => used.has(name))
  return isNeeded ? `const ${variable} = await ${importer}(${JSON.stringify(specifier)});` : ''
}

/** Returns the expression for an imported name. Each evaluation reads the module again, because modules can import each other. */
function referenceText(ts: TypeScript, node: Compiler.Identifier, imports: ModuleImports): string {
  const exported = imports.names.get(node.text)
  const { parent } = node
  const text = exported === undefined ? imports.variable : `${imports.variable}[${JSON.stringify(exported)}]`
  if (ts.isShorthandPropertyAssignment(parent)) return `${node.text}: ${text}`
  const isCalled =
    (ts.isCallExpression(parent) && parent.expression === node) ||
    (ts.isTaggedTemplateExpression(parent) && parent.tag === node)
  // `(0, f)()` calls without `this`, like a call of an imported name.
  return isCalled && exported !== undefined ? `${startsStatement(ts, node) ? ';' : ''}(0, ${text})` : text
}

/** Checks whether an expression starts a statement, where an added parenthesis would continue the previous statement. */
function startsStatement(ts: TypeScript, node: Compiler.Node): boolean {
  const start = node.getStart()
  let statement = node
  while (!ts.isStatement(statement) && statement.parent.getStart() === start) statement = statement.parent
  if (!ts.isExpressionStatement(statement)) return false
  const { parent } = statement
  return ts.isSourceFile(parent) || ts.isBlock(parent) || ts.isCaseOrDefaultClause(parent)
}

/** Syntax that only the complete, slower compilation supports. */
const special: RegExp = /\bimport\s*\.\s*meta\b|\bimport\s*\(|\brequire\s*\(/

/** String literals of a module, in which the words of {@link special} have no meaning. */
const quoted: RegExp = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g

/** Name of the import function in the compiled text; designs are unlikely to use it. */
const importer = '__toolgenImport'

/**
 * Returns the code in front of a compiled module that defines the import function. This code already contains the paths of
 * relative imports, because the evaluator would try all other resolutions first. The default export of a CommonJS module is
 * the module itself.
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

/** Returns the files of relative imports by specifier: the file itself, or the TypeScript module instead of `.js`. */
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
      const path = [named, named.replace(/\.([cm]?)js$/, '.$1ts')].find(isFile)
      return path === undefined ? [] : [[specifier, path]]
    }),
  )
}

/**
 * Compiles a module to the body of the function that evaluates it; `jitiImport` imports other modules. Several times faster
 * than the compiler of the evaluator, but line numbers change. After an error, the module is therefore evaluated again with
 * the evaluator's compiler.
 *
 * @param source syntax tree of the module
 * @returns `undefined` if the module needs the other compiler: syntax errors, `import.meta`, dynamic imports
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
      // A default import then reads `.default` of the imported value.
      esModuleInterop: false,
    },
    transformers: { after: [awaitImports(ts)] },
  })
  // Diagnostics without a file concern compiler options.
  return diagnostics?.some((diagnostic) => diagnostic.file !== undefined) ? undefined : prelude(ts, source) + outputText
}

/** Turns each `require("x")` of the compiled text into an awaited import. The source contains no `require`. */
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

/** Returns the syntax tree of a module, with parent references. */
export function parseModule(ts: TypeScript, file: string, text: string): Compiler.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
}
