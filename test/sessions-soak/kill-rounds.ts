import { Random } from '../codec/differential/random.js'
import type { Place } from './place.js'
import { PlaceRounds } from './place-rounds.js'

/** At most so many faults are waited for. */
const MAX_FAULTS = 20

/**
 * Kills processes that work with sessions until told to stop, at one place after the other; at the end takes at each place
 * what is left. What was tried, and the faults, stand in what is returned.
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
