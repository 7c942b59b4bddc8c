/**
 * Takes `Infinity` for no limit.
 *
 * @throws {RangeError} where an option is no time in milliseconds that something may take.
 */
export function requireTimeLimit(option: string, milliseconds: number | undefined): void {
  if (milliseconds === undefined || milliseconds > 0) return
  throw new RangeError(`${option} is ${milliseconds}, give milliseconds above 0, or Infinity for no limit`)
}
