import { relative, sep } from 'node:path'
import type { ts } from 'ts-morph'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import { byCodePoint } from '../text.js'
import type { ValueKind } from './plan.js'

/** A literal of a union: `'open'`, `3`, `true`, or the member of an enum. */
export interface LiteralPart {
  readonly value: string | number | boolean
  readonly isEnumMember: boolean
}

/** A type taken apart: the alternatives of a union sorted by kind. */
export interface TypeParts {
  /** `any`; `unresolved` when the compiler could not find the type. */
  readonly any: 'written' | 'unresolved' | undefined
  readonly unknown: boolean
  /** `any` or `unknown`. */
  readonly open: boolean
  readonly string: boolean
  readonly number: boolean
  readonly boolean: boolean
  readonly bigint: boolean
  readonly null: boolean
  /** `undefined` and `void`. */
  readonly undefined: boolean
  readonly literals: readonly LiteralPart[]
  /** Template literal types and the like: strings of a certain form. */
  readonly templates: readonly ts.Type[]
  /** The primitives with an object type attached, e.g. `string & { __brand: 'OrderId' }`. */
  readonly brands: readonly ('string' | 'number' | 'boolean' | 'bigint')[]
  readonly objects: readonly ts.Type[]
  /** Conditional types that depend on a type parameter: only a call decides them. */
  readonly deferred: readonly ts.Type[]
  /** Symbols and types that stay open until they are used. */
  readonly others: readonly ts.Type[]
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] }

/** A type of the language or of Node.js itself that the binding knows, by name. */
export type BuiltinName = 'Date' | 'Set' | 'Map' | 'URL' | 'Uint8Array' | 'Buffer' | 'Promise' | 'other'

const builtins: ReadonlyMap<string, BuiltinName> = new Map<string, BuiltinName>([
  ...(['Date', 'Set', 'Map', 'URL', 'Uint8Array', 'Buffer', 'Promise'] as const).map((name) => [name, name] as const),
  ['ReadonlySet', 'Set'],
  ['ReadonlyMap', 'Map'],
  ['PromiseLike', 'Promise'],
  // Containers that look like plain objects but carry their content in methods.
  ...[
    ...['RegExp', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'WeakMap', 'WeakSet', 'Blob', 'File', 'FormData'],
    ...['Headers', 'Request', 'Response', 'ReadableStream', 'Iterable', 'Iterator', 'AsyncIterable', 'AsyncIterator'],
    ...['Generator', 'AsyncGenerator', 'Function', 'Symbol', 'AbortSignal', 'URLSearchParams', 'Intl'],
    ...['Int8Array', 'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array'],
    ...['Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'],
  ].map((name) => [name, 'other'] as const),
])

/** A property of an object type. */
export interface Property {
  readonly name: string
  readonly symbol: ts.Symbol
  readonly optional: boolean
  /** The type without the `undefined` that a question mark adds. */
  readonly type: () => ts.Type
}

/** Maximum number of types that {@link TypeReader.notJson} reads; a larger type counts as JSON and the codec decides. */
const maxJsonTypes = 2_000

/**
 * Questions to one program of the compiler. ts-morph is loaded lazily, so its values are passed in.
 *
 * @example
 * const reader = new TypeReader(ts, program)
 * reader.parts(type).objects.filter((object) => !reader.isCallable(object))
 */
export class TypeReader {
  readonly ts: typeof ts
  readonly program: ts.Program
  readonly checker: ts.TypeChecker
  readonly #numbers: Map<ts.Type, number>
  readonly #parts = new Map<ts.Type, TypeParts>()

  /** @param earlier a reader of the same run, whose numbers of types stay valid */
  constructor(compiler: typeof ts, program: ts.Program, earlier?: TypeReader) {
    this.ts = compiler
    this.program = program
    this.checker = program.getTypeChecker()
    this.#numbers = earlier === undefined ? new Map() : earlier.#numbers
  }

  /** Returns a number for a type: the same for the same type. */
  numberOf(type: ts.Type): number {
    const number = this.#numbers.get(type) ?? this.#numbers.size
    this.#numbers.set(type, number)
    return number
  }

  /** Takes a type apart. A type parameter, and a conditional type on one, count as their constraints. */
  parts(type: ts.Type): TypeParts {
    const known = this.#parts.get(type)
    if (known !== undefined) return known
    const parts: Mutable<TypeParts> = {
      any: undefined,
      unknown: false,
      open: false,
      string: false,
      number: false,
      boolean: false,
      bigint: false,
      null: false,
      undefined: false,
      literals: [],
      templates: [],
      brands: [],
      objects: [],
      deferred: [],
      others: [],
    }
    this.#collect(type, parts, 0)
    if ([true, false].every((value) => parts.literals.some((literal) => literal.value === value))) {
      parts.boolean = true
      parts.literals = parts.literals.filter((literal) => typeof literal.value !== 'boolean')
    }
    parts.open = parts.any !== undefined || parts.unknown
    this.#parts.set(type, parts)
    return parts
  }

  #collect(type: ts.Type, parts: Mutable<TypeParts>, depth: number): void {
    const { TypeFlags } = this.ts
    const has = (flags: ts.TypeFlags): boolean => (type.flags & flags) !== 0
    if (type.isUnion()) for (const member of type.types) this.#collect(member, parts, depth)
    else if (has(TypeFlags.Any)) parts.any = this.isUnresolved(type) ? 'unresolved' : (parts.any ?? 'written')
    else if (has(TypeFlags.Unknown)) parts.unknown = true
    else if (has(TypeFlags.Undefined | TypeFlags.Void)) parts.undefined = true
    else if (has(TypeFlags.Null)) parts.null = true
    else if (type.isStringLiteral() || type.isNumberLiteral()) {
      parts.literals.push({ value: type.value, isEnumMember: has(TypeFlags.EnumLiteral) })
    } else if (has(TypeFlags.BooleanLiteral)) {
      parts.literals.push({ value: this.checker.typeToString(type) === 'true', isEnumMember: false })
    } else if (has(TypeFlags.String)) parts.string = true
    else if (has(TypeFlags.Number | TypeFlags.Enum)) parts.number = true
    else if (has(TypeFlags.BigIntLike)) parts.bigint = true
    else if (has(TypeFlags.TemplateLiteral | TypeFlags.StringMapping)) parts.templates.push(type)
    else if (type.isIntersection()) this.#collectIntersection(type, parts)
    else if (has(TypeFlags.Object | TypeFlags.NonPrimitive)) parts.objects.push(type)
    else if (!has(TypeFlags.Never)) {
      if (has(TypeFlags.Conditional)) parts.deferred.push(type)
      const constraint = depth < 20 ? this.checker.getBaseConstraintOfType(type) : undefined
      if (constraint === undefined && has(TypeFlags.TypeParameter)) parts.unknown = true
      else if (constraint === undefined || constraint === type) parts.others.push(type)
      else this.#collect(constraint, parts, depth + 1)
    }
  }

  /** `T & {}` is T; a primitive with a non-empty object is a brand; objects together are one object. */
  #collectIntersection(type: ts.IntersectionType, parts: Mutable<TypeParts>): void {
    const members = type.types.map((member) => ({ member, parts: this.parts(member) }))
    const primitive = members.find(({ parts: each }) => baseOf(each) !== undefined || each.literals.length > 0)
    if (primitive === undefined) {
      parts.objects.push(type)
      return
    }
    const isEmpty = (member: ts.Type): boolean =>
      this.checker.getPropertiesOfType(member).length === 0 && this.checker.getIndexInfosOfType(member).length === 0
    const rest = members.filter((each) => each !== primitive)
    if (rest.every(({ member, parts: each }) => each.objects.length > 0 && isEmpty(member))) {
      const { null: isNullable, undefined: mayLack } = parts
      this.#collect(primitive.member, parts, 0)
      Object.assign(parts, { null: isNullable, undefined: mayLack })
      return
    }
    const [literal] = primitive.parts.literals
    const base = baseOf(primitive.parts) ?? (literal === undefined ? 'string' : typeof literal.value)
    parts.brands.push(base === 'number' || base === 'boolean' || base === 'bigint' ? base : 'string')
  }

  /** Returns true for the `any` that stands for a type the compiler could not resolve. */
  isUnresolved(type: ts.Type): boolean {
    if ((type.flags & this.ts.TypeFlags.Any) === 0) return false
    const name = 'intrinsicName' in type ? type.intrinsicName : undefined
    return name === 'error' || name === 'unresolved'
  }

  /** Returns the values of a type that consists of literals, without enum members; undefined for any other type. */
  literalValues(type: ts.Type): readonly (string | number | boolean)[] | undefined {
    const parts = this.parts(type)
    const { open, string, number, boolean, bigint, literals } = parts
    if (open || string || number || boolean || bigint || parts.null || parts.undefined) return undefined
    if (hasNonLiterals(parts) || literals.some(({ isEnumMember }) => isEnumMember)) return undefined
    return literals.map(({ value }) => value)
  }

  /** Returns the literals that a required property is limited to; undefined where it is not. */
  literalsOf(object: ts.Type, name: string): readonly (string | number | boolean)[] | undefined {
    const property = this.checker.getPropertyOfType(object, name)
    if (property === undefined || this.#isOptional(property)) return undefined
    return this.literalValues(this.checker.getTypeOfSymbol(property))
  }

  /** Returns the name of a built-in type; undefined for types of users and packages, even for their own `Date`. */
  builtin(type: ts.Type): BuiltinName | undefined {
    const symbol = type.getSymbol()
    const name = symbol && builtins.get(symbol.name)
    if (name === undefined) return undefined
    const isBuiltin = symbol?.declarations?.some((declaration) => {
      const file = declaration.getSourceFile()
      return this.program.isSourceFileDefaultLibrary(file) || /[\\/]@types[\\/]node[\\/]/.test(file.fileName)
    })
    return isBuiltin === true ? name : undefined
  }

  isList(type: ts.Type): boolean {
    return this.checker.isArrayType(type) || this.checker.isTupleType(type)
  }

  isCallable(type: ts.Type): boolean {
    return this.checker.getSignaturesOfType(type, this.ts.SignatureKind.Call).length > 0
  }

  /** Returns the kind that an object has at run time: `array` also for interfaces that extend Array. */
  kindOfObject(object: ts.Type): 'array' | 'object' {
    if (this.isList(object)) return 'array'
    const bases = object.isClassOrInterface() ? this.checker.getBaseTypes(object) : []
    return bases.some((base) => this.checker.isArrayType(base)) ? 'array' : 'object'
  }

  /** Returns the kind of one alternative of a union; undefined for null, undefined and open types. */
  kindOf(type: ts.Type): ValueKind | undefined {
    const { open, templates, literals, objects, brands, ...parts } = this.parts(type)
    const literal = typeof literals[0]?.value
    if (open) return undefined
    if (parts.string || templates.length > 0 || literal === 'string') return 'string'
    if (parts.number || literal === 'number') return 'number'
    if (parts.boolean || literal === 'boolean') return 'boolean'
    if (parts.bigint) return 'bigint'
    const [object] = objects
    return brands[0] ?? (object === undefined ? undefined : this.kindOfObject(object))
  }

  /** Returns the properties of an object type, those with computed symbol names too. */
  properties(type: ts.Type): readonly Property[] {
    return this.checker.getPropertiesOfType(type).map((symbol) => ({
      name: symbol.name,
      symbol,
      optional: this.#isOptional(symbol),
      type: () => this.checker.getTypeOfSymbol(symbol),
    }))
  }

  /** Returns the properties that generated code can name: neither hidden nor named by a symbol. */
  visibleProperties(type: ts.Type): readonly Property[] {
    return this.properties(type).filter((property) => !isSymbolNamed(property) && !this.isHidden(property.symbol))
  }

  #isOptional(symbol: ts.Symbol): boolean {
    return (symbol.flags & this.ts.SymbolFlags.Optional) !== 0
  }

  /** Returns true for `#x`, `private x` and `protected x`. */
  isHidden(symbol: ts.Symbol): boolean {
    if (symbol.escapedName.toString().startsWith('__#')) return true
    const { getCombinedModifierFlags, ModifierFlags } = this.ts
    const hidden = ModifierFlags.Private | ModifierFlags.Protected
    return symbol.declarations?.some((declaration) => (getCombinedModifierFlags(declaration) & hidden) !== 0) ?? false
  }

  /** Returns the type of a property; undefined where the type has no such property. */
  propertyType(owner: ts.Type, name: string): ts.Type | undefined {
    const property = this.checker.getPropertyOfType(owner, name)
    return property && this.checker.getTypeOfSymbol(property)
  }

  /** Returns the type of undeclared fields: of the index signature for strings. */
  stringIndex(type: ts.Type): ts.Type | undefined {
    const infos = this.checker.getIndexInfosOfType(type)
    return infos.find(({ keyType }) => (keyType.flags & this.ts.TypeFlags.String) !== 0)?.type
  }

  /** Returns the type arguments of a reference, e.g. the items of an array; none for any other type. */
  typeArguments(type: ts.Type): readonly ts.Type[] {
    return this.#isReference(type) ? this.checker.getTypeArguments(type) : []
  }

  /** Returns the tuple that a tuple type refers to: its flags and labels. */
  tuple(type: ts.Type): ts.TupleType | undefined {
    if (!this.checker.isTupleType(type) || !this.#isReference(type)) return undefined
    const isTuple = (target: ts.GenericType): target is ts.TupleType => 'elementFlags' in target
    return isTuple(type.target) ? type.target : undefined
  }

  #isReference(type: ts.Type): type is ts.TypeReference {
    const { TypeFlags, ObjectFlags } = this.ts
    if ((type.flags & TypeFlags.Object) === 0 || !('objectFlags' in type)) return false
    return typeof type.objectFlags === 'number' && (type.objectFlags & ObjectFlags.Reference) !== 0
  }

  /** Describes the first part of a type that JSON cannot carry; undefined when all of it is JSON or open. */
  notJson(type: ts.Type): string | undefined {
    const seen = new Set<ts.Type>()
    const visitAll = (types: readonly ts.Type[]): string | undefined => {
      for (const each of types) {
        const found = visit(each)
        if (found !== undefined) return found
      }
      return undefined
    }
    const visit = (each: ts.Type): string | undefined => {
      if (seen.has(each) || seen.size > maxJsonTypes) return undefined
      seen.add(each)
      const parts = this.parts(each)
      if (parts.bigint) return 'a bigint'
      if (parts.others.length > 0) return 'a symbol'
      for (const object of parts.objects) {
        if (!this.isList(object) && this.builtin(object) !== undefined) return `a ${this.describe(object)}`
        if (!this.isList(object) && this.isCallable(object)) return 'a function'
        const found = visitAll(this.isList(object) ? this.typeArguments(object) : this.#memberTypes(object))
        if (found !== undefined) return found
      }
      return undefined
    }
    return this.parts(type).undefined ? 'undefined' : visit(type)
  }

  #memberTypes(object: ts.Type): readonly ts.Type[] {
    const properties = this.visibleProperties(object).map((property) => property.type())
    return [...properties, ...this.checker.getIndexInfosOfType(object).map((info) => info.type)]
  }

  // The declarations of the compiler do not name the next two functions.

  /** Returns a union; where the compiler does not make one, `otherwise`, which then asks for a mapper. */
  unionOf(types: readonly ts.Type[], otherwise: ts.Type): ts.Type {
    const [only, ...others] = types
    if (only !== undefined && others.length === 0) return only
    const { checker } = this
    const make = 'getUnionType' in checker ? checker.getUnionType : undefined
    return typeof make === 'function' ? make.call(checker, types) : otherwise
  }

  /** Returns an array type; where the compiler does not make one, `otherwise`, which then asks for a mapper. */
  arrayOf(item: ts.Type, otherwise: ts.Type): ts.Type {
    const { checker } = this
    const make = 'createArrayType' in checker ? checker.createArrayType : undefined
    return typeof make === 'function' ? make.call(checker, item) : otherwise
  }

  /** Returns a type as text for a message: short, on one line. Never for generated code. */
  describe(type: ts.Type): string {
    const isParameter = (type.flags & this.ts.TypeFlags.TypeParameter) !== 0
    const shown = (isParameter ? this.checker.getBaseConstraintOfType(type) : undefined) ?? type
    // Only this machine knows the folder of a module.
    const text = this.checker
      .typeToString(shown)
      .replace(/\s+/g, ' ')
      .replace(/import\("(?:[^"]*\/)?([^"]*)"\)/g, 'import("$1")')
    // The compiler orders a union by what it has read before; a text must not depend on that.
    const rank = (part: string): number => (part === 'null' ? 1 : part === 'undefined' ? 2 : 0)
    const ordered = alternativesIn(text).sort((a, b) => rank(a) - rank(b) || byCodePoint(a, b))
    const line = ordered.join(' | ')
    return line.length > 60 ? `${line.slice(0, 57)}...` : line
  }

  /** Returns the location of a declaration: of its name where it has one. */
  locationOf(declaration: ts.Declaration, root: string): SourceLocation {
    const file = declaration.getSourceFile()
    return locationAt(file, (this.ts.getNameOfDeclaration(declaration) ?? declaration).getStart(file), root)
  }
}

function baseOf(parts: TypeParts): 'string' | 'number' | 'boolean' | 'bigint' | undefined {
  if (parts.string || parts.templates.length > 0) return 'string'
  if (parts.number) return 'number'
  if (parts.boolean) return 'boolean'
  return parts.bigint ? 'bigint' : undefined
}

/** Returns true for a type that has more than null, undefined, primitives and literals. */
export function hasNonLiterals({ objects, brands, templates, deferred, others }: TypeParts): boolean {
  return [objects, brands, templates, deferred, others].some((each) => each.length > 0)
}

/** Returns true for a member whose name is a symbol, e.g. `[Symbol.iterator]`. */
export function isSymbolNamed({ symbol }: Property): boolean {
  return symbol.escapedName.toString().startsWith('__@')
}

/** Splits the text of a type at the bars outside of brackets and quotes. */
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
    if (depth === 0 && quote === '' && letter === '|') parts.push('')
    else parts.push(`${parts.pop()}${letter}`)
  }
  // In a function type the bars belong to the returned type.
  return text.includes('=>') && parts.length > 1 ? [text] : parts.map((part) => part.trim())
}

/** Returns a location relative to the project's root; the file of a package begins at its `node_modules`. */
export function locationAt(file: ts.SourceFile, start: number, root: string): SourceLocation {
  const { line, character } = file.getLineAndCharacterOfPosition(start)
  const inRoot = relative(root, file.fileName).split(sep).join('/')
  const isBelow = !inRoot.startsWith('../') && !/^(?:[A-Za-z]:)?\//.test(inRoot)
  const packages = file.fileName.replace(/\\/g, '/').split('/node_modules/')
  const shown = isBelow || packages.length === 1 ? inRoot : `node_modules/${packages.at(-1)}`
  return { file: shown, line: line + 1, column: character + 1 }
}
