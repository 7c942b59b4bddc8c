import { resultBreaksContract, unusableArgument } from './conversion-failure.js'

/**
 * An integer as a `bigint`.
 *
 * @throws {ToolFailure} `domain_rejection` beyond the safe integers, whose digits JSON numbers lose.
 */
export function integerToBigint(value: number): bigint {
  if (!Number.isSafeInteger(value)) throw unusableArgument('An integer')
  return BigInt(value)
}

/**
 * A `bigint` as an integer; a number passes unchanged.
 *
 * @throws {ToolFailure} `malformed_result` beyond the safe integers.
 */
export function bigintToInteger(value: bigint | number): number {
  if (typeof value === 'number') return value
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw resultBreaksContract('an integer that JSON cannot carry')
  return number
}

/** A `bigint` in decimal digits. */
export function bigintToString(value: bigint): string {
  return value.toString()
}
