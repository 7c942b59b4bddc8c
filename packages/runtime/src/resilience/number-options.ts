/** @throws {RangeError} when an option is no whole number from `least` on. */
export function requireWhole(option: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(`${option} is ${value}: give a whole number from ${least} on`)
  }
}

/** @throws {RangeError} when an option is no time in milliseconds that a timer can wait. */
export function requireMilliseconds(option: string, value: number): void {
  if (!(value >= 0 && value <= 2_147_483_647)) {
    throw new RangeError(`${option} is ${value}: give milliseconds from 0 to 2147483647`)
  }
}
