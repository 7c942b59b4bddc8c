/**
 * Amounts of work: `full` for figures, `quick` to check that everything runs. Times are in milliseconds.
 *
 * - `many`, `most`: numbers of sessions that call at the same time
 * - `round`, `rounds`, `warmUp`: length and number of the rounds of calls without pauses, and the time before them
 * - `paced`, `perSecond`: length of a round with a constant rate of calls, and this rate
 * - `idle`: number of sessions whose memory is measured
 * - `unreadResults`, `unreadKilobytes`: number and size of the results that a noisy session keeps
 * - `closes`, `restores`: number of sessions that are closed, and of restorations for each number of results
 */
export const scales = {
  full: {
    many: 200,
    most: 1_000,
    round: 500,
    rounds: 5,
    warmUp: 1_500,
    paced: 1_500,
    perSecond: 400,
    idle: 5_000,
    unreadResults: 30,
    unreadKilobytes: 1_024,
    closes: 100,
    restores: 30,
  },
  quick: {
    many: 20,
    most: 50,
    round: 20,
    rounds: 2,
    warmUp: 0,
    paced: 50,
    perSecond: 400,
    idle: 200,
    unreadResults: 3,
    unreadKilobytes: 16,
    closes: 5,
    restores: 2,
  },
}

/** Numbers of unread results of 1 KB in restored sessions. */
export const resultCounts = [0, 10, 100]
