import { refusals } from '../../packages/codegen/src/breaking/inclusion/inclusion.js'
import { isSchemaError } from '../../packages/runtime/src/codec/evaluate/schema-error.js'
import { newCodec } from '../../packages/runtime/src/codec/new-codec.js'
import type { Codec } from '../../packages/runtime/src/contract/codec.js'
import type { SchemaCase } from '../codec/differential/compiled-codecs.js'
import { Random } from '../codec/differential/random.js'
import { randomCase } from '../codec/differential/random-schema.js'
import { likelyValue, randomJson } from '../codec/differential/random-value.js'
import { changedCase } from './changed-schema.js'

/** What a run over pairs of schemas found. */
export interface Found {
  readonly pairs: number
  /** Pairs of which the second takes all that the first does, as is said. */
  readonly widened: number
  /** The values that were tried on them. */
  readonly values: number
  readonly narrowed: number
  /** Pairs said to be narrower for which a value was found that only the first takes. */
  readonly witnessed: number
  readonly faults: readonly string[]
}

const valuesPerPair = 40

/** Compares what is said of pairs of schemas with what their payload codecs do. */
export function inclusionCases(seed: number, rounds: number): Found {
  const found = { pairs: 0, widened: 0, values: 0, narrowed: 0, witnessed: 0, faults: [] as string[] }
  for (let round = 0; round < rounds && found.faults.length < 5; round++) {
    const random = new Random(seed * 100_000 + round)
    const was = randomCase(random)
    const is = random.chance(0.9) ? changedCase(random, was) : randomCase(random)
    const [before, after] = [codecOf(was), codecOf(is)]
    if (before === undefined || after === undefined) continue
    found.pairs++
    const refused = refusals(was.schema, is.schema, { taken: was.defs, taker: is.defs, fields: 'known' })
    const witness = witnessOf(random, was, { before, after }, refused.length === 0 ? () => found.values++ : () => {})
    if (refused.length > 0) {
      found.narrowed++
      if (witness !== undefined) found.witnessed++
      continue
    }
    found.widened++
    if (witness !== undefined) {
      found.faults.push(`seed ${seed * 100_000 + round}\n${JSON.stringify(was)}\n${JSON.stringify(is)}\n${witness}`)
    }
  }
  return found
}

/** A value that one codec takes and the other refuses. */
function witnessOf(
  random: Random,
  was: SchemaCase,
  { before, after }: { readonly before: Codec<unknown>; readonly after: Codec<unknown> },
  count: () => void,
): string | undefined {
  for (let index = 0; index < valuesPerPair; index++) {
    const text = JSON.stringify(random.chance(0.85) ? likelyValue(random, was, 4) : randomJson(random, 2))
    if (!takes(before, text)) continue
    count()
    if (!takes(after, text)) return text
  }
  return undefined
}

/** Whether a codec takes a text. Random defaults may contain themselves, which designs refuse: that is told late. */
function takes(codec: Codec<unknown>, text: string): boolean {
  try {
    return codec.decode(text).ok
  } catch (error) {
    if (isSchemaError(error)) return true
    throw error
  }
}

/** The payload codec of a schema; `undefined` where the schema is none that a design may have. */
function codecOf({ schema, defs }: SchemaCase): Codec<unknown> | undefined {
  const whole = typeof schema === 'boolean' ? schema : { ...schema, $defs: defs }
  const codec: Codec<unknown> = newCodec({ schema: whole, serverOwned: [], unknown: 'reject' }, undefined)
  try {
    codec.decode('null')
    return codec
  } catch (error) {
    if (isSchemaError(error)) return undefined
    throw error
  }
}
