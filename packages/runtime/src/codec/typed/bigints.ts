/** The longest text of a bigint, its sign included: reading and writing longer ones takes more than linear time. */
const longestBigintText = 1000

const decimal = /^(?:0|-?[1-9][0-9]*)$/
const above = 10n ** BigInt(longestBigintText)
const below = -(10n ** BigInt(longestBigintText - 1))

/**
 * Decimal text as a bigint; `undefined` for any other text, for more than 1000 characters, and for
 * `-0`, which is no bigint: it would come back as `0`.
 */
export function bigintFromText(text: string): bigint | undefined {
  return text.length <= longestBigintText && decimal.test(text) ? BigInt(text) : undefined
}

/** A bigint as decimal text; `undefined` where that has more than 1000 characters. */
export function bigintText(value: bigint): string | undefined {
  return value < above && value > below ? value.toString() : undefined
}
