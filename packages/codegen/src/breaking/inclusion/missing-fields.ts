import { stringsOf } from '../../schema/json/json.js'
import { type ComparedObjects, pointerAt } from './compared-objects.js'
import { schemaMap } from './flatten.js'
import type { Refusal } from './refusal.js'

/** The fields that objects need not have, or have no more, and that are wanted. */
export function missingFields({ possible, required, taken, taker, prover }: ComparedObjects): readonly Refusal[] {
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
