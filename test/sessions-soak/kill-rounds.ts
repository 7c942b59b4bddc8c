import { Random } from '../codec/differential/random.js'
import type { Place } from './place.js'
import { PlaceRounds } from './place-rounds.js'

/** Maximum number of faults before the test ends. */
const MAX_FAULTS = 20

/**
 * Kills processes that work with sessions, in one place after the other, until `goesOn` returns false. At the end, consumes the remaining results of
 * each place. Returns counts and faults.
 */
export async function killRounds(
  places: readonly Place[],
  seed: number,
  goesOn: (rounds: number) => boolean,
): Promise<readonly PlaceRounds[]> {
  const random = new Random(seed)
  const all = places.map((place) => new PlaceRounds(place))
  for (let round = 0; goesOn(round) && all.every(({ ledger }) => ledger.faults.length < MAX_FAULTS); round += 1) {
    await all[round % all.length]?.round(random)
  }
  for (const rounds of all) await rounds.finish()
  return all
}
