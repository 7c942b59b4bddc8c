import { own, stringsOf } from '../../schema/json/json.js'
import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { pointerStep } from '../../schema/json/pointer.js'
import { conditionalParts } from './cases.js'
import {
  declaresFields,
  everythingIn,
  judgesAllFields,
  knownNames,
  matches,
  schemasOfField,
  schemasOfOthers,
} from './declared-fields.js'
import { schemaAt, schemaMap } from './flatten.js'
import type { PossibleFields } from './object-fields.js'
import { brokenObjectRules } from './object-rules.js'
import type { Prover } from './prover.js'
import { below, type Refusal } from './refusal.js'
import type { Spot } from './spot.js'
import type { Taken } from './taken.js'
import { largest, refusedLengths, smallest } from './texts.js'

/** The schemas that are to take objects. */
export interface TakerObjects {
  readonly plain: readonly SchemaObject[]
  /** All schemas that apply for certain, where it counts which fields they declare. */
  readonly applying: readonly SchemaObject[] | undefined
  readonly maybe: readonly Schema[]
}

/** Objects that are taken and refused: by their fields, and by rules for all of their fields. */
export function refusedObjects(taken: Taken, taker: TakerObjects, prover: Prover): readonly Refusal[] {
  const possible = prover.fieldsOf(taken)
  const required = new Set(taken.plain.flatMap((schema) => stringsOf(schema, 'required')))
  if ([...required].some((name) => possible.at(name) === undefined)) return []
  const closers = everythingIn(taker.maybe, prover.sides.taker)
  const scene: Scene = {
    possible,
    required,
    taken,
    taker: prover.fields === 'known' ? taker.plain : taker.plain.map(withoutEnd),
    closers,
    knows: knownBy(taker.applying, closers, prover),
    prover,
  }
  const most = possible.isOpen || possible.patterns.size > 0 ? Number.POSITIVE_INFINITY : possible.names.size
  return [
    ...missingFields(scene),
    ...refusedLengths(
      {
        least: Math.max(required.size, largest(taken.plain, 'minProperties')),
        most: Math.min(most, smallest(taken.plain, 'maxProperties')),
      },
      { least: largest(taker.plain, 'minProperties'), most: smallest(taker.plain, 'maxProperties') },
    ),
    ...refusedFields(scene),
    ...refusedOthers(scene),
    ...taker.plain.flatMap((schema) => brokenObjectRules({ possible, required, taken }, schema, prover)),
  ]
}

interface Scene {
  readonly possible: PossibleFields
  readonly required: ReadonlySet<string>
  readonly taken: Taken
  readonly taker: readonly SchemaObject[]
  /** The schemas that apply to some values, which may declare which fields there are. */
  readonly closers: readonly SchemaObject[]
  readonly knows: Known
  readonly prover: Prover
}

/** Who reads a result does not mind fields that his schema excludes. */
function withoutEnd(schema: SchemaObject): SchemaObject {
  if (own(schema, 'additionalProperties') !== false) return schema
  const { additionalProperties: _, ...rest } = schema
  return rest
}

function missingFields({ possible, required, taken, taker, prover }: Scene): readonly Refusal[] {
  const wanted = new Set(taker.flatMap((schema) => stringsOf(schema, 'required')))
  const missing = [...wanted].filter((name) => !required.has(name))
  const declared = new Set(taken.plain.flatMap((schema) => schemaMap(schema, 'properties').map(([name]) => name)))
  const gone =
    prover.fields === 'known'
      ? []
      : taker.flatMap((schema) =>
          schemaMap(schema, 'properties').flatMap(([name, part]): readonly Refusal[] =>
            declared.has(name) || (possible.isOpen && possible.at(name)?.all.length !== 0)
              ? []
              : [{ aspect: 'field', pointer: pointerAt(name), taken: undefined, taker: part, sure: true }],
          ),
        )
  const told = new Set(gone.map(({ pointer }) => pointer))
  return [
    ...gone,
    ...missing
      .map((name): Refusal => {
        const before = possible.at(name) === undefined || !possible.names.has(name) ? undefined : 'optional'
        return { aspect: 'required', pointer: pointerAt(name), taken: before, taker: 'required', sure: true }
      })
      .filter(({ pointer }) => !told.has(pointer)),
  ]
}

function pointerAt(name: string): string {
  return `/properties${pointerStep(name)}`
}

/** The fields that are named on either side. */
function refusedFields({ possible, taken, taker, closers, knows, prover }: Scene): readonly Refusal[] {
  const names = new Set([...possible.names, ...[...taker, ...closers].flatMap(knownNames)])
  return [...names].flatMap((name): readonly Refusal[] => {
    const from = possible.at(name)
    if (from === undefined) return []
    const to: Spot = { all: schemasOfField(taker, name), maybe: schemasOfField(closers, name), instead: [] }
    if (to.all.includes(false) || !knows.name(name)) {
      const was = schemasOfField(taken.plain, name)[0]
      return [{ aspect: 'field', pointer: pointerAt(name), taken: was, taker: undefined, sure: true }]
    }
    if (to.all.length === 0 && to.maybe.length === 0) return []
    return below(pointerAt(name), prover.refusals(from, to))
  })
}

/** The fields that no side names. */
function refusedOthers({ possible, taker, closers, knows, prover }: Scene): readonly Refusal[] {
  const maybe = schemasOfOthers(closers)
  const compare = (from: Spot | undefined, all: readonly Schema[], step: string): readonly Refusal[] =>
    from === undefined ? [] : below(step, prover.refusals(from, { all, maybe, instead: [] }))
  const patterns = taker.flatMap((schema) => schemaMap(schema, 'patternProperties'))
  const matched = patterns.flatMap(([pattern, part]) =>
    compare(possible.atPattern(pattern), [part], `/patternProperties${pointerStep(pattern)}`),
  )
  const rest = taker.flatMap((schema) => {
    const part = schemaAt(schema, 'additionalProperties')
    const from = possible.others(schemaMap(schema, 'patternProperties').map(([pattern]) => pattern))
    if (part === undefined || from === undefined) return []
    return part === false ? [unknownFields] : compare(from, [part], '/additionalProperties')
  })
  const conditional = maybe.length === 0 ? [] : compare(possible.others([]), [], '/additionalProperties')
  const isRefused = !knows.others && possible.others(patterns.map(([pattern]) => pattern)) !== undefined
  return [
    ...matched,
    ...rest.filter((each) => each !== unknownFields),
    ...conditional,
    ...(isRefused || rest.includes(unknownFields) ? [unknownFields] : []),
  ]
}

/** Which fields a codec knows. */
interface Known {
  readonly name: (name: string) => boolean
  /** Whether it knows those that no schema names. */
  readonly others: boolean
}

function knownBy(
  applying: TakerObjects['applying'],
  closers: readonly SchemaObject[],
  { fields, sides }: Prover,
): Known {
  const conditional = everythingIn(conditionalParts(applying ?? []), sides.taker)
  const isOpen = ![...(applying ?? []), ...conditional, ...closers].some(declaresFields)
  if (applying === undefined || fields === 'any' || isOpen || applying.some(judgesAllFields)) {
    return { name: () => true, others: true }
  }
  const names = new Set(applying.flatMap(knownNames))
  const patterns = applying.flatMap((schema) => schemaMap(schema, 'patternProperties').map(([pattern]) => pattern))
  return { name: (name) => names.has(name) || patterns.some((pattern) => matches(pattern, name)), others: false }
}

const unknownFields: Refusal = {
  aspect: 'unknown-fields',
  pointer: '',
  taken: 'any field',
  taker: 'declared fields alone',
  sure: true,
}
