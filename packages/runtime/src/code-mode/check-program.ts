import type ts from 'typescript'
import type { CheckedProgram, ProgramIssue } from './checker.js'

type TypeScript = typeof ts

const apiFile = '/api.d.ts'
const programFile = '/program.ts'
const head = 'async function program(): Promise<Json | void> {\n'

/** Declarations that replace those of the standard library, and the globals of the sandbox. */
const globals = `
interface JSON { parse(text: string): unknown }
interface PromiseConstructor { allSettled<T extends readonly unknown[] | []>(values: T): Promise<{ -readonly [P in keyof T]: { status: 'fulfilled'; value: Awaited<T[P]> } | { status: 'rejected'; reason: any } }> }
declare const console: { log(...values: unknown[]): void; info(...values: unknown[]): void; warn(...values: unknown[]): void; error(...values: unknown[]): void }
`

/** Globals of JavaScript that the sandbox has. */
const allowedGlobals = new Set(
  'Array BigInt Boolean Date Error Infinity JSON Map Math NaN Number Object Promise RangeError ReferenceError RegExp Set String Symbol SyntaxError TypeError URIError WeakMap WeakSet console decodeURIComponent encodeURIComponent isFinite isNaN parseFloat parseInt undefined'.split(
    ' ',
  ),
)

/**
 * Checks programs against the declarations of an API. Keeps the compiler's program between checks, so that only the first check reads the
 * standard library and the declarations.
 */
export class ProgramCheck {
  readonly #ts: TypeScript
  readonly #options: ts.CompilerOptions
  readonly #files = new Map<string, ts.SourceFile>()
  #program: ts.Program | undefined

  /** @param declarations text of `apiDeclarations` */
  constructor(typescript: TypeScript, declarations: string) {
    this.#ts = typescript
    this.#options = {
      strict: true,
      noUnusedLocals: true,
      noUncheckedIndexedAccess: true,
      noImplicitReturns: false,
      allowUnreachableCode: true,
      allowUnusedLabels: true,
      target: typescript.ScriptTarget.ES2022,
      module: typescript.ModuleKind.ESNext,
      moduleDetection: typescript.ModuleDetectionKind.Legacy,
      lib: ['lib.es2022.d.ts'],
      types: [],
      alwaysStrict: true,
    }
    this.#files.set(apiFile, this.#parse(apiFile, `${declarations}\n${globals}`))
  }

  check(code: string): CheckedProgram {
    const text = `${head}${code}\n}`
    const file = this.#parse(programFile, text)
    this.#files.set(programFile, file)
    const program = this.#ts.createProgram({
      rootNames: [apiFile, programFile],
      options: this.#options,
      host: this.#host(),
      ...(this.#program && { oldProgram: this.#program }),
    })
    this.#program = program
    const issues = new ProgramRules(this.#ts, program, file).issues()
    if (issues.length > 0) return { ok: false, issues }
    let javascript = ''
    program.emit(file, (_, emitted) => {
      javascript = emitted
    })
    return { ok: true, javascript }
  }

  #parse(name: string, text: string): ts.SourceFile {
    return this.#ts.createSourceFile(name, text, this.#ts.ScriptTarget.ES2022, true)
  }

  #host(): ts.CompilerHost {
    const { sys } = this.#ts
    const folder = this.#ts.getDefaultLibFilePath(this.#options).replace(/[^/\\]+$/, '')
    const fileOf = (name: string): ts.SourceFile | undefined => {
      const known = this.#files.get(name)
      if (known !== undefined) return known
      const text = sys.readFile(name)
      if (text === undefined) return undefined
      const file = this.#parse(name, text)
      this.#files.set(name, file)
      return file
    }
    return {
      getSourceFile: fileOf,
      getDefaultLibFileName: () => `${folder}lib.es2022.d.ts`,
      getDefaultLibLocation: () => folder,
      writeFile: () => undefined,
      getCurrentDirectory: () => '/',
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
      fileExists: (name) => this.#files.has(name),
      readFile: (name) => this.#files.get(name)?.text,
    }
  }
}

const unusedCodes = new Set([6133, 6196, 6198, 6199])

/** Finds the problems of one program: those of the compiler, and those that our rules add. */
class ProgramRules {
  readonly #ts: TypeScript
  readonly #program: ts.Program
  readonly #checker: ts.TypeChecker
  readonly #file: ts.SourceFile
  readonly #issues = new Map<number, ProgramIssue>()

  constructor(typescript: TypeScript, program: ts.Program, file: ts.SourceFile) {
    this.#ts = typescript
    this.#program = program
    this.#checker = program.getTypeChecker()
    this.#file = file
  }

  /** Returns the problems in the order of the lines, one per position. */
  issues(): readonly ProgramIssue[] {
    const syntax = this.#program.getSyntacticDiagnostics(this.#file)
    for (const diagnostic of syntax) this.#compilerIssue(diagnostic)
    if (syntax.length === 0 && this.#file.statements.length !== 1) this.#add(this.#file, 'The braces are not balanced.')
    if (this.#issues.size > 0) return this.#sorted()
    // Before the rules: the compiler remembers the types of expressions only if it checks the program in its own order.
    const semantic = this.#program.getSemanticDiagnostics(this.#file)
    this.#rules()
    if (this.#issues.size === 0) for (const diagnostic of semantic) this.#compilerIssue(diagnostic)
    return this.#sorted()
  }

  #sorted(): readonly ProgramIssue[] {
    return [...this.#issues].sort(([a], [b]) => a - b).map(([, issue]) => issue)
  }

  #rules(): void {
    const [main] = this.#file.statements
    for (const { index } of this.#file.text.matchAll(/@ts-/g)) {
      const node = this.#nodeAt(index)
      // No node of one token contains a comment.
      const isText = node !== undefined && (this.#ts.isLiteralExpression(node) || this.#ts.isTemplateLiteralToken(node))
      if (!isText) this.#addAt(index, 'Comments with `@ts-` are not allowed. Correct the types.')
    }
    if (main !== undefined) this.#ts.forEachChild(main, (node) => this.#visit(node))
  }

  #visit(node: ts.Node): void {
    // Children first: at the same position, the problem of the smallest node is the most precise.
    this.#ts.forEachChild(node, (child) => this.#visit(child))
    const problem = this.#problem(node)
    if (problem !== undefined) this.#add(node, problem)
  }

  #problem(node: ts.Node): string | undefined {
    const { SyntaxKind } = this.#ts
    switch (node.kind) {
      case SyntaxKind.ImportDeclaration:
      case SyntaxKind.ImportEqualsDeclaration:
      case SyntaxKind.ImportKeyword:
      case SyntaxKind.MetaProperty:
        return 'Imports are not available. Use the declared functions.'
      case SyntaxKind.AnyKeyword:
        return 'The type `any` is not allowed. Use `unknown`, and check the value.'
      case SyntaxKind.NonNullExpression:
        return '`!` is not allowed. Compare the value with `undefined` or `null`.'
      case SyntaxKind.TypeAssertionExpression:
        return castMessage
      case SyntaxKind.TypePredicate:
        return 'Type predicates are not allowed. Check the value where you use it.'
      case SyntaxKind.DeclareKeyword:
        return '`declare` is not allowed. Use the declared functions.'
      case SyntaxKind.WithStatement:
        return '`with` is not allowed.'
      default:
        return this.#expressionProblem(node)
    }
  }

  #expressionProblem(node: ts.Node): string | undefined {
    const ts = this.#ts
    if (ts.isAsExpression(node)) return ts.isConstTypeReference(node.type) ? undefined : castMessage
    if (ts.isFunctionLike(node) && 'body' in node && node.body === undefined && !ts.isTypeNode(node)) {
      return 'Overloads are not allowed. Declare the function once.'
    }
    if ((ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) && node.exclamationToken !== undefined) {
      return '`!` is not allowed. Initialize the variable.'
    }
    if (ts.isExpressionStatement(node) && this.#isPromise(node.expression)) return unawaited
    if (ts.isVoidExpression(node) && this.#isPromise(node.expression)) return unawaited
    if (ts.isIdentifier(node) && this.#isForbiddenGlobal(node)) return `\`${node.text}\` is not available.`
    return this.#isAnyValue(node)
      ? 'This value has the type `any`. Give it a type: annotate a variable with `unknown`, and check the value.'
      : undefined
  }

  /** Returns whether an identifier refers to a global of the standard library that programs must not use. */
  #isForbiddenGlobal(node: ts.Identifier): boolean {
    if (allowedGlobals.has(node.text) || this.#isName(node) || this.#ts.isTypeNode(node.parent)) return false
    if (node.text === 'globalThis' || node.text === 'arguments') return true
    // A type of the library can have the same name as a namespace of the API.
    const file = this.#checker.getSymbolAtLocation(node)?.valueDeclaration?.getSourceFile()
    return file !== undefined && file !== this.#file && file.fileName !== apiFile
  }

  /** Returns whether an identifier is the name of a property or declaration, and not a value. */
  #isName(node: ts.Identifier): boolean {
    const { parent } = node
    if (this.#ts.isShorthandPropertyAssignment(parent)) return false
    if (this.#ts.isBindingElement(parent) && parent.propertyName === node) return true
    return 'name' in parent && parent.name === node
  }

  /** Returns whether a node computes a value of the type `any`. Names of declarations and properties do not count. */
  #isAnyValue(node: ts.Node): boolean {
    const ts = this.#ts
    const isValue =
      ts.isCallExpression(node) ||
      ts.isElementAccessExpression(node) ||
      ts.isPropertyAccessExpression(node) ||
      (ts.isIdentifier(node) &&
        ts.isExpression(node) &&
        !this.#isName(node) &&
        !ts.isPropertyAccessExpression(node.parent))
    if (!isValue) return false
    const type = this.#checker.getTypeAtLocation(node)
    // The compiler reports names that it cannot resolve; their type is an `any` of its own.
    return (
      (type.flags & ts.TypeFlags.Any) !== 0 && (type as { readonly intrinsicName?: string }).intrinsicName === 'any'
    )
  }

  #isPromise(node: ts.Node): boolean {
    return this.#isThenable(this.#checker.getTypeAtLocation(node))
  }

  /** Returns whether a value of the type is a promise, or an array of promises. */
  #isThenable(type: ts.Type): boolean {
    const parts = type.isUnion() ? type.types : [type]
    return parts.some((part) => {
      if (part.getProperty('then') !== undefined) return true
      if (!this.#checker.isArrayType(part) && !this.#checker.isTupleType(part)) return false
      const items = this.#checker.getTypeArguments(part as ts.TypeReference)
      return items.some((item) => item.getProperty('then') !== undefined)
    })
  }

  #compilerIssue(diagnostic: ts.Diagnostic): void {
    const { start = 0, code, messageText } = diagnostic
    const node = this.#nodeAt(start)
    if (unusedCodes.has(code)) {
      if (node !== undefined && this.#isPromise(node)) this.#add(node, unawaited)
      return
    }
    const message = this.#ts.flattenDiagnosticMessageText(messageText, ' ').replaceAll(/\s+/g, ' ')
    // The compiler recommends to install types of Node.
    const text = message.replace(/ Do you need to .*/, '')
    const field = this.#fieldAt(node)
    this.#addAt(start, field === undefined || text.includes(`'${field}'`) ? text : `\`${field}\`: ${text}`, node)
  }

  /** Returns the name of the field of an object literal if a node is this name or its value: some messages do not contain the name. */
  #fieldAt(node: ts.Node | undefined): string | undefined {
    const property = node?.parent
    if (property === undefined || !this.#ts.isObjectLiteralElementLike(property)) return undefined
    const { name } = property
    return name && (this.#ts.isIdentifier(name) || this.#ts.isStringLiteral(name)) ? name.text : undefined
  }

  #add(node: ts.Node, message: string): void {
    this.#addAt(node.getStart(this.#file), message, node)
  }

  #addAt(position: number, message: string, node = this.#nodeAt(position)): void {
    if (this.#issues.has(position)) return
    const line = Math.max(1, this.#file.getLineAndCharacterOfPosition(position).line)
    const signature = node && this.#signatureOf(node)
    this.#issues.set(position, { line, message, ...(signature !== undefined && { signature }) })
  }

  /** Returns the declaration of the API function whose call contains a node. */
  #signatureOf(node: ts.Node): string | undefined {
    for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
      if (!this.#ts.isCallExpression(at)) continue
      const declaration = this.#checker.getSymbolAtLocation(at.expression)?.declarations?.[0]
      if (declaration?.getSourceFile().fileName !== apiFile) continue
      const printer = this.#ts.createPrinter({ removeComments: true })
      const text = printer.printNode(this.#ts.EmitHint.Unspecified, declaration, declaration.getSourceFile())
      return text.replaceAll(/\s+/g, ' ').replaceAll('; }', ' }').replace(/;$/, '')
    }
    return undefined
  }

  #nodeAt(position: number): ts.Node | undefined {
    let found: ts.Node | undefined
    const visit = (node: ts.Node): void => {
      if (node.getStart(this.#file) > position || node.end <= position) return
      found = node
      this.#ts.forEachChild(node, visit)
    }
    visit(this.#file)
    return found
  }
}

const castMessage = 'Type assertions are not allowed. Check the value, for example with `typeof`.'
const unawaited = 'This promise is not awaited. Write `await` before the call.'
