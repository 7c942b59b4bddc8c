import { own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import {
  declaresFields,
  everythingIn,
  knownNames,
  matches,
  schemasOfField,
  schemasOfOthers,
} from './declared-fields.js'
import { type Defs, flatten, type Spot, schemaAt, schemaMap, schemaOf, textsOf } from './flatten.js'
import { isImpossible } from './schema-facts.js'
import { finiteValues, type Taken } from './schema-view.js'
import { takesValue } from './takes-value.js'

/** The fields that objects may have, at most, where codecs refuse or drop those that nobody declares. */
export class PossibleFields {
  /** The names that are declared, required or listed somewhere. */
  readonly names: ReadonlySet<string>
  /** The patterns of names. */
  readonly patterns: ReadonlySet<string>
  /** Whether there may be fields that no name or pattern tells. */
  readonly isOpen: boolean
  readonly #plain: readonly SchemaObject[]
  readonly #maybe: readonly SchemaObject[]
  readonly #instead: readonly SchemaObject[]
  readonly #unevaluated: readonly Schema[]
  readonly #defs: Defs
  readonly #allowed: FieldNames
  /** What was asked before: every variant of a union asks again. */
  readonly #spots = new Map<string, Spot | undefined>()

  constructor({ plain, maybe, instead }: Taken, defs: Defs) {
    this.#plain = plain
    this.#maybe = everythingIn(maybe, defs)
    this.#instead = everythingIn(instead, defs)
    this.#defs = defs
    this.#unevaluated = [...plain, ...this.#maybe, ...this.#instead].flatMap((schema) => {
      const part = schemaAt(schema, 'unevaluatedProperties')
      return part === undefined ? [] : [part]
    })
    const all = [...plain, ...this.#maybe, ...this.#instead]
    this.#allowed = new FieldNames(plain, defs)
    this.names = new Set([...all.flatMap(knownNames), ...(this.#allowed.listed ?? [])])
    this.patterns = new Set(all.flatMap((schema) => schemaMap(schema, 'patternProperties').map(([pattern]) => pattern)))
    const areDeclared =
      plain.some(declaresFields) &&
      instead.every((schema) => {
        const flat = flatten([schema], defs)
        return flat === undefined || flat.plain.some(declaresFields)
      })
    const isClosed = areDeclared || plain.some((schema) => own(schema, 'unevaluatedProperties') === false)
    this.isOpen = !isClosed || all.some(judgesOthers)
  }

  /** How many fields there may be. */
  get most(): number {
    const isEndless = this.#allowed.listed === undefined && (this.isOpen || this.patterns.size > 0)
    return isEndless ? Number.POSITIVE_INFINITY : this.names.size
  }

  /** What is said of a field; `undefined` where there can be none. */
  at(name: string): Spot | undefined {
    if (!this.#spots.has(name)) this.#spots.set(name, this.#field(name))
    return this.#spots.get(name)
  }

  #field(name: string): Spot | undefined {
    if (!this.#allowed.has(name)) return undefined
    const all = schemasOfField(this.#plain, name)
    const partsOf = (part: readonly SchemaObject[]): readonly Schema[] => schemasOfField(part, name)
    if (this.isOpen || this.#plain.some((schema) => declares(schema, name))) return this.#possible(all, partsOf)
    // Who declares it applies to the value, and so the field is as one of those says.
    const declaring = [...this.#maybe, ...this.#instead].filter((schema) => declares(schema, name))
    if (declaring.length === 0) return undefined
    const said = declaring.map((schema) => ({ allOf: schemasOfField([schema], name) }))
    return this.#possible([...all, { anyOf: said }], partsOf)
  }

  /** What is said of fields whose names no schema tells but by a pattern; `undefined` where there can be none. */
  atPattern(pattern: string): Spot | undefined {
    if ((!this.isOpen && this.patterns.size === 0) || !this.#allowed.hasOthers([])) return undefined
    const all = this.#plain.flatMap((schema) => {
      const entries = schemaMap(schema, 'patternProperties')
      const same = entries.find(([other]) => other === pattern)
      if (same !== undefined) return [same[1]]
      const other = schemaAt(schema, 'additionalProperties')
      return entries.length > 0 || other === undefined ? [] : [other]
    })
    return this.#possible(all, schemasOfOthers)
  }

  /** What is said of fields that no schema names and that match none of some patterns; `undefined` where there are none. */
  others(except: readonly string[]): Spot | undefined {
    const left = [...this.patterns].filter((pattern) => !except.includes(pattern))
    if ((!this.isOpen && left.length === 0) || !this.#allowed.hasOthers(except)) return undefined
    const all = this.#plain.flatMap((schema): readonly Schema[] => {
      const matched = schemaMap(schema, 'patternProperties').filter(([pattern]) => !except.includes(pattern))
      const other = schemaAt(schema, 'additionalProperties')
      if (matched.length === 0) return other === undefined ? [] : [other]
      const unmatched = other !== undefined ? [other] : this.isOpen ? [true] : []
      return [{ anyOf: [...unmatched, ...matched.map(([, part]) => part)] }]
    })
    return this.#possible(all, schemasOfOthers)
  }

  #possible(all: readonly Schema[], partsOf: (plain: readonly SchemaObject[]) => readonly Schema[]): Spot | undefined {
    if (isImpossible(all, this.#defs)) return undefined
    return { all, maybe: [...partsOf(this.#maybe), ...this.#unevaluated], instead: partsOf(this.#instead) }
  }
}

/** Whether a schema says what fields may be that nobody declares; without `unevaluatedProperties` they may be nothing. */
function judgesOthers(schema: SchemaObject): boolean {
  return Object.hasOwn(schema, 'additionalProperties') || (own(schema, 'unevaluatedProperties') ?? false) !== false
}

/** Whether a field is known by a schema that applies. */
function declares(schema: SchemaObject, name: string): boolean {
  return (
    schemaOf(schema, 'properties', name) !== undefined ||
    stringsOf(schema, 'required').includes(name) ||
    schemaMap(schema, 'patternProperties').some(([pattern]) => matches(pattern, name))
  )
}

/** What `propertyNames` of schemas that apply to one object says of the names of its fields. */
class FieldNames {
  /** All names that there may be; absent where there is no end of them. */
  readonly listed: readonly string[] | undefined
  readonly #rules: readonly Schema[]
  readonly #defs: Defs
  readonly #patterns: readonly string[]

  constructor(plain: readonly SchemaObject[], defs: Defs) {
    this.#rules = plain.flatMap((schema) => {
      const rule = schemaAt(schema, 'propertyNames')
      return rule === undefined ? [] : [rule]
    })
    this.#defs = defs
    const flat = flatten(this.#rules, defs)
    const values = flat === undefined ? [] : finiteValues(flat.plain, ['string'])
    this.listed = values?.filter((value) => typeof value === 'string')
    this.#patterns = flat === undefined ? [] : textsOf(flat.plain, 'pattern')
  }

  /** Whether there may be a field of a name. */
  has(name: string): boolean {
    return this.#rules.length === 0 || takesValue(this.#rules, name, this.#defs) !== false
  }

  /** Whether there may be names that are not listed, and match none of some patterns. */
  hasOthers(patterns: readonly string[]): boolean {
    return this.listed === undefined && !this.#patterns.some((pattern) => patterns.includes(pattern))
  }
}
