import type { ts } from 'ts-morph'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import { type BuiltinName, builtinName } from './builtin-types.js'
import { describeType, locationAt } from './descriptions.js'
import type { ValueKind } from './plan.js'
import { PartReader } from './type-parts.js'

export interface Property {
  readonly name: string
  readonly symbol: ts.Symbol
  readonly optional: boolean
  /** Omits the `undefined` that a question mark adds. */
  readonly type: () => ts.Type
}

export class TypeReader extends PartReader {
  readonly program: ts.Program
  readonly #numbers: Map<ts.Type, number>

  constructor(compiler: typeof ts, program: ts.Program, earlier?: TypeReader) {
    super(compiler, program.getTypeChecker())
    this.program = program
    this.#numbers = earlier === undefined ? new Map() : earlier.#numbers
  }

  numberOf(type: ts.Type): number {
    const number = this.#numbers.get(type) ?? this.#numbers.size
    this.#numbers.set(type, number)
    return number
  }

  literalsOf(object: ts.Type, name: string): readonly (string | number | boolean)[] | undefined {
    const property = this.checker.getPropertyOfType(object, name)
    if (property === undefined || this.#isOptional(property)) return undefined
    return this.literalValues(this.checker.getTypeOfSymbol(property))
  }

  builtin(type: ts.Type): BuiltinName | undefined {
    return builtinName(type, this.program)
  }

  isList(type: ts.Type): boolean {
    return this.checker.isArrayType(type) || this.checker.isTupleType(type)
  }

  isCallable(type: ts.Type): boolean {
    return this.checker.getSignaturesOfType(type, this.ts.SignatureKind.Call).length > 0
  }

  kindOfObject(object: ts.Type): 'array' | 'object' {
    if (this.isList(object)) return 'array'
    const bases = object.isClassOrInterface() ? this.checker.getBaseTypes(object) : []
    return bases.some((base) => this.checker.isArrayType(base)) ? 'array' : 'object'
  }

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

  properties(type: ts.Type): readonly Property[] {
    return this.checker.getPropertiesOfType(type).map((symbol) => ({
      name: symbol.name,
      symbol,
      optional: this.#isOptional(symbol),
      type: () => this.checker.getTypeOfSymbol(symbol),
    }))
  }

  visibleProperties(type: ts.Type): readonly Property[] {
    return this.properties(type).filter((property) => !isSymbolNamed(property) && !this.isHidden(property.symbol))
  }

  #isOptional(symbol: ts.Symbol): boolean {
    return (symbol.flags & this.ts.SymbolFlags.Optional) !== 0
  }

  isHidden(symbol: ts.Symbol): boolean {
    if (symbol.escapedName.toString().startsWith('__#')) return true
    const { getCombinedModifierFlags, ModifierFlags } = this.ts
    const hidden = ModifierFlags.Private | ModifierFlags.Protected
    return symbol.declarations?.some((declaration) => (getCombinedModifierFlags(declaration) & hidden) !== 0) ?? false
  }

  propertyType(owner: ts.Type, name: string): ts.Type | undefined {
    const property = this.checker.getPropertyOfType(owner, name)
    return property && this.checker.getTypeOfSymbol(property)
  }

  stringIndex(type: ts.Type): ts.Type | undefined {
    const infos = this.checker.getIndexInfosOfType(type)
    return infos.find(({ keyType }) => (keyType.flags & this.ts.TypeFlags.String) !== 0)?.type
  }

  typeArguments(type: ts.Type): readonly ts.Type[] {
    return this.#isReference(type) ? this.checker.getTypeArguments(type) : []
  }

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

  // The next two functions of the compiler are not part of its declarations.

  /**
   * Uses an internal function of the compiler. Returns `otherwise` if the compiler has no such function; the tool then needs a mapper function of the
   * application.
   */
  unionOf(types: readonly ts.Type[], otherwise: ts.Type): ts.Type {
    const [only, ...others] = types
    if (only !== undefined && others.length === 0) return only
    const { checker } = this
    const make = 'getUnionType' in checker ? checker.getUnionType : undefined
    return typeof make === 'function' ? make.call(checker, types) : otherwise
  }

  /** Uses an internal function of the compiler, like {@link unionOf}. */
  arrayOf(item: ts.Type, otherwise: ts.Type): ts.Type {
    const { checker } = this
    const make = 'createArrayType' in checker ? checker.createArrayType : undefined
    return typeof make === 'function' ? make.call(checker, item) : otherwise
  }

  describe(type: ts.Type): string {
    return describeType(type, this)
  }

  locationOf(declaration: ts.Declaration, root: string): SourceLocation {
    const file = declaration.getSourceFile()
    return locationAt(file, (this.ts.getNameOfDeclaration(declaration) ?? declaration).getStart(file), root)
  }
}

export function isSymbolNamed({ symbol }: Property): boolean {
  return symbol.escapedName.toString().startsWith('__@')
}
