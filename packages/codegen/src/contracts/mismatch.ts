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

export interface Mismatch {
  readonly aspect: Aspect
  /** `$ref` is not part of the pointer, which continues in the referenced schema. */
  readonly pointer: string
  readonly source: Json | undefined
  readonly target: Json | undefined
}

export function wholeMismatch(aspect: Aspect, source: Json | undefined, target: Json | undefined): Mismatch {
  return { aspect, pointer: '', source, target }
}

export const tooComplex: Mismatch = wholeMismatch('rule', undefined, 'too much to compare')

export function prefixed(step: string, mismatches: readonly Mismatch[]): readonly Mismatch[] {
  return step === '' ? mismatches : mismatches.map((mismatch) => ({ ...mismatch, pointer: step + mismatch.pointer }))
}

export function keywordMismatch(keyword: string, source: readonly SchemaObject[], target: SchemaObject): Mismatch {
  const value = source.map((schema) => own(schema, keyword)).find((each) => each !== undefined)
  return { aspect: 'rule', pointer: `/${keyword}`, source: value, target: own(target, keyword) }
}
