import { nearestNames } from '../schema/nearest.js'
import { either } from '../schema/wording.js'

/**
 * Limits of one program. They apply to the whole program, even if it is suspended in between. A program that continues runs again from its
 * start, but its earlier computing, calls and output count only once. `Infinity` means no limit.
 */
export interface SandboxLimits {
  /** Maximum time in which the program itself computes, in milliseconds. Waiting for calls does not count. Default: 2,000. */
  readonly computeMs: number
  /**
   * Maximum time from the start to the end of the program, in milliseconds, without the time in which it was suspended. Default: 300,000.
   */
  readonly totalMs: number
  /** Maximum number of calls. A further call ends the program with a failure. Default: 256. */
  readonly calls: number
  /** Maximum number of calls that run at the same time. Further calls wait. Default: 32. */
  readonly parallel: number
  /** Maximum number of characters of the output of `console`. Further output is dropped. Default: 16,000. */
  readonly logCharacters: number
  /** Maximum number of characters of the result as JSON. A program with a longer result fails. Default: 100,000. */
  readonly resultCharacters: number
}

const defaultLimits: SandboxLimits = {
  computeMs: 2_000,
  totalMs: 300_000,
  calls: 256,
  parallel: 32,
  logCharacters: 16_000,
  resultCharacters: 100_000,
}

/** Minimum of each limit that is not a time. */
const lowest: Readonly<Record<string, number>> = { calls: 0, parallel: 1, logCharacters: 0, resultCharacters: 1 }

type GivenLimits = { readonly [Name in keyof SandboxLimits]?: unknown }

/**
 * Returns the limits of code mode, with the defaults for limits that are absent or `undefined`.
 *
 * @throws {RangeError} if a limit is invalid
 * @throws {TypeError} for an unknown limit
 */
export function requireLimits(caller: string, given: GivenLimits = {}): SandboxLimits {
  const isTime = (value: number): boolean => value > 0
  return limitsOf(caller, given, { isTime, expected: 'a positive number of milliseconds' })
}

/**
 * Returns the limits of one program, as {@link requireLimits} does. Times can be 0, because a program that continues may have none left.
 */
export function requireProgramLimits(given: GivenLimits): SandboxLimits {
  const isTime = (value: number): boolean => value >= 0
  return limitsOf('Sandbox.run', given, { isTime, expected: 'a number of milliseconds of at least 0' })
}

function limitsOf(
  caller: string,
  given: GivenLimits,
  times: { readonly isTime: (value: number) => boolean; readonly expected: string },
): SandboxLimits {
  if (typeof given !== 'object' || given === null) throw new TypeError(`${caller}: \`limits\` must be an object.`)
  const set = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [name, value] of set) {
    requireName(caller, name)
    const least = lowest[name]
    if (typeof value === 'number' && (least === undefined ? times.isTime(value) : isCount(value, least))) continue
    const expected = least === undefined ? times.expected : `an integer of at least ${least}`
    throw new RangeError(
      `${caller}: \`limits.${name}\` is ${String(value)}. Expected ${expected}, or Infinity for no limit.`,
    )
  }
  return { ...defaultLimits, ...Object.fromEntries(set) }
}

function requireName(caller: string, name: string): void {
  if (Object.hasOwn(defaultLimits, name)) return
  const names = Object.keys(defaultLimits)
  const [near] = nearestNames(name, names, 1)
  const advice = near === undefined ? `Expected ${either(names)}.` : `Did you mean \`${near}\`?`
  throw new TypeError(`${caller}: \`limits.${name}\` is unknown. ${advice}`)
}

const isCount = (value: number, least: number): boolean =>
  value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= least)

/** Returns the limits with a large number instead of `Infinity`, which JSON would convert to `null`. */
export function finiteLimits(limits: SandboxLimits): SandboxLimits {
  const finite = Object.entries(limits).map(([name, value]) => [name, Math.min(value, Number.MAX_SAFE_INTEGER)])
  return Object.fromEntries(finite)
}

/**
 * Checks the options of a sandbox.
 * @param sandbox name of the function that creates the sandbox
 * @param memory minimum and maximum memory of its engine, in MiB
 * @throws {RangeError} if an option is invalid
 */
export function requireSandboxOptions(
  sandbox: string,
  memoryMiB: number,
  idle: number,
  [least, most]: readonly [number, number],
): void {
  if (!(memoryMiB >= least && memoryMiB <= most))
    throw new RangeError(`${sandbox}: \`memoryMiB\` is ${memoryMiB}. Expected a number from ${least} to ${most}.`)
  if (!(Number.isInteger(idle) && idle >= 0))
    throw new RangeError(`${sandbox}: \`idle\` is ${idle}. Expected an integer of at least 0.`)
}
