import { relative, sep } from 'node:path'
import type { ts } from 'ts-morph'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import { byCodePoint } from '../text.js'

/** The compiler and one program of it. ts-morph is loaded lazily, so the compiler's values travel in here. */
export interface TypeReader {
  readonly ts: typeof ts
  readonly program: ts.Program
  readonly checker: ts.TypeChecker
  /** A number for a type: the same for the same type of this program. */
  readonly numberOf: (type: ts.Type) => number
}

/** A type as text for a message: short, on one line. Never for generated code. */
export function describeType(type: ts.Type, { checker, ts }: TypeReader): string {
  const isParameter = (type.flags & ts.TypeFlags.TypeParameter) !== 0
  const shown = (isParameter ? checker.getBaseConstraintOfType(type) : undefined) ?? type
  // Where a module is, only this machine knows.
  const text = checker
    .typeToString(shown)
    .replace(/\s+/g, ' ')
    .replace(/import\("(?:[^"]*\/)?([^"]*)"\)/g, 'import("$1")')
  const ordered = alternativesIn(text).sort(byEmptiness).join(' | ')
  return ordered.length > 60 ? `${ordered.slice(0, 57)}...` : ordered
}

/** The compiler orders a union by what it has met before; a text that is generated must not depend on that. */
function byEmptiness(a: string, b: string): number {
  const rank = (text: string): number => (text === 'null' ? 1 : text === 'undefined' ? 2 : 0)
  return rank(a) - rank(b) || byCodePoint(a, b)
}

/** Splits the text of a type at the bars that stand in no bracket or quotes. */
function alternativesIn(text: string): string[] {
  const parts = ['']
  let depth = 0
  let quote = ''
  for (const [at, letter] of [...text].entries()) {
    if (quote !== '') quote = letter === quote ? '' : quote
    else if (/["'`]/.test(letter)) quote = letter
    else if (/[<({[]/.test(letter)) depth += 1
    // The head of an arrow closes nothing.
    else if (/[)}\]]/.test(letter) || (letter === '>' && text[at - 1] !== '=')) depth -= 1
    const isBar = depth === 0 && quote === '' && letter === '|'
    if (isBar) parts.push('')
    else parts.push(`${parts.pop()}${letter}`)
  }
  // In a function type the bars belong to what it answers.
  return text.includes('=>') && parts.length > 1 ? [text] : parts.map((part) => part.trim())
}

/** True for the `any` that stands for a type the compiler could not resolve. */
export function isUnresolved(type: ts.Type, { ts }: TypeReader): boolean {
  if ((type.flags & ts.TypeFlags.Any) === 0) return false
  const name = 'intrinsicName' in type ? type.intrinsicName : undefined
  return name === 'error' || name === 'unresolved'
}

/** A type of the language or of Node.js itself that the binding knows, by name. */
export type BuiltinName = 'Date' | 'Set' | 'Map' | 'URL' | 'Uint8Array' | 'Buffer' | 'Promise' | 'other'

const known: ReadonlyMap<string, BuiltinName> = new Map<string, BuiltinName>([
  ['Date', 'Date'],
  ['Set', 'Set'],
  ['ReadonlySet', 'Set'],
  ['Map', 'Map'],
  ['ReadonlyMap', 'Map'],
  ['URL', 'URL'],
  ['Uint8Array', 'Uint8Array'],
  ['Buffer', 'Buffer'],
  ['Promise', 'Promise'],
  ['PromiseLike', 'Promise'],
])

/** Containers that look like plain objects but carry their content in methods. */
const opaque: ReadonlySet<string> = new Set(
  ['RegExp', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'WeakMap', 'WeakSet', 'Blob', 'File', 'FormData'].concat(
    ['Headers', 'Request', 'Response', 'ReadableStream', 'Iterable', 'Iterator', 'AsyncIterable', 'AsyncIterator'],
    ['Generator', 'AsyncGenerator', 'Function', 'Symbol', 'AbortSignal', 'URLSearchParams', 'Intl'],
    ['Int8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array'],
    ['Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'],
  ),
)

/** Which built-in type this is; undefined for the types of users and packages. A user's class called `Date` is none. */
export function builtinName(type: ts.Type, reader: TypeReader): BuiltinName | undefined {
  const symbol = type.getSymbol()
  if (symbol === undefined) return undefined
  const name = known.get(symbol.name) ?? (opaque.has(symbol.name) ? 'other' : undefined)
  if (name === undefined) return undefined
  const isBuiltin = symbol.declarations?.some((declaration) => {
    const file = declaration.getSourceFile()
    return reader.program.isSourceFileDefaultLibrary(file) || /[\\/]@types[\\/]node[\\/]/.test(file.fileName)
  })
  return isBuiltin === true ? name : undefined
}

/** The property's type without the `undefined` that its question mark adds. */
export interface PropertyView {
  readonly name: string
  readonly symbol: ts.Symbol
  readonly optional: boolean
  readonly type: () => ts.Type
}

/** The properties of an object type, those with computed symbol names too. */
export function propertiesOf(type: ts.Type, reader: TypeReader): readonly PropertyView[] {
  return reader.checker.getPropertiesOfType(type).map((symbol) => ({
    name: symbol.name,
    symbol,
    optional: (symbol.flags & reader.ts.SymbolFlags.Optional) !== 0,
    type: () => reader.checker.getTypeOfSymbol(symbol),
  }))
}

/** True for a member whose name is a symbol, e.g. `[Symbol.iterator]`. */
export function isSymbolNamed(property: PropertyView): boolean {
  return property.symbol.escapedName.toString().startsWith('__@')
}

/** True for `#x`, `private x` and `protected x`. */
export function isHidden({ symbol }: Pick<PropertyView, 'symbol'>, { ts }: TypeReader): boolean {
  if (symbol.escapedName.toString().startsWith('__#')) return true
  const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected
  return symbol.declarations?.some((declaration) => (ts.getCombinedModifierFlags(declaration) & hidden) !== 0) ?? false
}

/** The type arguments of a reference, e.g. the items of an array; none for any other type. */
export function typeArgumentsOf(type: ts.Type, { checker, ts }: TypeReader): readonly ts.Type[] {
  return isReference(type, ts) ? checker.getTypeArguments(type) : []
}

/** The tuple that a tuple type refers to: its flags and labels. */
export function tupleOf(type: ts.Type, { checker, ts }: TypeReader): ts.TupleType | undefined {
  return checker.isTupleType(type) && isReference(type, ts) && isTuple(type.target) ? type.target : undefined
}

function isReference(type: ts.Type, { TypeFlags, ObjectFlags }: typeof ts): type is ts.TypeReference {
  return (
    (type.flags & TypeFlags.Object) !== 0 &&
    'objectFlags' in type &&
    typeof type.objectFlags === 'number' &&
    (type.objectFlags & ObjectFlags.Reference) !== 0
  )
}

function isTuple(type: ts.GenericType): type is ts.TupleType {
  return 'elementFlags' in type
}

/** Where a position stands, relative to the project's root; a package's file begins at its `node_modules`. */
export function locationAt(file: ts.SourceFile, start: number, root: string): SourceLocation {
  const { line, character } = file.getLineAndCharacterOfPosition(start)
  return { file: shownPath(file.fileName, root), line: line + 1, column: character + 1 }
}

/** Where a declaration begins, at its name where it has one. */
export function locationOf(declaration: ts.Declaration, root: string, { ts }: TypeReader): SourceLocation {
  const file = declaration.getSourceFile()
  return locationAt(file, (ts.getNameOfDeclaration(declaration) ?? declaration).getStart(file), root)
}

/** A path for people: never absolute. */
function shownPath(path: string, root: string): string {
  const inRoot = relative(root, path).split(sep).join('/')
  if (!inRoot.startsWith('../') && !/^(?:[A-Za-z]:)?\//.test(inRoot)) return inRoot
  const packages = path.replace(/\\/g, '/').split('/node_modules/')
  const last = packages.at(-1) ?? ''
  return packages.length > 1 ? `node_modules/${last}` : inRoot
}
