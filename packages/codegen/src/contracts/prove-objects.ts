import { pointerOf } from '@toolgen/runtime/schema'
import { isObject, type Json, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { annotations } from '../schema/keywords.js'
import {
  declaresFields,
  everythingIn,
  judgesAllFields,
  knownNames,
  matches,
  schemasOfField,
  schemasOfOthers,
} from './declared-fields.js'
import { type Spot, schemaAt, schemaMap, schemaOf } from './flatten.js'
import type { PossibleFields } from './object-fields.js'
import type { Prover } from './prover.js'
import { sameSchema } from './same-schema.js'
import { below, conditionalParts, type Refusal, type Taken } from './schema-view.js'
import { takesValue } from './takes-value.js'
import { largest, refusedLengths, smallest } from './value-ranges.js'

/** The schemas that are to take objects. */
interface TakerObjects {
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
  const objects: ComparedObjects = {
    possible,
    required,
    taken,
    taker: prover.fields === 'known' ? taker.plain : taker.plain.map(withoutEnd),
    closers,
    knows: knownBy(taker.applying, closers, prover),
    prover,
  }
  return [
    ...missingFields(objects),
    ...refusedLengths(
      {
        least: Math.max(required.size, largest(taken.plain, 'minProperties')),
        most: Math.min(possible.most, smallest(taken.plain, 'maxProperties')),
      },
      { least: largest(taker.plain, 'minProperties'), most: smallest(taker.plain, 'maxProperties') },
    ),
    ...refusedFields(objects),
    ...refusedOthers(objects),
    ...taker.plain.flatMap((schema) => brokenObjectRules({ possible, required, taken }, schema, prover)),
  ]
}

/** Who reads a result does not mind fields that his schema excludes. */
function withoutEnd(schema: SchemaObject): SchemaObject {
  if (own(schema, 'additionalProperties') !== false) return schema
  const { additionalProperties: _, ...rest } = schema
  return rest
}

/** Objects that are taken. */
interface TakenObjects {
  readonly possible: PossibleFields
  readonly required: ReadonlySet<string>
  readonly taken: Taken
}

/** The rules for names and for fields that depend on each other of which it cannot be told that all objects keep them. */
function brokenObjectRules(objects: TakenObjects, taker: SchemaObject, prover: Prover): readonly Refusal[] {
  const broken = [
    ...(keepsNames(objects, taker, prover) ? [] : ['propertyNames']),
    ...(keepsRequired(objects, taker) ? [] : ['dependentRequired']),
    ...(keepsSchemas(objects, taker, prover) ? [] : ['dependentSchemas']),
    ...(keepsEvaluated(objects, taker, prover) ? [] : ['unevaluatedProperties']),
  ]
  return broken.map((keyword) => ({
    aspect: 'rule',
    pointer: `/${keyword}`,
    taken: said(objects.taken.plain, keyword),
    taker: own(taker, keyword),
  }))
}

/** What the first of several schemas says that says something. */
function said(plain: readonly SchemaObject[], keyword: string): Json | undefined {
  return plain.map((schema) => own(schema, keyword)).find((value) => value !== undefined)
}

function keepsNames({ possible, taken }: TakenObjects, taker: SchemaObject, { sides }: Prover): boolean {
  const wanted = schemaAt(taker, 'propertyNames')
  if (wanted === undefined) return true
  const isSame = taken.plain.some((schema) => {
    const known = schemaAt(schema, 'propertyNames')
    return known !== undefined && sameSchema(known, wanted, sides)
  })
  if (isSame) return true
  const names = [...possible.names].filter((name) => possible.at(name) !== undefined)
  if (!names.every((name) => takesValue([wanted], name, sides.taker) === true)) return false
  // What stands for all names that a pattern matches is allowed where nothing else is asked for.
  return possible.others(onlyPattern(wanted)) === undefined
}

/** The pattern of a schema for texts that has no other rule. */
function onlyPattern(schema: Schema): readonly string[] {
  if (typeof schema === 'boolean') return []
  const { pattern, type = 'string', ...rest } = schema
  const isAlone = Object.keys(rest).every((keyword) => annotations.includes(keyword))
  return isAlone && type === 'string' && typeof pattern === 'string' ? [pattern] : []
}

function keepsRequired({ possible, required, taken }: TakenObjects, taker: SchemaObject): boolean {
  const wanted = own(taker, 'dependentRequired')
  if (!isObject(wanted)) return true
  return Object.keys(wanted).every((name) => {
    const known = taken.plain.flatMap((schema) => {
      const rules = own(schema, 'dependentRequired')
      return isObject(rules) ? stringsOf(rules, name) : []
    })
    const names = stringsOf(wanted, name)
    return possible.at(name) === undefined || names.every((field) => required.has(field) || known.includes(field))
  })
}

function keepsSchemas({ possible, taken }: TakenObjects, taker: SchemaObject, prover: Prover): boolean {
  return schemaMap(taker, 'dependentSchemas').every(([name, wanted]) => {
    if (possible.at(name) === undefined) return true
    const isSame = taken.plain.some((schema) => {
      const known = schemaOf(schema, 'dependentSchemas', name)
      return known !== undefined && sameSchema(known, wanted, prover.sides)
    })
    return isSame || prover.fits(taken, wanted)
  })
}

function keepsEvaluated({ possible, taken }: TakenObjects, taker: SchemaObject, { sides, fields }: Prover): boolean {
  const wanted = own(taker, 'unevaluatedProperties')
  if (wanted === undefined || wanted === true || (fields === 'any' && wanted === false)) return true
  if (taken.plain.some((schema) => sameSchema(schema, taker, sides))) return true
  // What the schema declares itself is judged there.
  if (Object.hasOwn(taker, 'additionalProperties')) return true
  const patterns = schemaMap(taker, 'patternProperties').map(([pattern]) => pattern)
  const isDeclared = [...possible.names].every(
    (name) => possible.at(name) === undefined || schemasOfField([taker], name).length > 0,
  )
  return isDeclared && possible.others(patterns) === undefined
}

/** Objects that are taken, and the schemas that are to take them. */
interface ComparedObjects {
  readonly possible: PossibleFields
  readonly required: ReadonlySet<string>
  readonly taken: Taken
  readonly taker: readonly SchemaObject[]
  /** The schemas that apply to some values, which may declare which fields there are. */
  readonly closers: readonly SchemaObject[]
  readonly knows: KnownFields
  readonly prover: Prover
}

/** Where a field is, seen from its object. */
function pointerAt(name: string): string {
  return `/properties${pointerOf([name])}`
}

/** Which fields a codec knows. */
interface KnownFields {
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
function knownBy(
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

/** The fields that objects need not have, or have no more, and that are wanted. */
function missingFields({ possible, required, taken, taker, prover }: ComparedObjects): readonly Refusal[] {
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
              : [{ aspect: 'field', pointer: pointerAt(name), taken: undefined, taker: part }],
          ),
        )
  const told = new Set(gone.map(({ pointer }) => pointer))
  return [
    ...gone,
    ...missing
      .map((name): Refusal => {
        const before = possible.at(name) === undefined || !possible.names.has(name) ? 'undeclared' : 'optional'
        return { aspect: 'required', pointer: pointerAt(name), taken: before, taker: 'required' }
      })
      .filter(({ pointer }) => !told.has(pointer)),
  ]
}

/** The fields that are named on either side. */
function refusedFields({ possible, taken, taker, closers, knows, prover }: ComparedObjects): readonly Refusal[] {
  const names = new Set([...possible.names, ...[...taker, ...closers].flatMap(knownNames)])
  return [...names].flatMap((name): readonly Refusal[] => {
    const from = possible.at(name)
    if (from === undefined) return []
    const to: Spot = { all: schemasOfField(taker, name), maybe: schemasOfField(closers, name), instead: [] }
    if (to.all.includes(false) || !knows.name(name)) {
      const was = schemasOfField(taken.plain, name)[0]
      return [{ aspect: 'field', pointer: pointerAt(name), taken: was, taker: undefined }]
    }
    if (to.all.length === 0 && to.maybe.length === 0) return []
    return below(pointerAt(name), prover.refusals(from, to))
  })
}

/** The fields that no side names. */
function refusedOthers({ possible, taker, closers, knows, prover }: ComparedObjects): readonly Refusal[] {
  const maybe = schemasOfOthers(closers)
  const compare = (from: Spot | undefined, all: readonly Schema[], step: string): readonly Refusal[] =>
    from === undefined ? [] : below(step, prover.refusals(from, { all, maybe, instead: [] }))
  const patterns = taker.flatMap((schema) => schemaMap(schema, 'patternProperties'))
  const matched = patterns.flatMap(([pattern, part]) =>
    compare(possible.atPattern(pattern), [part], `/patternProperties${pointerOf([pattern])}`),
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

const unknownFields: Refusal = {
  aspect: 'unknown-fields',
  pointer: '',
  taken: 'any field',
  taker: 'declared fields alone',
}
