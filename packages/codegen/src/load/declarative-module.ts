import type { ts as Compiler } from 'ts-morph'
import type { TypeScript } from '../compiler/load-compiler.js'

/** Packages whose functions make values and remember nothing that could change the next value. */
const trusted: ReadonlySet<string> = new Set(['@toolgen/dsl', 'zod', 'valibot', '@sinclair/typebox', 'typebox'])

/** Methods that change what they are called on, or what everybody shares. */
const changing: ReadonlySet<string> = new Set([
  ...['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'],
  ...['add', 'set', 'delete', 'clear', 'assign', 'defineProperty', 'defineProperties', 'setPrototypeOf', 'next'],
  ...['register', 'config', 'setGlobalConfig', 'Set', 'setErrorMap', 'then'],
])

/** Names of Node and the language whose answers differ from call to call, or that reach beyond the module. */
const worldly: ReadonlySet<string> = new Set([
  ...['globalThis', 'global', 'process', 'require', 'module', 'eval', 'Function', 'Reflect', 'Proxy', 'performance'],
  ...['fetch', 'crypto', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Symbol'],
])

/**
 * Whether all that evaluating a module does is to make what it exports, so that it need not be evaluated again when
 * another module changes. Doubt counts against it.
 */
export function isDeclarative(ts: TypeScript, source: Compiler.SourceFile): boolean {
  return source.statements.every((statement) => isDeclaration(ts, statement)) && isStill(ts, source)
}

function isDeclaration(ts: TypeScript, statement: Compiler.Statement): boolean {
  if (ts.isImportDeclaration(statement)) return isTrusted(ts, statement)
  if (ts.isExportDeclaration(statement)) {
    return statement.moduleSpecifier === undefined || isTrustedName(ts, statement.moduleSpecifier)
  }
  if (ts.isVariableStatement(statement)) return (statement.declarationList.flags & ts.NodeFlags.Const) !== 0
  return (
    ts.isExportAssignment(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  )
}

function isTrusted(ts: TypeScript, { importClause, moduleSpecifier }: Compiler.ImportDeclaration): boolean {
  if (importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  return importClause !== undefined && isTrustedName(ts, moduleSpecifier)
}

function isTrustedName(ts: TypeScript, specifier: Compiler.Expression): boolean {
  if (!ts.isStringLiteral(specifier)) return false
  const [scope = '', name = ''] = specifier.text.split('/')
  return scope.startsWith('.') || trusted.has(scope.startsWith('@') ? `${scope}/${name}` : scope)
}

/** Whether nothing in the module, its functions included, changes anything or asks the world. */
function isStill(ts: TypeScript, node: Compiler.Node): boolean {
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken
    if (kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment) return false
  }
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    if (node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken) return false
  }
  if (ts.isDeleteExpression(node) || ts.isAwaitExpression(node) || ts.isYieldExpression(node)) return false
  if (ts.isMetaProperty(node) || (ts.isNewExpression(node) && !isError(ts, node))) return false
  if (node.kind === ts.SyntaxKind.ImportKeyword && ts.isCallExpression(node.parent)) return false
  if (ts.isPropertyAccessExpression(node) && isCalled(ts, node) && changing.has(node.name.text)) return false
  if (ts.isElementAccessExpression(node) && isCalled(ts, node)) return false
  if (ts.isIdentifier(node) && isReference(ts, node) && (worldly.has(node.text) || isRandom(ts, node))) return false
  return ts.forEachChild(node, (child) => !isStill(ts, child)) !== true
}

/** Errors are made to be thrown. */
function isError(ts: TypeScript, { expression }: Compiler.NewExpression): boolean {
  return ts.isIdentifier(expression) && /Error$/.test(expression.text)
}

function isCalled(ts: TypeScript, node: Compiler.Expression): boolean {
  return ts.isCallExpression(node.parent) && node.parent.expression === node
}

/** A name that stands for a value, not the name of a property. */
function isReference(ts: TypeScript, { parent, ...node }: Compiler.Identifier): boolean {
  if (ts.isPropertyAccessExpression(parent)) return parent.expression.pos === node.pos
  return !(ts.isPropertyAssignment(parent) && parent.name.pos === node.pos)
}

/** `Date.now`, `Math.random`. */
function isRandom(ts: TypeScript, { text, parent }: Compiler.Identifier): boolean {
  if (text === 'Date') return true
  return text === 'Math' && ts.isPropertyAccessExpression(parent) && parent.name.text === 'random'
}
