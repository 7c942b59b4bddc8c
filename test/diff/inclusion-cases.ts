import { isToolgenError } from '@toolgen/runtime'
import { comparisonsOf } from '../../packages/codegen/src/contracts/definitions.js'
import type { WitnessedMismatch } from '../../packages/codegen/src/contracts/witness.js'
import { newCodec, payloadCodec } from '../../packages/runtime/src/codec/codecs.js'
import type { Codec } from '../../packages/runtime/src/types/codec.js'
import type { SchemaCase } from '../codec/differential/compiled-codecs.js'
import { Random } from '../codec/differential/random.js'
import { randomCase } from '../codec/differential/random-schema.js'
import { likelyValue, randomJson } from '../codec/differential/random-value.js'
import { changedCase, commonChanges } from './changed-schema.js'
import { rareChanges } from './rare-changes.js'

/** What a run over pairs of schemas found. */
export interface Found {
  readonly pairs: number
  /** Pairs of which the second takes all that the first does, as is said. */
  readonly widened: number
  /** The values that were tried on them. */
  readonly values: number
  readonly narrowed: number
  /** Pairs said to be narrower for which a value that only the first takes was found by chance. */
  readonly witnessed: number
  /** Those of them of which something is told that is certain. */
  readonly witnessedCertain: number
  /** What is told of pairs that are said to be narrower. */
  readonly findings: number
  /** What of it is certain: it has a value that shows it. */
  readonly certain: number
  readonly faults: readonly string[]
}

const valuesPerPair = 40

const changes = [...commonChanges, ...rareChanges]

/** Compares what is said of pairs of schemas with what their payload codecs do. */
export function inclusionCases(seed: number, rounds: number): Found {
  const found = {
    ...{ pairs: 0, widened: 0, values: 0, narrowed: 0, witnessed: 0, witnessedCertain: 0, findings: 0, certain: 0 },
    faults: [] as string[],
  }
  for (let round = 0; round < rounds && found.faults.length < 5; round++) {
    const random = new Random(seed * 100_000 + round)
    const was = randomCase(random)
    const is = random.chance(0.9) ? changedCase(random, was, changes) : randomCase(random)
    const [before, after] = [codecOf(was), codecOf(is)]
    if (before === undefined || after === undefined) continue
    const wrong = (what: string): unknown =>
      found.faults.push(`seed ${seed * 100_000 + round}\n${JSON.stringify(was)}\n${JSON.stringify(is)}\n${what}`)
    found.pairs++
    const told = toldOf(was, is)
    const byChance = witnessOf(random, was, { before, after }, told.length === 0 ? () => found.values++ : () => {})
    if (told.length === 0) {
      found.widened++
      if (byChance !== undefined) wrong(byChance)
      continue
    }
    found.narrowed++
    found.findings += told.length
    const certain = told.filter(({ witness }) => witness !== undefined)
    found.certain += certain.length
    for (const { pointer, aspect, witness = null } of certain) {
      const text = JSON.stringify(witness)
      if (!takes(before, text) || takes(after, text)) wrong(`${aspect} ${pointer}: ${text} shows nothing`)
    }
    if (byChance === undefined) continue
    found.witnessed++
    if (certain.length > 0) found.witnessedCertain++
  }
  return found
}

/** What is told of a payload that was one schema and is another. */
function toldOf(was: SchemaCase, is: SchemaCase): readonly WitnessedMismatch[] {
  const { narrowed } = comparisonsOf(was.defs, is.defs, 'known', payloadCodec)
  const all = narrowed.mismatches(was.schema, is.schema)
  return narrowed.withWitnesses({ source: was.schema, target: is.schema, all, reported: all })
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
    if (isToolgenError(error, 'SchemaError')) return true
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
    if (isToolgenError(error, 'SchemaError')) return undefined
    throw error
  }
}
