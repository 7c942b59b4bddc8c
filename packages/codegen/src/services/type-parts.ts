import type { ts } from 'ts-morph'

export interface LiteralPart {
  readonly value: string | number | boolean
  readonly isEnumMember: boolean
}

export interface TypeParts {
  /** `written` for an explicit `any`, `unresolved` for an `any` that replaces a type that the compiler did not find. */
  readonly any: 'written' | 'unresolved' | undefined
  readonly unknown: boolean
  readonly open: boolean
  readonly string: boolean
  readonly number: boolean
  readonly boolean: boolean
  readonly bigint: boolean
  readonly null: boolean
  /** Also true for `void`. */
  readonly undefined: boolean
  readonly literals: readonly LiteralPart[]
  readonly templates: readonly ts.Type[]
  readonly brands: readonly ('string' | 'number' | 'boolean' | 'bigint')[]
  readonly objects: readonly ts.Type[]
  /** Conditional types that depend on a type parameter. TypeScript resolves these types only at a call. */
  readonly deferred: readonly ts.Type[]
  readonly others: readonly ts.Type[]
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] extends readonly (infer Item)[] ? Item[] : T[Key] }

/** Receives the compiler as a parameter, because the compiler is loaded only if needed. */
export class PartReader {
  readonly ts: typeof ts
  readonly checker: ts.TypeChecker
  readonly #parts = new Map<ts.Type, TypeParts>()

  constructor(compiler: typeof ts, checker: ts.TypeChecker) {
    this.ts = compiler
    this.checker = checker
  }

  /** Replaces type parameters, and conditional types that depend on a type parameter, with their constraints. */
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

  /** The compiler replaces a type that it did not find with `any`. */
  isUnresolved(type: ts.Type): boolean {
    if ((type.flags & this.ts.TypeFlags.Any) === 0) return false
    const name = 'intrinsicName' in type ? type.intrinsicName : undefined
    return name === 'error' || name === 'unresolved'
  }

  literalValues(type: ts.Type): readonly (string | number | boolean)[] | undefined {
    const parts = this.parts(type)
    const { open, string, number, boolean, bigint, literals } = parts
    if (open || string || number || boolean || bigint || parts.null || parts.undefined) return undefined
    if (hasNonLiterals(parts) || literals.some(({ isEnumMember }) => isEnumMember)) return undefined
    return literals.map(({ value }) => value)
  }
}

function baseOf(parts: TypeParts): 'string' | 'number' | 'boolean' | 'bigint' | undefined {
  if (parts.string || parts.templates.length > 0) return 'string'
  if (parts.number) return 'number'
  if (parts.boolean) return 'boolean'
  return parts.bigint ? 'bigint' : undefined
}

export function hasNonLiterals({ objects, brands, templates, deferred, others }: TypeParts): boolean {
  return [objects, brands, templates, deferred, others].some((each) => each.length > 0)
}
