/** Numbers beyond are not written out in digits. */
const furthest = 60

/**
 * Whether a number is a whole multiple of another, reckoned in decimals as both are written, as codecs do; `undefined` where
 * one has too many digits to say.
 */
export function isMultipleOf(value: number, step: number): boolean | undefined {
  const [a, b] = [decimalOf(value), decimalOf(step)]
  const exponent = Math.min(a.exponent, b.exponent)
  if (Math.max(a.exponent, b.exponent) - exponent > furthest || b.digits === 0n) return undefined
  return scaled(a, exponent) % scaled(b, exponent) === 0n
}

interface Decimal {
  readonly digits: bigint
  /** The power of ten that the digits are multiplied by. */
  readonly exponent: number
}

function decimalOf(value: number): Decimal {
  const [mantissa = '0', exponent = '0'] = String(value).split('e')
  const [whole = '0', fraction = ''] = mantissa.split('.')
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}

function scaled({ digits, exponent }: Decimal, target: number): bigint {
  return digits * 10n ** BigInt(exponent - target)
}
