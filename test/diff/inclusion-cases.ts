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

/** Counts and faults of {@link inclusionCases}. */
export interface Found {
  readonly pairs: number
  /** Number of pairs that are reported as compatible: the second schema accepts all values of the first. */
  readonly widened: number
  /** Number of values that were tested with these pairs. */
  readonly values: number
  readonly narrowed: number
  /** Number of pairs that are reported as incompatible, and for which a random value proves this. */
  readonly witnessed: number
  /** Number of these pairs that also have a certain finding. */
  readonly witnessedCertain: number
  /** Number of findings for pairs that are reported as incompatible. */
  readonly findings: number
  /** Number of certain findings. A certain finding contains a value that proves it. */
  readonly certain: number
  readonly faults: readonly string[]
}

const valuesPerPair = 40

const changes = [...commonChanges, ...rareChanges]

/** Compares the reported changes between two schemas with their payload codecs. */
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

/** Returns the reported changes from one payload schema to another. */
function toldOf(was: SchemaCase, is: SchemaCase): readonly WitnessedMismatch[] {
  const { narrowed } = comparisonsOf(was.defs, is.defs, 'known', payloadCodec)
  const all = narrowed.mismatches(was.schema, is.schema)
  return narrowed.withWitnesses({ source: was.schema, target: is.schema, all, reported: all })
}

/** Returns a value that the first codec accepts and the second rejects. */
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

/** Checks that a codec accepts a text. A default that contains itself throws only during decoding, and counts as accepted. */
function takes(codec: Codec<unknown>, text: string): boolean {
  try {
    return codec.decode(text).ok
  } catch (error) {
    if (isToolgenError(error, 'SchemaError')) return true
    throw error
  }
}

/** Returns the payload codec of a schema, or `undefined` for a schema that a design cannot have. */
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
