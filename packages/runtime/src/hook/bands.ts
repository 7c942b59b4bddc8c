/** What hooks of a priority are for. */
export type HookBand = 'guard' | 'context' | 'default' | 'persistence' | 'postProcessing' | 'deferred' | 'last'

/**
 * The priorities of hooks by what they are for. Any other number is allowed: 200 and more are guards.
 *
 * @example
 * useHook('afterStep', save, { priority: hookBand.persistence })
 */
export const hookBand: Readonly<Record<HookBand, number>> = Object.freeze({
  /** Refuses what may not be. */
  guard: 200,
  /** Adds what the model should know. */
  context: 100,
  default: 0,
  /** Writes down what happened. */
  persistence: -50,
  /** Works on what was written down. */
  postProcessing: -100,
  /** What can wait for all others. */
  deferred: -200,
  /** And what waits for that too. */
  last: -210,
})
