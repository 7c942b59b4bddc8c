import { nearestNames } from '../schema/nearest.js'
import { either } from '../schema/wording.js'

/**
 * Limits of one program. After a suspension, a program runs again from the start. The limits then apply to both runs together, but count
 * repeated work only once. `Infinity` removes a limit.
 */
export interface SandboxLimits {
  /** Maximum compute time of the program, in milliseconds, without the time in which the program waits for calls. Default: 2,000. */
  readonly computeMs: number
  /**
   * Maximum time from the start to the end of the program, in milliseconds, without the time of suspensions. Default: 300,000.
   */
  readonly totalMs: number
  /** Maximum number of tool calls. A call above this number ends the program with a failure. Default: 256. */
  readonly calls: number
  /** Maximum number of tool calls that run at the same time. Calls above this number wait. Default: 32. */
  readonly parallel: number
  /** Maximum length of the `console` output, in characters. The sandbox drops the rest of the output. Default: 16,000. */
  readonly logCharacters: number
  /** Maximum length of the result as JSON, in characters. A program with a longer result fails. Default: 100,000. */
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

const lowest: Readonly<Record<string, number>> = { calls: 0, parallel: 1, logCharacters: 0, resultCharacters: 1 }

type GivenLimits = { readonly [Name in keyof SandboxLimits]?: unknown }

export function requireLimits(caller: string, given: GivenLimits = {}): SandboxLimits {
  const isTime = (value: number): boolean => value > 0
  return limitsOf(caller, given, { isTime, expected: 'a positive number of milliseconds' })
}

/** Accepts times of 0, because a resumed program can have no time left. */
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

/** JSON would convert `Infinity` to `null`. */
export function finiteLimits(limits: SandboxLimits): SandboxLimits {
  const finite = Object.entries(limits).map(([name, value]) => [name, Math.min(value, Number.MAX_SAFE_INTEGER)])
  return Object.fromEntries(finite)
}

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
