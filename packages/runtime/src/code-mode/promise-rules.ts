import type ts from 'typescript'

type TypeScript = typeof ts

const unawaited = 'This promise is not awaited. Write `await` before the call.'
const unawaitedArray = 'The promises of this array are not awaited. Write `await Promise.all(...)`.'
const ignoredCallback =
  'The caller of this function ignores its promise. Use `for (const ... of ...)` with `await`, or `await Promise.all(items.map(...))`.'
const returnInTry = 'This `catch` does not catch errors of a promise that is not awaited. Write `return await`.'

/**
 * A program can await, return or store a promise, or pass the promise to a function that expects a promise. Any other use is a mistake: the program
 * reads the promise instead of its value, or ends before the call.
 */
export class PromiseRules {
  readonly #ts: TypeScript
  readonly #checker: ts.TypeChecker
  readonly #file: ts.SourceFile
  readonly #variables = new Map<ts.Symbol, ts.Identifier>()

  constructor(typescript: TypeScript, checker: ts.TypeChecker, file: ts.SourceFile) {
    this.#ts = typescript
    this.#checker = checker
    this.#file = file
  }

  /** Must be called for all nodes of the program before {@link unused}. */
  problem(node: ts.Node): string | undefined {
    const ts = this.#ts
    if (ts.isVariableDeclaration(node) || ts.isBindingElement(node)) this.#declare(node.name)
    if (ts.isExpressionStatement(node)) {
      return this.#isAssignment(node.expression) ? undefined : this.#unawaited(node.expression)
    }
    if (ts.isArrowFunction(node) || ts.isFunctionExpression(node)) return this.#callbackProblem(node)
    const isValue =
      ts.isCallExpression(node) ||
      ts.isNewExpression(node) ||
      ts.isPropertyAccessExpression(node) ||
      ts.isElementAccessExpression(node) ||
      (ts.isIdentifier(node) && ts.isExpression(node) && !ts.isPropertyAccessExpression(node.parent))
    return isValue ? this.#valueProblem(node) : undefined
  }

  unused(main: ts.Node): ReadonlyMap<ts.Identifier, string> {
    if (this.#variables.size === 0) return new Map()
    const visit = (node: ts.Node): void => {
      if (this.#ts.isIdentifier(node) && this.#isUse(node)) this.#variables.delete(this.#variableOf(node))
      this.#ts.forEachChild(node, visit)
    }
    visit(main)
    return new Map([...this.#variables.values()].map((name) => [name, this.#unawaited(name) ?? unawaited]))
  }

  #declare(name: ts.BindingName): void {
    if (!this.#ts.isIdentifier(name) || this.#unawaited(name) === undefined) return
    const symbol = this.#checker.getSymbolAtLocation(name)
    if (symbol !== undefined) this.#variables.set(symbol, name)
  }

  #variableOf(node: ts.Identifier): ts.Symbol {
    const { parent } = node
    const symbol = this.#ts.isShorthandPropertyAssignment(parent)
      ? this.#checker.getShorthandAssignmentValueSymbol(parent)
      : this.#checker.getSymbolAtLocation(node)
    return symbol as ts.Symbol // Callers only look up the symbol in a map, which has no key `undefined`.
  }

  #isUse(node: ts.Identifier): boolean {
    const ts = this.#ts
    const { parent } = node
    if ('name' in parent && parent.name === node) return ts.isShorthandPropertyAssignment(parent)
    if (ts.isPropertyAccessExpression(parent)) return parent.name.text !== 'length'
    return !(this.#isAssignment(parent) && parent.left === node)
  }

  #valueProblem(node: ts.Expression): string | undefined {
    const ts = this.#ts
    const type = this.#checker.getTypeAtLocation(node)
    const isPromise = this.#isPromise(type)
    if (!isPromise && !this.#isArray(type)) return undefined
    const value = this.#wholeValue(node)
    const { parent } = value
    if (ts.isAwaitExpression(parent)) return isPromise ? undefined : unawaitedArray
    if (ts.isVoidExpression(parent)) return this.#unawaited(value)
    if (isPromise && this.#isOperand(value)) return unawaited
    const isReturned = ts.isReturnStatement(parent) || ts.isArrowFunction(parent)
    if (isReturned) return isPromise && this.#isInTry(parent) ? returnInTry : undefined
    const expected = this.#checker.getContextualType(value)
    return expected !== undefined && this.#acceptsAnything(expected) ? this.#unawaited(value) : undefined
  }

  #wholeValue(node: ts.Expression): ts.Expression {
    const ts = this.#ts
    const { parent } = node
    const isSame =
      ts.isParenthesizedExpression(parent) ||
      ts.isSatisfiesExpression(parent) ||
      (ts.isConditionalExpression(parent) && parent.condition !== node) ||
      (ts.isBinaryExpression(parent) && parent.right === node && this.#returnsRight(parent.operatorToken.kind))
    return isSame ? this.#wholeValue(parent) : node
  }

  #returnsRight(operator: ts.SyntaxKind): boolean {
    const { SyntaxKind } = this.#ts
    return (
      operator === SyntaxKind.CommaToken ||
      operator === SyntaxKind.AmpersandAmpersandToken ||
      operator === SyntaxKind.BarBarToken ||
      operator === SyntaxKind.QuestionQuestionToken
    )
  }

  #isOperand(value: ts.Expression): boolean {
    const ts = this.#ts
    const { parent } = value
    if (ts.isBinaryExpression(parent)) return !this.#isAssignment(parent)
    return (
      ts.isTemplateSpan(parent) ||
      ts.isPrefixUnaryExpression(parent) ||
      ts.isTypeOfExpression(parent) ||
      ts.isSpreadAssignment(parent) ||
      ts.isIfStatement(parent) ||
      ts.isWhileStatement(parent) ||
      ts.isDoStatement(parent) ||
      ts.isConditionalExpression(parent)
    )
  }

  #isAssignment(node: ts.Node): node is ts.BinaryExpression {
    const { SyntaxKind } = this.#ts
    if (!this.#ts.isBinaryExpression(node)) return false
    const { kind } = node.operatorToken
    return (
      kind === SyntaxKind.EqualsToken ||
      kind === SyntaxKind.QuestionQuestionEqualsToken ||
      kind === SyntaxKind.BarBarEqualsToken ||
      kind === SyntaxKind.AmpersandAmpersandEqualsToken
    )
  }

  #isInTry(node: ts.Node): boolean {
    const ts = this.#ts
    for (let at = node; !ts.isFunctionLike(at); at = at.parent) {
      const { parent } = at
      if (ts.isTryStatement(parent) && parent.tryBlock === at && parent.catchClause !== undefined) return true
    }
    return false
  }

  #callbackProblem(node: ts.ArrowFunction | ts.FunctionExpression): string | undefined {
    const ts = this.#ts
    const own = this.#checker.getSignatureFromDeclaration(node)?.getReturnType()
    const expected = this.#checker.getContextualType(node)?.getNonNullableType().getCallSignatures()[0]?.getReturnType()
    if (own === undefined || expected === undefined || !this.#isPromise(own)) return undefined
    if ((expected.flags & ts.TypeFlags.Void) !== 0) return ignoredCallback
    const accepts = (type: ts.Type): boolean =>
      (type.flags & ts.TypeFlags.TypeParameter) !== 0 || type.getProperty('then') !== undefined
    if (partsOf(expected).some(accepts)) return undefined
    // Here, the callback can return any value. Functions of the standard library do not await this value; functions of the program can.
    return this.#isLibraryCall(node.parent) ? ignoredCallback : undefined
  }

  #isLibraryCall(node: ts.Node): boolean {
    if (!this.#ts.isCallExpression(node)) return false
    const declaration = this.#checker.getResolvedSignature(node)?.declaration
    return declaration !== undefined && declaration.getSourceFile() !== this.#file
  }

  #acceptsAnything(type: ts.Type): boolean {
    const { Any, Unknown, NonPrimitive } = this.#ts.TypeFlags
    return (type.flags & (Any | Unknown | NonPrimitive)) !== 0
  }

  #unawaited(node: ts.Node): string | undefined {
    const type = this.#checker.getTypeAtLocation(node)
    if (this.#isArray(type)) return unawaitedArray
    return partsOf(type).some((part) => part.getProperty('then') !== undefined) ? unawaited : undefined
  }

  #isPromise(type: ts.Type): boolean {
    return partsOf(type).every((part) => part.getProperty('then') !== undefined)
  }

  #isArray(type: ts.Type): boolean {
    return partsOf(type).some((part) => {
      if (!this.#checker.isArrayType(part) && !this.#checker.isTupleType(part)) return false
      const items = this.#checker.getTypeArguments(part as ts.TypeReference)
      return items.some((item) => partsOf(item).some((each) => each.getProperty('then') !== undefined))
    })
  }
}

const partsOf = (type: ts.Type): readonly ts.Type[] => (type.isUnion() ? type.types : [type])
