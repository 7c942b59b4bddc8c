import type { ts as Compiler } from 'ts-morph'
import type { TypeScript } from '../compiler/load-compiler.js'
import { importStatement, type ModuleImports, readImport, referenceText } from './module-imports.js'

/** A piece of a text and what takes its place. */
interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/**
 * Turns a module into the body of an async function by cutting its types out and rewriting its imports and exports,
 * without printing the rest anew: several times faster than the compiler.
 *
 * @param importer the function that imports a module at run time
 * @returns `undefined` where the module has anything that designs rarely have: the compiler then does it
 */
export function rewriteModule(ts: TypeScript, source: Compiler.SourceFile, importer: string): string | undefined {
  if (source.text.startsWith('#!')) return undefined
  const rewriter = new ModuleRewriter(ts, source)
  // Imports count in the whole module, wherever they stand.
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

  /** Exports what a statement declares: constants once they are made, functions before anything else. */
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
    // What designs have most of: data, in which there is nothing to rewrite.
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
    // Without its type, an expression could go on in the next line.
    const [gap, next = ''] = /^(?:\s|\/\/.*|\/\*[\s\S]*?\*\/)*(.?)/.exec(this.#source.text.slice(node.end)) ?? ['']
    if (gap.includes('\n') && /[([`/+-]/.test(next)) this.#unusual = true
    this.#edits.push({ start: node.expression.end, end: node.end, text: '' })
  }

  #identifier(node: Compiler.Identifier): void {
    const ts = this.#ts
    const imports = this.#imports.find(({ names }) => names.has(node.text))
    const { parent } = node
    if (imports === undefined || isNameOfMember(ts, node)) return
    // A declaration of the same name hides what is imported somewhere in the module.
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

/** Syntax whose types cannot simply be cut out, or that exports in another way. */
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

/** Whether a name is that of a field rather than of a variable. */
function isNameOfMember(ts: TypeScript, node: Compiler.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) || ts.isPropertyAssignment(parent)) return parent.name === node
  if (ts.isMethodDeclaration(parent) || ts.isAccessor(parent)) return parent.name === node
  return (ts.isBindingElement(parent) && parent.propertyName === node) || ts.isMetaProperty(parent)
}
