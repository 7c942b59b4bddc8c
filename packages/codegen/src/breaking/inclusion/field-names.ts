import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { finiteValues } from './finite-values.js'
import { flatten, schemaAt, textsOf } from './flatten.js'
import type { Defs } from './spot.js'
import { takesValue } from './takes-value.js'

/** What `propertyNames` of schemas that apply to one object says of the names of its fields. */
export class FieldNames {
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
