import type { SchemaObject } from '../../schema/json/json-schema.js'
import { conditionalParts } from './cases.js'
import { declaresFields, everythingIn, judgesAllFields, knownNames, matches } from './declared-fields.js'
import { schemaMap } from './flatten.js'
import type { Prover } from './prover.js'

/** Which fields a codec knows. */
export interface KnownFields {
  readonly name: (name: string) => boolean
  /** Whether it knows those that no schema names. */
  readonly others: boolean
}

/**
 * The fields that schemas let an object have.
 *
 * @param applying absent where it does not count which fields are declared
 * @param closers schemas that apply to some values
 */
export function knownBy(
  applying: readonly SchemaObject[] | undefined,
  closers: readonly SchemaObject[],
  { fields, sides }: Prover,
): KnownFields {
  const conditional = everythingIn(conditionalParts(applying ?? []), sides.taker)
  const isOpen = ![...(applying ?? []), ...conditional, ...closers].some(declaresFields)
  if (applying === undefined || fields === 'any' || isOpen || applying.some(judgesAllFields)) {
    return { name: () => true, others: true }
  }
  const names = new Set(applying.flatMap(knownNames))
  const patterns = applying.flatMap((schema) => schemaMap(schema, 'patternProperties').map(([pattern]) => pattern))
  return { name: (name) => names.has(name) || patterns.some((pattern) => matches(pattern, name)), others: false }
}
