import { type Defs, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { finiteValues } from './json-types.js'
import type { Mismatch } from './mismatch.js'
import { type Constraints, everythingIn, flatten, type SourceValues } from './schema-cases.js'
import {
  declaresFields,
  fieldPatterns,
  knownNames,
  matches,
  schemaAt,
  schemaMap,
  schemaOf,
  schemasOf,
  schemasOfField,
  schemasOfOthers,
  textsOf,
} from './schema-parts.js'
import { acceptsValue, isImpossible } from './schema-relations.js'

/** `applying` is only valid if `mismatches` is empty. */
export interface Fit {
  readonly mismatches: readonly Mismatch[]
  readonly applying: readonly SchemaObject[]
}

/** Fields that an object can have after its codec has rejected or removed undeclared fields. */
export class PossibleFields {
  readonly names: ReadonlySet<string>
  readonly patterns: ReadonlySet<string>
  readonly isOpen: boolean
  readonly #plain: readonly SchemaObject[]
  readonly #conditional: readonly SchemaObject[]
  readonly #alternatives: readonly SchemaObject[]
  readonly #unevaluated: readonly Schema[]
  readonly #defs: Defs
  readonly #nameRules: readonly Schema[]
  readonly #listedNames: readonly string[] | undefined
  readonly #namePatterns: readonly string[]
  /** A cache, because all variants of a union need the constraints of the same fields. */
  readonly #fields = new Map<string, Constraints | undefined>()

  constructor({ plain, conditional, alternatives }: SourceValues, defs: Defs) {
    this.#plain = plain
    this.#conditional = everythingIn(conditional, defs)
    this.#alternatives = everythingIn(alternatives, defs)
    this.#defs = defs
    const all = [...plain, ...this.#conditional, ...this.#alternatives]
    this.#unevaluated = schemasOf(all, 'unevaluatedProperties')
    this.#nameRules = schemasOf(plain, 'propertyNames')
    const names = flatten(this.#nameRules, defs)?.plain
    const listed = names === undefined ? [] : finiteValues(names, ['string'])
    this.#listedNames = listed?.filter((value) => typeof value === 'string')
    this.#namePatterns = textsOf(names ?? [], 'pattern')
    this.names = new Set([...all.flatMap(knownNames), ...(this.#listedNames ?? [])])
    this.patterns = new Set(fieldPatterns(all))
    const areDeclared =
      plain.some(declaresFields) &&
      alternatives.every((schema) => flatten([schema], defs)?.plain.some(declaresFields) !== false)
    const isClosed = areDeclared || plain.some((schema) => own(schema, 'unevaluatedProperties') === false)
    this.isOpen = !isClosed || all.some(judgesOthers)
  }

  get limit(): number {
    const isUnlimited = this.#listedNames === undefined && (this.isOpen || this.patterns.size > 0)
    return isUnlimited ? Number.POSITIVE_INFINITY : this.names.size
  }

  at(name: string): Constraints | undefined {
    if (!this.#fields.has(name)) this.#fields.set(name, this.#field(name))
    return this.#fields.get(name)
  }

  #field(name: string): Constraints | undefined {
    if (this.#nameRules.length > 0 && acceptsValue(this.#nameRules, name, this.#defs) === false) return undefined
    const all = schemasOfField(this.#plain, name)
    const partsOf = (part: readonly SchemaObject[]): readonly Schema[] => schemasOfField(part, name)
    if (this.isOpen || this.#plain.some((schema) => declares(schema, name))) return this.#possible(all, partsOf)
    // Undeclared fields are rejected, so one of the declaring schemas must apply to the field.
    const declaring = [...this.#conditional, ...this.#alternatives].filter((schema) => declares(schema, name))
    if (declaring.length === 0) return undefined
    const variants = declaring.map((schema) => ({ allOf: schemasOfField([schema], name) }))
    return this.#possible([...all, { anyOf: variants }], partsOf)
  }

  atPattern(pattern: string): Constraints | undefined {
    if ((!this.isOpen && this.patterns.size === 0) || !this.#hasUnlistedNames([])) return undefined
    const all = this.#plain.flatMap((schema) => {
      const entries = schemaMap(schema, 'patternProperties')
      const same = entries.find(([other]) => other === pattern)
      if (same !== undefined) return [same[1]]
      return entries.length > 0 ? [] : schemasOf([schema], 'additionalProperties')
    })
    return this.#possible(all, schemasOfOthers)
  }

  others(except: readonly string[]): Constraints | undefined {
    const left = [...this.patterns].filter((pattern) => !except.includes(pattern))
    if ((!this.isOpen && left.length === 0) || !this.#hasUnlistedNames(except)) return undefined
    const all = this.#plain.flatMap((schema): readonly Schema[] => {
      const matched = schemaMap(schema, 'patternProperties').filter(([pattern]) => !except.includes(pattern))
      const other = schemaAt(schema, 'additionalProperties')
      if (matched.length === 0) return other === undefined ? [] : [other]
      const unmatched = other !== undefined ? [other] : this.isOpen ? [true] : []
      return [{ anyOf: [...unmatched, ...matched.map(([, part]) => part)] }]
    })
    return this.#possible(all, schemasOfOthers)
  }

  #hasUnlistedNames(except: readonly string[]): boolean {
    return this.#listedNames === undefined && !this.#namePatterns.some((pattern) => except.includes(pattern))
  }

  #possible(
    all: readonly Schema[],
    partsOf: (plain: readonly SchemaObject[]) => readonly Schema[],
  ): Constraints | undefined {
    if (isImpossible(all, this.#defs)) return undefined
    const conditional = [...partsOf(this.#conditional), ...this.#unevaluated]
    return { all, conditional, alternatives: partsOf(this.#alternatives) }
  }
}

function judgesOthers(schema: SchemaObject): boolean {
  return Object.hasOwn(schema, 'additionalProperties') || (own(schema, 'unevaluatedProperties') ?? false) !== false
}

export function declares(schema: SchemaObject, name: string): boolean {
  return (
    schemaOf(schema, 'properties', name) !== undefined ||
    stringsOf(schema, 'required').includes(name) ||
    fieldPatterns([schema]).some((pattern) => matches(pattern, name))
  )
}
