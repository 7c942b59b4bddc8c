import type { Json } from '../../schema/json/json-schema.js'

/** What of a schema refuses values that another one takes. */
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

/** Why it could not be ruled out that a schema refuses values that another one takes; which, `witness/` looks for. */
export interface Refusal {
  readonly aspect: Aspect
  /** JSON Pointer into the schemas, with references followed. */
  readonly pointer: string
  /** What the schema says whose values are taken; absent where it says nothing. */
  readonly taken: Json | undefined
  /** What the schema says that is to take them. */
  readonly taker: Json | undefined
}

/** The same refusals, seen from further outside. */
export function below(step: string, refusals: readonly Refusal[]): readonly Refusal[] {
  return step === '' ? refusals : refusals.map((refusal) => ({ ...refusal, pointer: step + refusal.pointer }))
}

/** A refusal of everything at a spot. */
export function whole(aspect: Aspect, taken: Json, taker: Json): Refusal {
  return { aspect, pointer: '', taken, taker }
}

/** Nobody knows, since it would take too long to find out. */
export const tooMuch: Refusal = {
  aspect: 'rule',
  pointer: '',
  taken: undefined,
  taker: 'too much to compare',
}

/** Refusals without those that are there twice: the same part may be met by way of several variants. */
export function distinct(found: readonly Refusal[]): readonly Refusal[] {
  if (found.length < 2) return found
  return [...new Map(found.map((refusal) => [JSON.stringify(refusal), refusal])).values()]
}
