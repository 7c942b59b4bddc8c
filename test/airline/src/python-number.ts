/** Numbers of Python: integers are exact and have any size, floats are doubles. */

/** A Python `int` (bigint) or `float` (number). */
export type PythonNumber = bigint | number

/** Error for an invalid expression, with the message of Python. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError'
}

export function add(left: PythonNumber, right: PythonNumber): PythonNumber {
  return typeof left === 'bigint' && typeof right === 'bigint' ? left + right : toFloat(left) + toFloat(right)
}

export function multiply(left: PythonNumber, right: PythonNumber): PythonNumber {
  return typeof left === 'bigint' && typeof right === 'bigint' ? left * right : toFloat(left) * toFloat(right)
}

/** Divides two numbers. The result is a float, also for integers. Integers beyond 2^53 are rounded before the division, in Python after it. */
export function divide(left: PythonNumber, right: PythonNumber): number {
  if (toFloat(right) === 0) {
    const whole = typeof left === 'bigint' && typeof right === 'bigint'
    throw new ExpressionError(whole ? 'division by zero' : 'float division by zero')
  }
  return toFloat(left) / toFloat(right)
}

export function negate(value: PythonNumber): PythonNumber {
  return typeof value === 'bigint' ? -value : -value
}

/** Returns the number as Python's `str(round(float(value), 2))` does. */
export function printRounded(value: PythonNumber): string {
  return printFloat(roundToCents(toFloat(value)))
}

function toFloat(value: PythonNumber): number {
  const float = Number(value)
  if (typeof value === 'bigint' && !Number.isFinite(float))
    throw new ExpressionError('int too large to convert to float')
  return float
}

/** Rounds to cents like Python: ties go to the even digit, while `toFixed` rounds them up. A double is a tie only at an odd multiple of 1/8. */
function roundToCents(value: number): number {
  if (!Number.isFinite(value) || value === 0) return value
  if (Math.abs((value * 8) % 2) !== 1) return Number(value.toFixed(2))
  const below = Math.floor(Math.abs(value) * 100)
  return (Math.sign(value) * (below + (below % 2))) / 100
}

function printFloat(value: number): string {
  if (Number.isNaN(value)) return 'nan'
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf'
  if (Math.abs(value) >= 1e16) return value.toExponential()
  const digits = Object.is(value, -0) ? '-0' : String(value)
  return Number.isInteger(value) ? `${digits}.0` : digits
}
