/**
 * How much is measured: `full` for figures, `quick` to see that everything still runs. Times are milliseconds.
 *
 * - `many`, `most`: how many sessions call at the same time
 * - `round`, `rounds`, `warmUp`: how long callers go on without a pause, how often, and how long before that
 * - `paced`, `perSecond`: how long, and at which rate, calls of alternating kinds come
 * - `idle`: how many sessions are weighed
 * - `unreadResults`, `unreadKilobytes`: number and size of the results that a noisy session keeps
 * - `closes`, `restores`: how many sessions are closed, and how often one of each size is restored
 */
const scales = {
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

/** The scale that the command line asks for: `--quick`, else the full one. */
export const scaleName = (argv) => (argv.includes('--quick') ? 'quick' : 'full')

export const scaleOf = (name) => scales[name]
