import { type Json, own, type SchemaObject } from '../schema/json-schema.js'

export type Aspect =
  | 'type'
  | 'enum'
  | 'variant'
  | 'required'
  | 'field'
  | 'unknown-fields'
  | 'range'
  | 'length'
  | 'pattern'
  | 'format'
  | 'js-type'
  | 'rule'

/** A reason why the target schema may reject values of the source schema. */
export interface Mismatch {
  readonly aspect: Aspect
  /** JSON Pointer into the schemas, with references followed. */
  readonly pointer: string
  /** Part of the source schema; absent if it has none. */
  readonly source: Json | undefined
  readonly target: Json | undefined
}

export function wholeMismatch(aspect: Aspect, source: Json | undefined, target: Json | undefined): Mismatch {
  return { aspect, pointer: '', source, target }
}

/** The mismatch of comparisons that would take too long. */
export const tooComplex: Mismatch = wholeMismatch('rule', undefined, 'too much to compare')

/** Returns the mismatches of a part as those of the value around it. */
export function prefixed(step: string, mismatches: readonly Mismatch[]): readonly Mismatch[] {
  return step === '' ? mismatches : mismatches.map((mismatch) => ({ ...mismatch, pointer: step + mismatch.pointer }))
}

/** Returns the mismatch of a keyword, with its value in both schemas. */
export function keywordMismatch(keyword: string, source: readonly SchemaObject[], target: SchemaObject): Mismatch {
  const value = source.map((schema) => own(schema, keyword)).find((each) => each !== undefined)
  return { aspect: 'rule', pointer: `/${keyword}`, source: value, target: own(target, keyword) }
}
