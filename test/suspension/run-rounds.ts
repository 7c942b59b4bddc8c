import { Random } from '../codec/differential/random.js'
import { faultsOf } from './faults-of.js'
import { playAtOnce, playSuspended } from './play.js'
import { type MutatedCounts, playMutated } from './play-mutated.js'
import { randomScenario } from './scenario.js'

/** Counts and faults of {@link runRounds}. */
export interface Found {
  readonly scenarios: number
  readonly calls: number
  readonly suspensions: number
  readonly resumes: number
  /** Counts of mutated suspensions. */
  readonly mutated: MutatedCounts
  /** Number of runs by stop reason. */
  readonly ends: ReadonlyMap<string, number>
  readonly faults: readonly string[]
}

/** Maximum number of reported faults. */
const MAX_FAULTS = 10

/**
 * Plays random scenarios until `goesOn` returns false: first without, then with suspensions. Also resumes mutated suspensions.
 *
 * @param mutations number of mutations of each suspension
 */
export async function runRounds(seed: number, goesOn: (scenarios: number) => boolean, mutations = 6): Promise<Found> {
  const found = { scenarios: 0, calls: 0, suspensions: 0, resumes: 0, mutated: { tried: 0, resumed: 0 } }
  const ends = new Map<string, number>()
  const faults: string[] = []
  for (let round = 0; goesOn(round) && faults.length < MAX_FAULTS; round += 1) {
    const random = new Random(seed + round)
    const scenario = randomScenario(random)
    try {
      const atOnce = await playAtOnce(scenario)
      const played = await playSuspended(scenario, random)
      const { reason } = played.last.stop
      ends.set(reason, (ends.get(reason) ?? 0) + 1)
      found.scenarios += 1
      found.calls += scenario.calls.size
      found.suspensions += played.suspensions.length
      found.resumes += played.resumes
      const lost = [...faultsOf(played, atOnce)]
      for (const json of played.suspensions.slice(0, 4)) {
        for (let index = 0; index < mutations; index += 1) {
          lost.push(...(await playMutated(scenario, random, json, found.mutated)))
        }
      }
      if (lost.length > 0) faults.push(`--seed ${seed + round}: ${lost.slice(0, 3).join('\n  ')}`)
    } catch (error) {
      faults.push(`--seed ${seed + round}: ${error instanceof Error ? error.stack : String(error)}`)
    }
  }
  return { ...found, ends, faults }
}
