import type ts from 'typescript'
import { nearestNames } from '../schema/nearest.js'
import type { CheckedProgram, ProgramIssue } from './checker.js'
import { PromiseRules } from './promise-rules.js'

type TypeScript = typeof ts

/** Exports of the compiler that TypeScript 5.9 and 6 do not declare. */
interface UndeclaredExports {
  /**
   * Creates the symbols of a file. The declared functions create the symbols only together with a new type checker, and this type checker takes a
   * quarter of the time of a short check.
   */
  readonly bindSourceFile: (file: ts.SourceFile, options: ts.CompilerOptions) => void
  readonly TransformFlags: Readonly<Record<'ContainsTypeScript' | 'ContainsESNext' | 'ContainsClassFields', number>>
}

const apiFile = '/api.d.ts'
/** Both sandboxes, QuickJS and isolated-vm, support this library. */
const library = 'lib.es2024.d.ts'
const head = 'async function program(): Promise<Json | void> {\n'

/**
 * In contrast to `CaughtError`, the type of errors in `catch` blocks, `Rejection` is valid JSON, so that a program can return the rejected results of
 * `allSettled`.
 */
const globals = `
interface JSON { parse(text: string): unknown }
interface Error { hint?: string; reason?: undefined; data?: undefined }
declare namespace ToolFailures { interface byName {} }
type DeclaredFailure = { [Name in keyof ToolFailures.byName]: { reason: Name; data: ToolFailures.byName[Name] } }[keyof ToolFailures.byName]
type CaughtError = Error | { name: string; message: string; stack?: string; hint?: string } & DeclaredFailure
type Rejection = { name: string; message: string; hint?: string } & (DeclaredFailure | { reason?: undefined; data?: undefined })
interface ErrorConstructor { [Symbol.hasInstance]<Class extends { prototype: unknown }>(this: Class, value: unknown): value is Class['prototype'] }
interface PromiseConstructor { allSettled<T extends readonly unknown[] | []>(values: T): Promise<{ -readonly [P in keyof T]: { status: 'fulfilled'; value: Awaited<T[P]> } | { status: 'rejected'; reason: Rejection } }> }
declare const program: () => Promise<Json | void>
declare const console: { log(...values: unknown[]): void; info(...values: unknown[]): void; warn(...values: unknown[]): void; error(...values: unknown[]): void; debug(...values: unknown[]): void }
`

/**
 * The checker replaces `Error` in this line of the standard library by `CaughtError`, so that `error instanceof Error` narrows `error` to
 * `CaughtError`. In an `else` branch, `Symbol.hasInstance` in `globals` excludes all types of the union `CaughtError`.
 */
const errorPrototype = 'readonly prototype: Error;'

const allowedGlobals = new Set(
  'Array BigInt Boolean Date Error Infinity JSON Map Math NaN Number Object Promise RangeError ReferenceError RegExp Set String Symbol SyntaxError TypeError URIError WeakMap WeakSet console decodeURIComponent encodeURIComponent isFinite isNaN parseFloat parseInt undefined'.split(
    ' ',
  ),
)

const hostGlobals = new Set(
  'AbortController Blob Buffer Headers Request Response TextDecoder TextEncoder URL URLSearchParams WebSocket XMLHttpRequest __dirname __filename alert atob btoa clearInterval clearTimeout crypto document exports fetch global localStorage module navigator performance process prompt queueMicrotask require self sessionStorage setImmediate setInterval setTimeout structuredClone window'.split(
    ' ',
  ),
)

/** An operator and white space for TypeScript, but a comment and invalid characters for JavaScript engines. */
const readDifferently = /<!--|[\u0085\u180E\u200B]/

const maxDepth = 5

const maxListed = 12

/** Above this number of characters of checked programs, a new type checker replaces the old one, which keeps all checked programs in memory. */
const maxCharacters = 200_000

/** Memory that a type checker needs for each program, even for an empty program. Measured in characters of program text. */
const programCost = 1_000

export class ProgramCheck {
  readonly #ts: TypeScript & UndeclaredExports
  readonly #options: ts.CompilerOptions
  readonly #files = new Map<string, ts.SourceFile>()
  #api: ts.Program | undefined
  #characters = 0
  #lastProgram = 0

  constructor(typescript: TypeScript, declarations: string) {
    this.#ts = typescript as TypeScript & UndeclaredExports
    this.#options = {
      strict: true,
      noUncheckedIndexedAccess: true,
      noImplicitReturns: false,
      allowUnreachableCode: true,
      allowUnusedLabels: true,
      target: typescript.ScriptTarget.ES2022,
      module: typescript.ModuleKind.ESNext,
      moduleDetection: typescript.ModuleDetectionKind.Legacy,
      lib: [library],
      types: [],
      alwaysStrict: true,
    }
    this.#files.set(apiFile, this.#parse(apiFile, `${declarations}\n${globals}`))
  }

  check(code: string): CheckedProgram {
    if (this.#characters > maxCharacters) this.#api = undefined
    const isFirst = this.#api === undefined
    const checked = this.#checkNext(code)
    if (checked.ok || isFirst || !checked.issues.some(({ message }) => message.includes(' | '))) return checked
    // The order of the types in a union depends on earlier programs. With a new type checker, a program always has the same messages.
    this.#api = undefined
    return this.#checkNext(code)
  }

  #checkNext(code: string): CheckedProgram {
    const text = `${head}${code}\n}`
    if (this.#api === undefined) {
      this.#api = this.#ts.createProgram({ rootNames: [apiFile], options: this.#options, host: this.#host() })
      this.#characters = 0
    }
    const api = this.#api
    this.#characters += text.length + programCost
    const file = this.#boundFile(text)
    const issues = new ProgramRules(this.#ts, api, file).issues()
    if (issues.length > 0) return { ok: false, issues }
    if (this.#isJavaScript(file))
      return { ok: true, javascript: `'use strict'\nasync function program() {\n${code}\n}` }
    let javascript = ''
    api.emit(file, (_, emitted) => {
      javascript = emitted
    })
    return { ok: true, javascript }
  }

  /** The compiler needs a fifth of the time of a short check to write a program, and most programs contain no types. */
  #isJavaScript({ statements: [main], text }: ts.SourceFile): boolean {
    if (main === undefined || !this.#ts.isFunctionDeclaration(main) || readDifferently.test(text)) return false
    const { ContainsTypeScript, ContainsESNext, ContainsClassFields } = this.#ts.TransformFlags
    const { transformFlags } = main.body as ts.Block & { readonly transformFlags: number }
    return (transformFlags & (ContainsTypeScript | ContainsESNext | ContainsClassFields)) === 0
  }

  #boundFile(text: string): ts.SourceFile {
    // The name of the file is new, because the compiler stores problems by name and path.
    this.#lastProgram += 1
    const name = `/program-${this.#lastProgram}.ts`
    const file = Object.assign(this.#parse(name, text), { path: name })
    // The compiled declarations do not contain the program, so the type checker must find the symbols in the file.
    this.#ts.bindSourceFile(file, this.#options)
    return file
  }

  #parse(name: string, text: string): ts.SourceFile {
    return this.#ts.createSourceFile(name, text, this.#ts.ScriptTarget.ES2022, true)
  }

  #libraryText(folder: string, name: string, read: Set<string>): string {
    if (read.has(name)) return ''
    read.add(name)
    const text = this.#ts.sys.readFile(folder + name)
    if (text === undefined) throw new Error(`The package of TypeScript has no file ${name}. Install it again.`)
    const referenced = [...text.matchAll(/^\/\/\/ <reference lib="([^"]+)" \/>$/gm)]
    const texts = referenced.map(([, lib]) => this.#libraryText(folder, `lib.${lib}.d.ts`, read))
    const own = text
      .replaceAll(/^\/\/\/ <reference .*$/gm, '')
      .replace(errorPrototype, 'readonly prototype: CaughtError;')
    // One file makes checks faster: the compiler merges declarations of several files again in each check.
    return [...texts, own].join('\n')
  }

  #host(): ts.CompilerHost {
    const folder = this.#ts.getDefaultLibFilePath(this.#options).replace(/[^/\\]+$/, '')
    if (!this.#files.has(folder + library)) {
      this.#files.set(folder + library, this.#parse(folder + library, this.#libraryText(folder, library, new Set())))
    }
    return {
      getSourceFile: (name) => this.#files.get(name),
      getDefaultLibFileName: () => folder + library,
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

/** TypeScript error code of "Expected 0 arguments, but got 1". */
const wrongCount = 2554

/** TypeScript error codes of "Property '...' does not exist on type '...'", without and with a suggestion. */
const unknownProperty = new Set([2339, 2551])

/** TypeScript error codes of "Object is possibly 'null' or 'undefined'" and "'...' is possibly 'null' or 'undefined'". */
const possiblyNull = new Set([2531, 2532, 2533, 18047, 18048, 18049])

/** TypeScript error code of "'...' is of type 'unknown'". */
const unknownValue = 18046

class ProgramRules {
  readonly #ts: TypeScript
  readonly #program: ts.Program
  readonly #checker: ts.TypeChecker
  readonly #file: ts.SourceFile
  readonly #issues = new Map<number, ProgramIssue>()
  readonly #promises: PromiseRules

  constructor(typescript: TypeScript, program: ts.Program, file: ts.SourceFile) {
    this.#ts = typescript
    this.#program = program
    this.#checker = program.getTypeChecker()
    this.#file = file
    this.#promises = new PromiseRules(typescript, this.#checker, file)
  }

  issues(): readonly ProgramIssue[] {
    const syntax = this.#program.getSyntacticDiagnostics(this.#file)
    for (const diagnostic of syntax) this.#compilerIssue(diagnostic)
    if (syntax.length === 0 && this.#file.statements.length !== 1) this.#add(this.#file, 'The braces are not balanced.')
    if (this.#issues.size > 0) return this.#sorted()
    // Runs before our rules, because the compiler caches types of expressions only if it checks the program in its own order.
    const [main] = this.#file.statements
    const semantic = this.#program.getSemanticDiagnostics(this.#file)
    this.#rules(main)
    if (this.#issues.size === 0) for (const diagnostic of semantic) this.#compilerIssue(diagnostic)
    if (this.#issues.size === 0 && main !== undefined) this.#lastRules(main)
    return this.#sorted()
  }

  #sorted(): readonly ProgramIssue[] {
    return [...this.#issues].sort(([a], [b]) => a - b).map(([, issue]) => issue)
  }

  /** Must be called only for programs without other problems, because a problem such as an unknown name also causes values of type `any`. */
  #lastRules(node: ts.Node): void {
    this.#ts.forEachChild(node, (child) => this.#lastRules(child))
    if (this.#isAnyValue(node)) this.#add(node, anyValue)
    const problem = this.#ts.isCallExpression(node) ? this.#argumentProblem(node) : undefined
    if (problem !== undefined) this.#add(node, problem)
  }

  #rules(main: ts.Node | undefined): void {
    for (const { index } of this.#file.text.matchAll(/@ts-/g)) {
      const node = this.#nodeAt(index)
      // Literals can contain the text `@ts-`. Any other node with this text is a comment.
      const isText = node !== undefined && (this.#ts.isLiteralExpression(node) || this.#ts.isTemplateLiteralToken(node))
      if (!isText) this.#addAt(index, 'Comments with `@ts-` are not allowed. Correct the types.')
    }
    if (main === undefined) return
    this.#ts.forEachChild(main, (node) => this.#visit(node))
    for (const [name, problem] of this.#promises.unused(main)) this.#add(name, problem)
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
    const ofPromise = this.#promises.problem(node)
    if (ofPromise !== undefined) return ofPromise
    if (ts.isExpressionStatement(node) && this.#isOnlyRead(node.expression)) return unusedValue
    if (ts.isIdentifier(node) && this.#isForbiddenGlobal(node)) return unavailable(node.text)
    return undefined
  }

  /** The compiler detects a property that the tool rejects only in an object literal, and not in a variable. */
  #argumentProblem(node: ts.CallExpression): string | undefined {
    const [argument] = node.arguments
    const called = this.#checker.getSymbolAtLocation(node.expression)
    if (argument === undefined || called === undefined || !this.#isFunction(called)) return undefined
    const [parameter] = this.#checker.getResolvedSignature(node)?.parameters ?? []
    if (parameter === undefined) return undefined
    const accepted = this.#checker.getTypeOfSymbolAtLocation(parameter, node)
    const name = this.#unknownProperty(this.#checker.getTypeAtLocation(argument), accepted, maxDepth)
    return name === undefined
      ? undefined
      : `The argument has the property '${name}', which the function does not accept. Pass only declared properties.`
  }

  #unknownProperty(value: ts.Type, accepted: ts.Type, depth: number): string | undefined {
    const checker = this.#checker
    const type = accepted.getNonNullableType()
    if (depth === 0 || type.isUnion() || (type.flags & this.#ts.TypeFlags.Object) === 0) return undefined
    const [item, acceptedItem] = [value, type].map((each) =>
      checker.getIndexTypeOfType(each, this.#ts.IndexKind.Number),
    )
    if (item !== undefined && acceptedItem !== undefined) return this.#unknownProperty(item, acceptedItem, depth - 1)
    if (checker.getIndexInfosOfType(type).length > 0) return undefined
    for (const property of checker.getPropertiesOfType(value)) {
      const known = type.getProperty(property.name)
      const isOptional = (property.flags & this.#ts.SymbolFlags.Optional) !== 0
      if (known === undefined && !isOptional) return property.name
      if (known === undefined) continue
      const [own, declared] = [property, known].map((each) => checker.getTypeOfSymbol(each))
      const name = own && declared && this.#unknownProperty(own, declared, depth - 1)
      if (name !== undefined) return name
    }
    return undefined
  }

  #isOnlyRead(node: ts.Expression): boolean {
    const ts = this.#ts
    if (ts.isParenthesizedExpression(node)) return this.#isOnlyRead(node.expression)
    if (ts.isPropertyAccessExpression(node)) return this.#isOnlyRead(node.expression)
    return ts.isIdentifier(node) || ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)
  }

  #isForbiddenGlobal(node: ts.Identifier): boolean {
    if (allowedGlobals.has(node.text) || this.#isName(node) || this.#ts.isTypeNode(node.parent)) return false
    if (node.text === 'globalThis' || node.text === 'arguments') return true
    // A namespace of tools can have the same name as a type of the library.
    const file = this.#checker.getSymbolAtLocation(node)?.valueDeclaration?.getSourceFile()
    return file !== undefined && file !== this.#file && file.fileName !== apiFile
  }

  #isName(node: ts.Identifier): boolean {
    const { parent } = node
    if (this.#ts.isShorthandPropertyAssignment(parent)) return false
    if (this.#ts.isBindingElement(parent) && parent.propertyName === node) return true
    return 'name' in parent && parent.name === node
  }

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
    // Excludes the internal `any` of unresolved names, because the compiler already reports these names.
    return (
      (type.flags & ts.TypeFlags.Any) !== 0 && (type as { readonly intrinsicName?: string }).intrinsicName === 'any'
    )
  }

  #compilerIssue(diagnostic: ts.Diagnostic): void {
    const { start = 0, code, messageText } = diagnostic
    const node = this.#nodeAt(start)
    if (code === wrongCount && node !== undefined && this.#isNoArgument(node)) return
    const untyped = node && this.#untypedValue(node, code)
    if (untyped !== undefined) {
      this.#add(untyped, untypedMessage)
      return
    }
    const message = this.#ts.flattenDiagnosticMessageText(messageText, ' ').replaceAll(/\s+/g, ' ')
    const text =
      code === unknownValue && node !== undefined && this.#ts.isIdentifier(node)
        ? `${message} For an error, write \`${node.text} instanceof Error ? ${node.text}.message : String(${node.text})\`.`
        : // Removes the advice to install types of Node, and `void`, which is the result of a program without a value.
          message.replace(/ Do you need to .*/, '').replace("'void | Json'", "'Json'")
    const [advised, signature] = this.#advice(node, text)
    const field = this.#fieldAt(node)
    const said = field === undefined || advised.includes(`'${field}'`) ? advised : `\`${field}\`: ${advised}`
    this.#addAt(start, said, node, signature)
  }

  #untypedValue(node: ts.Node, code: number): ts.Node | undefined {
    const ts = this.#ts
    const { parent } = node
    const isProperty = unknownProperty.has(code) && ts.isPropertyAccessExpression(parent) && parent.name === node
    const value = isProperty ? parent.expression : possiblyNull.has(code) ? this.#expressionAt(node) : undefined
    if (value === undefined) return undefined
    const type = this.#checker.getTypeAtLocation(value)
    const parts = type.isUnion() ? type.types : []
    const isUntyped = parts.some((part) => this.#checker.typeToString(part) === '{ [key: string]: Json; }')
    return isUntyped ? value : undefined
  }

  #expressionAt(node: ts.Node): ts.Node | undefined {
    const ts = this.#ts
    for (let at = node; at.getStart(this.#file) === node.getStart(this.#file); at = at.parent) {
      const { parent } = at
      if (ts.isSourceFile(parent)) return undefined
      if ((ts.isPropertyAccessExpression(parent) || ts.isElementAccessExpression(parent)) && parent.expression === at)
        return at
    }
    return undefined
  }

  /**
   * Tools without arguments also accept an empty object, so the checker ignores the error "Expected 0 arguments, but got 1" for the argument `{}`.
   */
  #isNoArgument(node: ts.Node): boolean {
    const ts = this.#ts
    const { parent } = node
    if (!ts.isObjectLiteralExpression(node) || node.properties.length > 0 || !ts.isCallExpression(parent)) return false
    const called = this.#checker.getSymbolAtLocation(parent.expression)
    return parent.arguments.length === 1 && called !== undefined && this.#isFunction(called)
  }

  #advice(node: ts.Node | undefined, message: string): readonly [message: string, signature?: string | undefined] {
    const ts = this.#ts
    if (node === undefined || !ts.isIdentifier(node)) return [message]
    const { parent, text } = node
    const suggested = /Did you mean '([^']+)'\?$/.exec(message)?.[1]
    if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
      const namespace = this.#checker.getSymbolAtLocation(parent.expression)
      if (namespace === undefined || !this.#isNamespace(namespace)) return [message]
      const functions = this.#functionsOf(namespace)
      const names = functions.map(({ name }) => name)
      const meant = suggested ?? nearestNames(text, names, 1)[0]
      if (meant === undefined) return [`${message} Declared functions: ${listOf(names)}.`]
      const signature = this.#signature(functions.find(({ name }) => name === meant))
      return [suggested === undefined ? `${message} Did you mean '${meant}'?` : message, signature]
    }
    if (!message.startsWith(`Cannot find name '${text}'`)) return [message]
    if (suggested !== undefined) return [message]
    if (hostGlobals.has(text)) return [unavailable(text)]
    const namespaces = this.#namespaces()
    if (ts.isCallExpression(parent) && parent.expression === node) {
      const paths = new Map<string, ts.Symbol>(
        namespaces.flatMap((namespace) =>
          this.#functionsOf(namespace).map((each) => [`${namespace.name}.${each.name}`, each] as const),
        ),
      )
      const [meant] = nearestNames(text, [...paths.keys()], 1)
      return meant === undefined
        ? [message]
        : [`${message} Did you mean '${meant}'?`, this.#signature(paths.get(meant))]
    }
    const isNamespace = ts.isPropertyAccessExpression(parent) && parent.expression === node
    return [isNamespace ? `${message} Declared namespaces: ${listOf(namespaces.map(({ name }) => name))}.` : message]
  }

  #isNamespace(symbol: ts.Symbol): boolean {
    return (symbol.flags & this.#ts.SymbolFlags.ValueModule) !== 0 && this.#isDeclared(symbol)
  }

  #namespaces(): readonly ts.Symbol[] {
    const all = this.#checker.getSymbolsInScope(this.#file, this.#ts.SymbolFlags.ValueModule)
    return all.filter((symbol) => this.#isDeclared(symbol))
  }

  #functionsOf(namespace: ts.Symbol): readonly ts.Symbol[] {
    const { Function: isFunction } = this.#ts.SymbolFlags
    return this.#checker.getExportsOfModule(namespace).filter(({ flags }) => (flags & isFunction) !== 0)
  }

  /** Excludes the methods of `console`, which the declaration file of the tools also contains. */
  #isFunction(symbol: ts.Symbol): boolean {
    return (symbol.flags & this.#ts.SymbolFlags.Function) !== 0 && this.#isDeclared(symbol)
  }

  #isDeclared({ declarations }: ts.Symbol): boolean {
    return declarations?.[0]?.getSourceFile().fileName === apiFile
  }

  /** Error messages need the name of the field, because some messages of the compiler do not contain the name. */
  #fieldAt(node: ts.Node | undefined): string | undefined {
    const property = node?.parent
    if (property === undefined || !this.#ts.isObjectLiteralElementLike(property)) return undefined
    const { name } = property
    return name && (this.#ts.isIdentifier(name) || this.#ts.isStringLiteral(name)) ? name.text : undefined
  }

  #add(node: ts.Node, message: string): void {
    this.#addAt(node.getStart(this.#file), message, node)
  }

  #addAt(
    position: number,
    message: string,
    node = this.#nodeAt(position),
    signature = node && this.#signatureOf(node),
  ): void {
    if (this.#issues.has(position)) return
    const line = Math.max(1, this.#file.getLineAndCharacterOfPosition(position).line)
    this.#issues.set(position, { line, message, ...(signature !== undefined && { signature }) })
  }

  #signatureOf(node: ts.Node): string | undefined {
    for (let at: ts.Node | undefined = node; at !== undefined; at = at.parent) {
      if (!this.#ts.isCallExpression(at)) continue
      const called = this.#checker.getSymbolAtLocation(at.expression)
      if (called !== undefined && this.#isFunction(called)) return this.#signature(called)
    }
    return undefined
  }

  #signature(called: ts.Symbol | undefined): string | undefined {
    const declaration = called?.declarations?.[0]
    if (declaration === undefined) return undefined
    const printer = this.#ts.createPrinter({ removeComments: true })
    const text = printer.printNode(this.#ts.EmitHint.Unspecified, declaration, declaration.getSourceFile())
    return text.replaceAll(/\s+/g, ' ').replaceAll('; }', ' }').replace(/;$/, '')
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

const unavailable = (name: string): string => `\`${name}\` is not available in programs.`

function listOf(names: readonly string[]): string {
  const more = names.length > maxListed ? ` and ${names.length - maxListed} more` : ''
  return names.slice(0, maxListed).join(', ') + more
}

const castMessage = 'Type assertions are not allowed. Check the value, for example with `typeof`.'
const unusedValue = 'This value is not used. Write `return` before it, or remove it.'
const untypedMessage =
  "This value has no declared type (`Json`). Check it before you read its properties: `if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('unexpected result')`."
const anyValue =
  'This value has the type `any`. Give it a type: annotate a variable with `unknown`, and check the value.'
