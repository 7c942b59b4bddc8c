import type { Schema } from '../../schema/json/json-schema.js'
import { pointerStep } from '../../schema/json/pointer.js'
import { type ComparedObjects, pointerAt } from './compared-objects.js'
import { knownNames, schemasOfField, schemasOfOthers } from './declared-fields.js'
import { schemaAt, schemaMap } from './flatten.js'
import { below, type Refusal } from './refusal.js'
import type { Spot } from './spot.js'

/** The fields that are named on either side. */
export function refusedFields({ possible, taken, taker, closers, knows, prover }: ComparedObjects): readonly Refusal[] {
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
export function refusedOthers({ possible, taker, closers, knows, prover }: ComparedObjects): readonly Refusal[] {
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

const unknownFields: Refusal = {
  aspect: 'unknown-fields',
  pointer: '',
  taken: 'any field',
  taker: 'declared fields alone',
}
